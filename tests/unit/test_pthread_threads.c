/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-pthread */
/* The life of threads: pairs of records, every way to end, and nothing left behind. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "tests/unit/pthread_agent.h"

static long bytes_before;

static void begin(void)
{
    bytes_before = agent_bytes;
    agent_lines = 0;
    agent_on = true;
}

/* No record of a thread is left; `n` threads began, and as many ended. */
static void finish(int n)
{
    agent_on = false;
    cr_expect_eq(agent_count("begin"), n);
    cr_expect_eq(agent_count("end "), n, "%d of %d ends", agent_count("end "), n);
    cr_expect_eq(agent_handles, 0, "%d handles", agent_handles);
    cr_expect_eq(agent_bytes, bytes_before, "%ld bytes", agent_bytes - bytes_before);
}

static void *returns(void *arg)
{
    return arg;
}

static void *exits(void *arg)
{
    pthread_exit(arg);
}

Test(pthread_threads, create_and_join)
{
    pthread_t thread;
    void *value;
    begin();
    cr_expect_eq(pthread_create(&thread, NULL, returns, &value), 0);
    cr_expect_eq(pthread_join(thread, &value), 0);
    cr_expect_eq(value, &value);
    finish(1);
    agent_expect(0, "1: enter pthread_create");
    cr_expect_eq(agent_count("1: create 1"), 1);
    cr_expect_eq(agent_count("2: begin 1"), 1);
    cr_expect_eq(agent_count("2: end joinable"), 1);
    agent_expect(agent_lines - 2, "1: wait 1");
    agent_expect(agent_lines - 1, "1: leave pthread_join");
}

Test(pthread_threads, nobody_waits_for_a_thread_that_is_not_in_the_trace)
{
    pthread_t thread;
    begin();
    agent_is_told = false;
    cr_expect_eq(pthread_create(&thread, NULL, returns, NULL), 0);
    cr_expect_eq(pthread_join(thread, NULL), 0);
    finish(1);
    cr_expect_eq(agent_count("wait"), 0);
}

Test(pthread_threads, names_of_threads_are_reused)
{
    begin();
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, i % 2 ? returns : exits, NULL);
        pthread_join(thread, NULL);
    }
    finish(100);
    cr_expect_eq(agent_count("wait"), 100);
}

Test(pthread_threads, detached_in_three_ways)
{
    pthread_attr_t attr;
    pthread_t thread;
    begin();
    for (int i = 0; i < 50; i++) {
        pthread_attr_init(&attr);
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        pthread_create(&thread, &attr, returns, NULL);
        pthread_create(&thread, NULL, returns, NULL);
        pthread_detach(thread);
        thrd_t c11;
        thrd_create(&c11, (thrd_start_t)(void (*)(void))exits, NULL);
        thrd_detach(c11);
    }
    while (agent_count("end ") < 150)
        sched_yield();
    while (agent_handles)
        sched_yield();
    finish(150);
    cr_expect_geq(agent_count("detached"), 50);
}

static int c11_main(void *arg)
{
    thrd_exit(*(int *)arg);
}

Test(pthread_threads, c11)
{
    thrd_t thread;
    int value = 42;
    int got = 0;
    begin();
    cr_expect_eq(thrd_create(&thread, c11_main, &value), thrd_success);
    cr_expect_eq(thrd_join(thread, &got), thrd_success);
    cr_expect_eq(got, 42);
    finish(1);
    cr_expect_eq(agent_count("leave thrd_exit"), 1);
    cr_expect_eq(agent_count("wait 1"), 1);
}

Test(pthread_threads, failing_create)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    cr_assert_eq(pthread_attr_setstacksize(&attr, (size_t)1 << 46), 0);
    begin();
    cr_expect_eq(pthread_create(&thread, &attr, returns, NULL), EAGAIN);
    finish(0);
    agent_expect(1, "1: cancel");
}

Test(pthread_threads, smallest_stack)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    cr_assert_eq(pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN), 0);
    begin();
    cr_assert_eq(pthread_create(&thread, &attr, returns, NULL), 0);
    pthread_join(thread, NULL);
    finish(1);
}

static void *waits_for(void *sem)
{
    sem_wait(sem);
    return NULL;
}

