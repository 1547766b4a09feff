/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_environ: a thread reads the environment all the time, also by the pointers that it found a
 * while ago, as a program may that does not change it; meanwhile another one starts programs by
 * system(), popen() and posix_spawnp(), which the agent gives an environment of its own.
 */
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "expect.h"

enum { STARTS = 60, TEXTS = 4096, AGO = 50 };

extern char **environ;
static _Atomic int is_over;
static _Atomic unsigned long readings;

/* All texts have a name, and the last one is where it was told to be. */
static void read_all(char **env)
{
    int n = 0;
    for (; env[n]; n++)
        EXPECT(n < TEXTS && strchr(env[n], '='));
    EXPECT(n > 0);
}

static void *reader(void *arg)
{
    char **ago = environ;
    for (unsigned long i = 0; !is_over; i++) {
        const char *kept = getenv("THREAD_ENVIRON");
        EXPECT(kept && strcmp(kept, "kept") == 0);
        read_all(environ);
        read_all(ago);
        if (i % AGO == 0)
            ago = environ;
        readings++;
    }
    return arg;
}

static void spawned(void)
{
    char name[] = "true", *words[] = {name, NULL};
    pid_t pid;
    int status;
    EXPECT(posix_spawnp(&pid, name, NULL, NULL, words, environ) == 0);
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(void)
{
    pthread_t thread;
    EXPECT(setenv("THREAD_ENVIRON", "kept", 1) == 0);
    EXPECT(pthread_create(&thread, NULL, reader, NULL) == 0);
    for (int i = 0; i < STARTS; i++) {
        EXPECT(system("test \"$THREAD_ENVIRON\" = kept") == 0);
        FILE *pipe = popen("echo $THREAD_ENVIRON", "r");
        char line[16];
        EXPECT(pipe && fgets(line, sizeof line, pipe) && strcmp(line, "kept\n") == 0);
        EXPECT(pclose(pipe) == 0);
        spawned();
    }
    is_over = 1;
    EXPECT(pthread_join(thread, NULL) == 0);
    EXPECT(readings > 0);
    puts("read");
    return unexpected;
}
