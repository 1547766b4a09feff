/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * locks PLUGIN...: calls of threads in several places, in plugins that come and go, and in a child
 * of fork(), and says where.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "said.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static __attribute__((noinline)) void both(void)
{
    AT(pthread_mutex_lock, &mutex);
    AT(pthread_rwlock_rdlock, &rwlock);
    AT(pthread_rwlock_unlock, &rwlock);
    AT(pthread_mutex_unlock, &mutex);
}

static void *begin(void *count)
{
    for (int i = 0; i < *(int *)count; i++) {
        both();
        AT(pthread_mutex_lock, &mutex);
        AT(pthread_mutex_unlock, &mutex);
    }
    return NULL;
}

static void run_plugin(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    void (*run)(pthread_mutex_t *) =
        library ? (void (*)(pthread_mutex_t *))dlsym(library, "run") : NULL;
    if (!run)
        exit(2);
    run(&mutex);
    dlclose(library);
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    int count = 5;
    for (int i = 0; i < 2; i++)
        AT(pthread_create, &thread[i], NULL, begin, &count);
    for (int i = 0; i < 2; i++)
        AT(pthread_join, thread[i], NULL);
    for (int i = 1; i < argc; i++)
        run_plugin(argv[i]);
    pid_t child = fork();
    if (child == 0) {
        both();
        AT(pthread_mutex_lock, &mutex);
        exit(0);
    }
    waitpid(child, NULL, 0);
    both();
    return 0;
}
