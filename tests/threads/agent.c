/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent at work in this very program: teams of threads record, lock what others lock, name each
 * other, fork, end, and record still when the process ends and takes their locations away. A plain
 * program, for the thread sanitizer to look for what they share.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "finish/finish.h"

enum { TEAM = 4, ROUNDS = 20, LOCKS = 40, LIVE_ON = 3, STATUS = 7 };

static pthread_mutex_t mutexes[LOCKS];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t together;
static sem_t alive;

static void use_locks(unsigned from)
{
    for (unsigned i = 0; i < LOCKS; i++) {
        pthread_mutex_t *mutex = &mutexes[(from + i) % LOCKS];
        pthread_mutex_lock(mutex);
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
        pthread_mutex_unlock(mutex);
    }
}

static void fork_and_record(void)
{
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&mine);
        pthread_mutex_unlock(&mine);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        abort();
}

static void *works(void *number)
{
    unsigned n = *(unsigned *)number;
    char name[16];
    snprintf(name, sizeof name, "worker %u", n);
    pthread_setname_np(pthread_self(), name);
    pthread_barrier_wait(&together);
    use_locks(n * 7);
    if (n == 0)
        fork_and_record();
    pthread_mutex_t fresh;
    pthread_mutex_init(&fresh, NULL);
    pthread_mutex_lock(&fresh);
    pthread_mutex_unlock(&fresh);
    pthread_mutex_destroy(&fresh);
    return NULL;
}

static void run_team(void)
{
    static unsigned numbers[TEAM];
    pthread_t threads[TEAM];
    for (unsigned i = 0; i < TEAM; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, works, &numbers[i]) != 0)
            abort();
        pthread_setname_np(threads[i], "by its creator");
    }
    for (unsigned i = 0; i < TEAM; i++)
        pthread_join(threads[i], NULL);
}

static void *lives_on(void *unused)
{
    sem_post(&alive);
    for (;;)
        use_locks(0);
    return unused;
}

/* The process ends in the middle of what these threads record. */
static void record(void)
{
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&mutexes[i], NULL);
    pthread_barrier_init(&together, NULL, TEAM);
    sem_init(&alive, 0, 0);
    for (int round = 0; round < ROUNDS; round++)
        run_team();
    for (int i = 0; i < LIVE_ON; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, lives_on, NULL) != 0)
            abort();
        pthread_detach(thread);
    }
    for (int i = 0; i < LIVE_ON; i++)
        sem_wait(&alive);
    _exit(STATUS); /* wrapped: closes the trace */
}

/* The agent reads its settings before main(): so this program starts itself again. */
int main(int argc, char **argv)
{
    (void)argc;
    if (getenv("TEST_RECORDS"))
        record();
    char dir[] = "/tmp/spur-threads-XXXXXX";
    char path[64];
    int status = 0;
    if (!mkdtemp(dir))
        return 1;
    snprintf(path, sizeof path, "%s/archive", dir);
    setenv("SPUR_DIR", path, 1);
    setenv("SPUR_VERBOSE", "0", 1);
    setenv("TEST_RECORDS", "1", 1);
    pid_t child = fork();
    if (child == 0) {
        execv("/proc/self/exe", argv);
        _exit(1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    /* This program has begun the session and is still there, so it has to be asked. */
    const struct spur_finish_options quiet = {.quiet = true};
    (void)spur_finish(path, &quiet);
    strcat(path, "/traces.otf2");
    bool is_whole = access(path, R_OK) == 0;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command) != 0)
        return 1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != STATUS || !is_whole)
        fprintf(stderr, "status %x, archive %d\n", (unsigned)status, is_whole);
    return !WIFEXITED(status) || WEXITSTATUS(status) != STATUS || !is_whole;
}
