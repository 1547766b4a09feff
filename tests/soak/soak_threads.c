/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: with scripts of their own, on stacks of all sizes, and all the ways in which they end.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "soak.h"

enum { MAX_CROWD = 4, THREAD_LOG = 16 << 10, OWN_BYTES = 6 << 10, PAGE = 4096 };

static const size_t stacks[] = {16 << 10, 20 << 10, 32 << 10, 64 << 10, 256 << 10};

struct crew {
    struct soak_actor actor;
    pthread_t thread;
    unsigned n_operations;
    void *stack;
    size_t size;
    int exits; /* by pthread_exit() */
    sem_t over;
};

struct soak_actor soak_sub(struct soak_actor *parent, unsigned flags, size_t stack)
{
    struct soak_actor sub = *parent;
    sub.seed = soak_draw(parent, UINT64_MAX);
    sub.flags = parent->flags | flags;
    sub.depth++;
    sub.stack = stack;
    return sub;
}

void *soak_stack_new(size_t size)
{
    char *stack =
        mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, PAGE, PROT_NONE) != 0)
        _exit(123);
    return stack + PAGE;
}

void soak_stack_free(void *stack, size_t size)
{
    munmap((char *)stack - PAGE, size + PAGE);
}

static void *crew_main(void *argument)
{
    struct crew *crew = argument;
    soak_script(&crew->actor, crew->n_operations);
    sem_post(&crew->over);
    if (crew->exits)
        pthread_exit(argument);
    return argument;
}

/* The n-th of those that have scripts at a time. */
static void crew_start(struct soak_actor *actor, struct crew *crew, unsigned n, bool detached)
{
    pthread_attr_t how;
    size_t size = stacks[soak_draw(actor, sizeof stacks / sizeof stacks[0])];
    crew->size = size + soak_room();
    crew->actor = soak_sub(actor, n ? IS_THREAD | IN_CROWD : IS_THREAD, size - OWN_BYTES);
    crew->actor.log = soak_log_new(THREAD_LOG);
    crew->actor.signal += (int)n;
    crew->n_operations = 1 + (unsigned)soak_draw(actor, 5);
    crew->exits = crew->actor.stack >= HEAVY && soak_draw(actor, 3) == 0;
    crew->stack = soak_stack_new(crew->size);
    sem_init(&crew->over, 0, 0);
    pthread_attr_init(&how);
    pthread_attr_setstack(&how, crew->stack, crew->size);
    pthread_attr_setdetachstate(&how, detached);
    soak_note(actor, pthread_create(&crew->thread, &how, crew_main, crew));
}

void soak_op_thread(struct soak_actor *actor)
{
    struct crew crew;
    void *result = NULL;
    crew_start(actor, &crew, 0, false);
    soak_note(actor, pthread_join(crew.thread, &result));
    soak_note(actor, result == &crew);
    soak_note_log(actor, crew.actor.log);
    soak_stack_free(crew.stack, crew.size);
}

void soak_op_crowd(struct soak_actor *actor)
{
    struct crew crews[MAX_CROWD];
    unsigned n = 2 + (unsigned)soak_draw(actor, MAX_CROWD - 1);
    for (unsigned i = 0; i < n; i++)
        crew_start(actor, &crews[i], i + 1, false);
    for (unsigned i = 0; i < n; i++) {
        soak_note(actor, pthread_join(crews[i].thread, NULL));
        soak_note_log(actor, crews[i].actor.log);
        soak_stack_free(crews[i].stack, crews[i].size);
    }
}

/* Its memory stays: nobody can know when it is no longer used. */
void soak_op_detached(struct soak_actor *actor)
{
    struct crew *crew = soak_stack_new(sizeof *crew);
    crew_start(actor, crew, 0, true);
    while (sem_wait(&crew->over) != 0) {
    }
    soak_note_log(actor, crew->actor.log);
}

static void *short_main(void *argument)
{
    soak_calls(2);
    return argument;
}

