/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ends before its end: thread_placed large | small | killed. `large` uses memory, forks a
 * child that sleeps, and becomes `small`, which sleeps; `killed` sleeps and makes calls, and kills
 * itself.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEGABYTES = 160, PAGE = 4096, SLEEPS = 200, SHORT_US = 50, LONG_US = 200000, CALLS = 60000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void call(int times)
{
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}

static void pause_often(void)
{
    for (int i = 0; i < SLEEPS; i++)
        usleep(SHORT_US);
}

static void be_large(char **argv)
{
    const size_t bytes = (size_t)MEGABYTES << 20;
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        abort();
    for (size_t i = 0; i < bytes; i += PAGE)
        at[i] = 1;
    munmap(at, bytes);
    pid_t child = fork();
    if (child == 0) {
        call(1);
        pause_often();
        exit(0);
    }
    waitpid(child, NULL, 0);
    execl(argv[0], argv[0], "small", NULL);
    abort();
}

int main(int argc, char **argv)
{
    call(1);
    if (argc < 2)
        return 1;
    if (!strcmp(argv[1], "large"))
        be_large(argv);
    if (!strcmp(argv[1], "killed")) {
        pause_often();
        call(CALLS);
        raise(SIGKILL);
    }
    usleep(LONG_US);
    return 0;
}
