/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process whose /proc is gone: it executes itself, and a child of its executes a program that
 * records nothing. tests/cases/no_proc.py knows how each has ended.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

static void lock_once(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
    int status = 0;
    lock_once();
    if (argc == 1) {
        EXPECT(unshare(CLONE_NEWNS | (geteuid() ? CLONE_NEWUSER : 0)) == 0);
        EXPECT(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
        EXPECT(mount("none", "/proc", "tmpfs", 0, NULL) == 0);
        execl(argv[0], argv[0], "again", (char *)NULL);
        return 1;
    }
    pid_t child = fork();
    if (child == 0) {
        lock_once();
        execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    printf("%d\n", WEXITSTATUS(status));
    return 2;
}
