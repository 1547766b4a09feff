/* SPDX-License-Identifier: BSD-3-Clause */
/* thread_few_files N: takes a lock for the first time when it can have descriptors below N only. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct rlimit limit = {0, 0};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    puts("done");
    return 7;
}
