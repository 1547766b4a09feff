/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_small PROCESSES THREADS LOCKS: each process has so many threads, each of which takes a
 * lock so many times; all wait for all. Prints how many KiB the files hold then that lie in folders
 * of the processes and that they have mapped: the segments and journals of spur.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { THREADS_MAX = 1024, LINE = 4096, BLOCKS_A_KIB = 2 };

static pthread_barrier_t barrier;
static long locks;

static void *work(void *unused)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    for (long i = 0; i < locks; i++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return unused;
}

/* A file is in as many lines as it has mappings, one after the other. */
static long mapped_kib(void)
{
    char line[LINE], last[LINE] = "";
    long kib = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        struct stat info;
        const char *path = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (!path || !strstr(path, "/.spur/") || strcmp(path, last) == 0)
            continue;
        strcpy(last, path);
        const char *name = strrchr(path, '/');
        if ((strcmp(name, "/segment") == 0 || strcmp(name, "/journal") == 0) &&
            stat(path, &info) == 0)
            kib += info.st_blocks / BLOCKS_A_KIB;
    }
    if (maps)
        fclose(maps);
    return kib;
}

static int be_one(int threads, int told, int go)
{
    pthread_t thread[THREADS_MAX];
    char byte;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++)
        EXPECT(pthread_create(&thread[i], NULL, work, NULL) == 0);
    pthread_barrier_wait(&barrier);
    long kib = mapped_kib();
    EXPECT(write(told, &kib, sizeof kib) == sizeof kib);
    EXPECT(read(go, &byte, 1) == 0); /* all have told */
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    return unexpected;
}

int main(int argc, char **argv)
{
    int processes = argc > 3 ? atoi(argv[1]) : 1, threads = argc > 3 ? atoi(argv[2]) : 1;
    int told[2], go[2], status;
    long kib, sum = 0;
    locks = argc > 3 ? atol(argv[3]) : 1;
    EXPECT(threads <= THREADS_MAX && pipe(told) == 0 && pipe(go) == 0);
    for (int i = 0; i < processes; i++) {
        if (fork() == 0) {
            close(go[1]);
            return be_one(threads, told[1], go[0]);
        }
    }
    for (int i = 0; i < processes; i++)
        sum += read(told[0], &kib, sizeof kib) == sizeof kib ? kib : 0;
    close(go[1]);
    for (int i = 0; i < processes; i++)
        EXPECT(wait(&status) > 0 && status == 0);
    printf("%ld KiB\n", sum);
    return unexpected;
}