void soak_op_short_threads(struct soak_actor *actor)
{
    unsigned n = 5 + (unsigned)soak_draw(actor, 25);
    int failed = 0;
    for (unsigned i = 0; i < n; i++) {
        pthread_t thread;
        failed += pthread_create(&thread, NULL, short_main, NULL) || pthread_join(thread, NULL);
    }
    soak_note(actor, failed);
}

static int c11_main(void *argument)
{
    soak_calls(2);
    return *(int *)argument;
}

void soak_op_c11(struct soak_actor *actor)
{
    thrd_t thread;
    int number = (int)soak_draw(actor, 1000), result = -1;
    soak_note(actor, thrd_create(&thread, c11_main, &number));
    soak_note(actor, thrd_join(thread, &result));
    soak_note(actor, result);
}

struct victim {
    int how;
    sem_t ready;
    int cleaned;
};

static void clean(void *argument)
{
    soak_calls(5);
    ((struct victim *)argument)->cleaned++;
}

static void wait_to_be_cancelled(struct victim *victim)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    sem_t never;
    sem_init(&never, 0, 0);
    pthread_mutex_lock(&mutex);
    for (;;)
        switch (victim->how) {
        case 0:
            pthread_cond_wait(&cond, &mutex);
            break;
        case 1:
            sem_wait(&never);
            break;
        case 2:
            soak_calls(10);
            pthread_testcancel();
            break;
        case 3:
            sleep(10);
            break;
        default:
            pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
            soak_calls(100);
        }
}

static void *victim_main(void *argument)
{
    struct victim *victim = argument;
    pthread_cleanup_push(clean, victim);
    pthread_cleanup_push(clean, victim);
    soak_calls(3);
    sem_post(&victim->ready);
    wait_to_be_cancelled(victim);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return NULL;
}

void soak_op_cancel(struct soak_actor *actor)
{
    struct victim victim = {.how = (int)soak_draw(actor, 5)};
    const struct timespec nap = {0, (long)soak_draw(actor, 300000)};
    pthread_t thread;
    void *result = NULL;
    sem_init(&victim.ready, 0, 0);
    soak_note(actor, pthread_create(&thread, NULL, victim_main, &victim));
    sem_wait(&victim.ready);
    nanosleep(&nap, NULL);
    soak_note(actor, pthread_cancel(thread));
    soak_note(actor, pthread_join(thread, &result));
    soak_note(actor, result == PTHREAD_CANCELED);
    soak_note(actor, victim.cleaned);
}

static void at_thread_end(void *value)
{
    soak_calls(2);
    ++*(int *)value;
}

struct specific {
    pthread_key_t key;
    int ended;
};

static void *specific_main(void *argument)
{
    struct specific *specific = argument;
    pthread_setspecific(specific->key, &specific->ended);
    soak_calls(2);
    return NULL;
}

void soak_op_destructor(struct soak_actor *actor)
{
    struct specific specific = {.ended = 0};
    pthread_t thread;
    pthread_key_create(&specific.key, at_thread_end);
    pthread_create(&thread, NULL, specific_main, &specific);
    soak_note(actor, pthread_join(thread, NULL));
    soak_note(actor, specific.ended);
    pthread_key_delete(specific.key);
}

/* What happens while other threads are in the middle of calls. */
void soak_op_among_others(struct soak_actor *actor)
{
    unsigned n = 1 + (unsigned)soak_draw(actor, 2);
    static atomic_int stop;
    pthread_t threads[2];
    struct soak_actor sub = soak_sub(actor, HAS_NOISE, actor->stack);
    struct soak_log *log = sub.log = soak_log_new(THREAD_LOG);
    atomic_store(&stop, 0);
    for (unsigned i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, soak_noise, &stop);
    soak_script(&sub, 1 + (unsigned)soak_draw(actor, 4));
    atomic_store(&stop, 1);
    for (unsigned i = 0; i < n; i++)
        soak_note(actor, pthread_join(threads[i], NULL));
    soak_note_log(actor, log);
}
