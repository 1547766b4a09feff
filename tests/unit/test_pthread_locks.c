/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-pthread */
/* Records of calls of locks, condition variables and semaphores. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "tests/unit/pthread_agent.h"
#include "wrappers/pthread/pthread_entries.h"
#include "wrappers/pthread/pthread_frame.h"

static void begin(void)
{
    agent_lines = 0;
    agent_orders = 0;
    agent_on = true;
}

Test(pthread_locks, mutex)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    begin();
    cr_expect_eq(pthread_mutex_lock(&mutex), 0);
    cr_expect_eq(pthread_mutex_trylock(&mutex), EBUSY);
    cr_expect_eq(pthread_mutex_unlock(&mutex), 0);
    cr_expect_eq(pthread_mutex_destroy(&mutex), 0);
    agent_on = false;
    const char *const expected[] = {"1: enter pthread_mutex_lock",
                                    "1: acquire 1",
                                    "1: leave pthread_mutex_lock",
                                    "1: enter pthread_mutex_trylock",
                                    "1: leave pthread_mutex_trylock",
                                    "1: enter pthread_mutex_unlock",
                                    "1: release 1",
                                    "1: leave pthread_mutex_unlock",
                                    "1: enter pthread_mutex_destroy",
                                    "1: forget",
                                    "1: leave pthread_mutex_destroy"};
    for (int i = 0; i < (int)(sizeof expected / sizeof expected[0]); i++)
        agent_expect(i, expected[i]);
}

static void take_and_give(pthread_mutex_t *mutex)
{
    cr_expect_eq(pthread_mutex_lock(mutex), 0);
    cr_expect_eq(pthread_mutex_unlock(mutex), 0);
}

/* A handler jumps out of the call before the record: the release has no record either. */
Test(pthread_locks, an_acquisition_without_a_record_is_not_released)
{
    pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, cut = PTHREAD_MUTEX_INITIALIZER;
    begin();
    take_and_give(&first);
    agent_is_cut = true;
    take_and_give(&cut);
    agent_is_cut = false;
    agent_on = false;
    cr_expect_eq(agent_count("acquire"), 1);
    cr_expect_eq(agent_count("release"), 1, "%s", agent_log[agent_lines - 2]);
}

/* A jump left the lock locked. The next acquisition without a record releases nothing either. */
Test(pthread_locks, a_lock_that_begins_anew_is_held_by_nobody)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    begin();
    pthread_mutex_lock(&mutex);
    pthread_mutex_init(&mutex, NULL);
    agent_on = false;
    pthread_mutex_lock(&mutex);
    agent_on = true;
    pthread_mutex_unlock(&mutex);
    agent_on = false;
    cr_expect_eq(agent_count("acquire"), 1);
    cr_expect_eq(agent_count("release"), 0);
}

static struct pthread_counted *ending;

static void is_still_found(const void *object)
{
    cr_expect_eq(pthread_entry_find(object), ending);
}

/* Another thread may look for the entry at any time: a new entry has a new number. */
Test(pthread_locks, an_entry_goes_after_its_number)
{
    int object = 0;
    begin();
    ending = pthread_entry_of(&object, SPUR_COUNTED_LOCK, 0);
    cr_assert(ending);
    agent_forgets = is_still_found;
    pthread_entry_end(ending);
    agent_forgets = NULL;
    agent_on = false;
    cr_expect_eq(agent_count("forget"), 1);
    cr_expect_null(pthread_entry_find(&object));
}

/* A handler of a signal ends the thread within the call, or right after the call. */
Test(pthread_locks, a_call_that_is_unwound_is_left_once)
{
    static struct spur_call call = {.name = "call"};
    for (int is_left = 0; is_left < 2; is_left++) {
        struct pthread_frame frame = {.call = &call};
        begin();
        cr_assert(pthread_frame_enter(&frame, false, (struct spur_caller){0}));
        if (is_left)
            spur_leave_now(frame.loc, frame.call);
        pthread_frame_end(&frame);
        agent_on = false;
        cr_expect_eq(agent_lines, 2, "%d records", agent_lines);
        agent_expect(1, "1: leave call");
        cr_expect_null(frame.loc);
    }
}

Test(pthread_locks, recursive_mutex_releases_innermost_first)
{
    mtx_t mutex;
    cr_assert_eq(mtx_init(&mutex, mtx_recursive), thrd_success);
    begin();
    mtx_lock(&mutex);
    mtx_lock(&mutex);
    mtx_unlock(&mutex);
    mtx_unlock(&mutex);
    agent_on = false;
    agent_expect(1, "1: acquire 1");
    agent_expect(4, "1: acquire 2");
    agent_expect(7, "1: release 2");
    agent_expect(10, "1: release 1");
}

Test(pthread_locks, failing_unlock_releases_nothing)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attr);
    begin();
    cr_expect_eq(pthread_mutex_unlock(&mutex), EPERM);
    agent_on = false;
    cr_expect_eq(agent_lines, 2);
}

