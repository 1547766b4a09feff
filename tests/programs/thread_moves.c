/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_moves DIR TO HOW HOLDER: gives the directory DIR, in which it is recorded, the name TO in
 * the middle of its work, by HOW: "renamed", "replaced" (and makes another one called DIR),
 * "removed" (it removes DIR), "killed" (and ends by SIGKILL). Before, it waits until the process
 * HOLDER, if there is one ("parent" is its parent), has a descriptor of DIR.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCKS = 10000, LOOKS = 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static int is_held(const char *dir, const char *holder)
{
    char folder[64], path[PATH_MAX], target[PATH_MAX];
    int pid = strcmp(holder, "parent") == 0 ? (int)getppid() : atoi(holder);
    snprintf(folder, sizeof folder, "/proc/%d/fd", pid);
    DIR *list = opendir(folder);
    int found = 0;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        ssize_t n = readlink(path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        found |= strcmp(target, dir) == 0;
    }
    if (list)
        closedir(list);
    return found;
}

static int remove_it(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path) && 0;
}

int main(int argc, char **argv)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    const char *dir = argv[1], *to = argv[2], *how = argv[3];
    work(NULL);
    for (int i = 0; argc > 4 && i < LOOKS && access(dir, F_OK) == 0 && !is_held(dir, argv[4]); i++)
        nanosleep(&nap, NULL);
    if (strcmp(how, "removed") == 0)
        nftw(dir, remove_it, 16, FTW_DEPTH | FTW_PHYS);
    else
        rename(dir, to);
    if (strcmp(how, "replaced") == 0)
        mkdir(dir, 0700);
    work(NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    printf("%s\n", how);
    fflush(stdout);
    if (strcmp(how, "killed") == 0)
        kill(getpid(), SIGKILL);
    return 3;
}
