/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes a lock ROUNDS times without waiting, and then once while another thread holds it for
 * HELD_MS; a child of fork() does the same once more. Prints "NAME NUMBER": the rounds, and the ns
 * of each wait.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth.h"

enum { ROUNDS = 120000, HELD_MS = 200, US = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int is_held;

static void *hold(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    atomic_store(&is_held, 1);
    usleep(HELD_MS * US);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void wait_for_it(const char *name)
{
    pthread_t thread;
    atomic_store(&is_held, 0);
    if (pthread_create(&thread, NULL, hold, NULL) != 0)
        abort();
    while (!atomic_load(&is_held))
        usleep(US);
    int64_t begin = truth_wall();
    pthread_mutex_lock(&lock);
    truth_tell(name, truth_wall() - begin);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    truth_tell("rounds", ROUNDS);
    wait_for_it("wait");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        wait_for_it("child");
        exit(0);
    }
    waitpid(child, NULL, 0);
    return 0;
}