static void *end_with_lock(void *mutex)
{
    pthread_mutex_lock(mutex);
    return NULL;
}

/* The next owner has acquired the lock, although the result is an error number. */
Test(pthread_locks, a_mutex_whose_owner_is_dead_is_acquired)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t mutex;
    pthread_t owner;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    cr_assert_eq(pthread_create(&owner, NULL, end_with_lock, &mutex), 0);
    pthread_join(owner, NULL);
    begin();
    cr_expect_eq(pthread_mutex_lock(&mutex), EOWNERDEAD);
    cr_expect_eq(pthread_mutex_consistent(&mutex), 0);
    cr_expect_eq(pthread_mutex_unlock(&mutex), 0);
    agent_on = false;
    agent_expect(1, "1: acquire 1");
    agent_expect(6, "1: release 1");
}

Test(pthread_locks, locks_interleave)
{
    pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t second = PTHREAD_RWLOCK_INITIALIZER;
    begin();
    pthread_mutex_lock(&first);        /* 1 */
    pthread_rwlock_rdlock(&second);    /* 2 */
    pthread_rwlock_tryrdlock(&second); /* 3 */
    pthread_mutex_unlock(&first);
    pthread_rwlock_unlock(&second);
    pthread_rwlock_unlock(&second);
    agent_on = false;
    agent_expect(10, "1: release 1");
    agent_expect(13, "1: release 3");
    agent_expect(16, "1: release 2");
}

Test(pthread_locks, many_held_at_once)
{
    static pthread_mutex_t many[1000];
    begin();
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_init(&many[i], NULL);
        pthread_mutex_lock(&many[i]);
        agent_lines = 0;
    }
    for (int i = 999; i >= 0; i--)
        pthread_mutex_unlock(&many[i]);
    agent_on = false;
    agent_expect(1, "1: release 1000");
    cr_expect_geq(agent_count("release"), 128, "only %d releases", agent_count("release"));
}

Test(pthread_locks, condition)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    const struct timespec past = {0};
    begin();
    pthread_mutex_lock(&mutex);
    cr_expect_eq(pthread_cond_timedwait(&cond, &mutex, &past), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    agent_on = false;
    agent_expect(4, "1: release 1");
    agent_expect(5, "1: acquire 2");
    agent_expect(8, "1: release 2");
}

static void gives_back(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void *waits(void *arg)
{
    void **objects = arg;
    pthread_mutex_lock(objects[1]);
    pthread_cleanup_push(gives_back, objects[1]);
    sem_post(objects[2]);
    for (;;)
        pthread_cond_wait(objects[0], objects[1]);
    pthread_cleanup_pop(1);
    return NULL;
}

Test(pthread_locks, cancelled_condition_wait_is_left)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    sem_t ready;
    sem_init(&ready, 0, 0);
    void *objects[] = {&cond, &mutex, &ready};
    pthread_t thread;
    void *value;
    begin();
    pthread_create(&thread, NULL, waits, objects);
    sem_wait(&ready);
    pthread_mutex_lock(&mutex); /* so it waits */
    pthread_mutex_unlock(&mutex);
    pthread_cancel(thread);
    cr_expect_eq(pthread_join(thread, &value), 0);
    agent_on = false;
    cr_expect_eq(value, PTHREAD_CANCELED);
    cr_expect_eq(agent_count("2: enter pthread_cond_wait"), 1);
    cr_expect_eq(agent_count("2: leave pthread_cond_wait"), 1);
    cr_expect_eq(agent_count("2: enter pthread_mutex_unlock"), 1, "the handler is recorded");
    cr_expect_eq(agent_count("acquire"), 3);
    cr_expect_eq(agent_count("release"), 3);
    cr_expect_eq(agent_releases, 3);
    cr_expect_eq(agent_count("2: end joinable"), 1);
}

Test(pthread_locks, errno_of_semaphores)
{
    sem_t sem;
    sem_init(&sem, 0, 0);
    begin();
    errno = 0;
    cr_expect_eq(sem_trywait(&sem), -1);
    cr_expect_eq(errno, EAGAIN);
    cr_expect_eq(sem_post(&sem), 0);
    cr_expect_eq(sem_wait(&sem), 0);
    agent_on = false;
    cr_expect_eq(agent_lines, 6);
}

Test(pthread_locks, spin_and_barrier)
{
    pthread_spinlock_t spin;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    begin();
    pthread_spin_lock(&spin);
    cr_expect_eq(pthread_spin_trylock(&spin), EBUSY);
    pthread_spin_unlock(&spin);
    cr_expect_eq(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
    agent_on = false;
    cr_expect_eq(agent_count("acquire"), 1);
    cr_expect_eq(agent_count("release"), 1);
    agent_expect(agent_lines - 1, "1: leave pthread_barrier_wait");
}
