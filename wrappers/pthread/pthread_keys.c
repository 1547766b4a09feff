/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/pthread/pthread_keys.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "wrappers/pthread/pthread_real.h"

/* The thread sanitizer's own state of a thread goes in the last round, before spur's state. */
#ifdef __SANITIZE_THREAD__
enum { ROUNDS = PTHREAD_DESTRUCTOR_ITERATIONS - 1 };
#else
enum { ROUNDS = PTHREAD_DESTRUCTOR_ITERATIONS };
#endif

static void (*at_end)(void *);
static pthread_key_t end_key;
static _Atomic bool has_end_key; /* false: the number may be the program's */
static _Atomic int setting;      /* threads that are giving the key a value */
static _Atomic int ending;       /* threads after their routine, with a destructor to come */

static __thread struct {
    bool is_watched, is_ending, has_ended;
    unsigned char rounds;
} self __attribute__((tls_model("initial-exec")));

static void end(void *arg)
{
    if (!self.has_ended) {
        self.has_ended = true;
        at_end(arg);
    }
}

/* ---- while the key is spur's ---- */

static bool set_value(void *arg)
{
    atomic_fetch_add(&setting, 1);
    bool is_set = atomic_load(&has_end_key) && pthread_setspecific(end_key, arg) == 0;
    atomic_fetch_sub(&setting, 1);
    return is_set;
}

/*
 * The key is older than the program's keys, so the destructor runs before the program's: wait for
 * the last round.
 */
static void key_ends(void *arg)
{
    if (++self.rounds < ROUNDS && set_value(arg))
        return;
    end(arg);
    if (self.is_ending)
        atomic_fetch_sub(&ending, 1);
    self.is_ending = false;
}

static void forked(void)
{
    atomic_store(&setting, 0);
    atomic_store(&ending, self.is_ending);
}

void pthread_keys_start(void (*call)(void *))
{
    at_end = call;
    pthread_atfork(NULL, NULL, forked);
    atomic_store(&has_end_key, PTHREAD_REAL(pthread_key_create)(&end_key, key_ends) == 0);
}

void pthread_keys_watch(void *arg)
{
    if (!self.is_watched)
        self.is_watched = set_value(arg);
}

/* ---- the end of the routine ---- */

static void routine_is_left(void *arg)
{
    if (!arg)
        return;
    atomic_fetch_add(&ending, 1);
    self.is_ending = self.is_watched && atomic_load(&has_end_key);
    if (self.is_ending)
        return;
    atomic_fetch_sub(&ending, 1);
    end(arg);
}

/* This file has no exceptions, so the C library jumps here and needs no matching unwinder. */
void pthread_keys_run(void (*routine)(void *), void *data, void *arg)
{
    pthread_cleanup_push(routine_is_left, arg);
    routine(data);
    pthread_cleanup_pop(1);
}

/* ---- the program's keys ---- */

/*
 * With the thread sanitizer, the sanitizer asks for keys, before the instrumentation can be used.
 */
#ifndef __SANITIZE_THREAD__
static void wait_for(_Atomic int *threads)
{
    enum { LOOKS = 10000 };
    for (int i = 0; i < LOOKS && atomic_load(threads); i++)
        syscall(SYS_sched_yield);
}

/*
 * A thread that does not come out of the program's destructors loses the record of the end: the
 * thread may be waiting for the caller. A thread about to set the value of the key would set the
 * value of a key of the program's.
 */
static bool give_up(void)
{
    if (!atomic_exchange(&has_end_key, false))
        return false;
    wait_for(&setting);
    if (atomic_load(&setting)) {
        atomic_store(&has_end_key, true);
        return false;
    }
    wait_for(&ending);
    return pthread_key_delete(end_key) == 0;
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
SPUR_EXPORT int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    int ret = PTHREAD_REAL(pthread_key_create)(key, destroy);
    if (ret == EAGAIN && give_up())
        ret = PTHREAD_REAL(pthread_key_create)(key, destroy);
    return ret;
}

SPUR_EXPORT int tss_create(tss_t *key, tss_dtor_t destroy)
{
    int ret = PTHREAD_REAL(tss_create)(key, destroy);
    if (ret == thrd_error && give_up())
        ret = PTHREAD_REAL(tss_create)(key, destroy);
    return ret;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
#endif