Test(pthread_threads, joins_that_do_not_join)
{
    const struct timespec past = {0};
    pthread_t thread;
    sem_t go;
    sem_init(&go, 0, 0);
    begin();
    pthread_create(&thread, NULL, waits_for, &go);
    cr_expect_eq(pthread_tryjoin_np(thread, NULL), EBUSY);
    cr_expect_eq(pthread_timedjoin_np(thread, NULL, &past), ETIMEDOUT);
    cr_expect_eq(pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &past), ETIMEDOUT);
    cr_expect_eq(agent_count("wait 1"), 0);
    sem_post(&go);
    while (pthread_tryjoin_np(thread, NULL) == EBUSY)
        usleep(1000); /* each try is recorded, and the fake agent's log is short */
    finish(1);
    cr_expect_eq(agent_count("wait 1"), 1);
}

static void *spins(void *ready)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (atomic_store((_Atomic int *)ready, 1);;)
        ;
    return NULL;
}

Test(pthread_threads, asynchronous_cancellation)
{
    _Atomic int ready = 0;
    pthread_t thread;
    void *value;
    begin();
    pthread_create(&thread, NULL, spins, &ready);
    while (!ready)
        sched_yield();
    pthread_cancel(thread);
    cr_expect_eq(pthread_join(thread, &value), 0);
    cr_expect_eq(value, PTHREAD_CANCELED);
    finish(1);
}

static void *cancels_itself(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cancel(pthread_self());
    return arg;
}

Test(pthread_threads, cancels_itself)
{
    pthread_t thread;
    void *value;
    begin();
    pthread_create(&thread, NULL, cancels_itself, NULL);
    cr_expect_eq(pthread_join(thread, &value), 0);
    cr_expect_eq(value, PTHREAD_CANCELED);
    finish(1);
    cr_expect_eq(agent_count("2: leave pthread_cancel"), 1);
}

static pthread_key_t key;
static pthread_mutex_t at_the_end = PTHREAD_MUTEX_INITIALIZER;

static void destroys(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&at_the_end);
    pthread_mutex_unlock(&at_the_end);
}

static void *sets_key(void *arg)
{
    pthread_setspecific(key, arg);
    return NULL;
}

Test(pthread_threads, destructors_of_the_program_are_recorded)
{
    pthread_t thread;
    pthread_key_create(&key, destroys);
    begin();
    pthread_create(&thread, NULL, sets_key, &key);
    pthread_join(thread, NULL);
    finish(1);
    cr_expect_eq(agent_count("2: leave pthread_mutex_unlock"), 1);
}

static void *names_itself(void *arg)
{
    prctl(PR_SET_NAME, "itself", 0, 0, 0);
    return waits_for(arg);
}

Test(pthread_threads, names)
{
    pthread_t thread;
    sem_t go;
    sem_init(&go, 0, 0);
    begin();
    pthread_create(&thread, NULL, names_itself, &go);
    while (agent_count("2: name itself") == 0)
        sched_yield();
    cr_expect_eq(pthread_setname_np(thread, "by another"), 0);
    cr_expect_eq(pthread_setname_np(thread, "this name is too long"), ERANGE);
    sem_post(&go);
    pthread_join(thread, NULL);
    finish(1);
    cr_expect_eq(agent_count("name of 1 by another"), 1);
    cr_expect_eq(agent_count("too long"), 0);
}

Test(pthread_threads, made_inside_a_wrapped_call)
{
    pthread_t thread;
    begin();
    struct spur_call call = {.name = "MPI_Init"};
    struct spur_loc *loc = spur_enter(&call);
    pthread_create(&thread, NULL, exits, NULL);
    pthread_join(thread, NULL);
    spur_leave(loc, &call);
    finish(0);
    cr_expect_eq(agent_lines, 3, "%d lines", agent_lines);
    agent_expect(1, "2: ignore");
}

static void *ends_after(void *main_thread)
{
    pthread_join(*(pthread_t *)main_thread, NULL);
    _exit(agent_count("1: leave pthread_exit") == 1 ? 7 : 1);
}

/* In a child, since Criterion wants its main thread back. */
Test(pthread_threads, main_thread_exits)
{
    pid_t child = fork();
    if (child == 0) {
        static pthread_t main_thread;
        pthread_t thread;
        main_thread = pthread_self();
        begin();
        pthread_create(&thread, NULL, ends_after, &main_thread);
        pthread_exit(NULL);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}
