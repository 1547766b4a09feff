/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When CUPTI is asked for its records: where the program waits anyway, and now and then by a thread
 * of spur's own, so that a process that is killed loses the last moments only. At an end of the
 * process that may come anywhere, as _exit() in a signal handler, that thread asks: the one that
 * ends may hold CUPTI's locks, and must not wait for itself. It waits for the other thread as long
 * as that goes on.
 *
 * The thread has all signals blocked, is recorded nowhere, and sleeps while nothing is given to
 * devices.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wrappers/cuda/cuda.h"

enum { MS = 1000000, S = 1000 };
/* So much is given, or so much time goes by, before the program's own threads ask. */
enum { FLUSH_GIVEN = 16384, FLUSH_NS = 100 * MS };
/* How often the thread asks; after so many times without anything new it sleeps. */
enum { PERIOD_MS = 500, QUIET_PERIODS = 8 };
/* How long an end waits while nothing comes: exit(), and those that may be in a signal handler. */
enum { EXIT_MS = 10 * S, END_MS = 1 * S, MOST_MS = 60 * S };
enum { STACK_BYTES = 1 << 20 };

enum wish { RECORDS, ALL_RECORDS, THE_END };

static struct {
    _Atomic bool is_running, is_asleep, has_ended;
    _Atomic uint32_t bell;             /* changes when there is something to do */
    _Atomic uint32_t asked, fulfilled; /* numbers of wishes; the last one counts */
    _Atomic enum wish wish;
} helper;

static _Atomic uint64_t given, asked_for, asked_ns; /* works: all, and those that were asked for */
static _Atomic uint64_t seen;                       /* records and buffers */

void cuda_flush_saw(uint64_t records)
{
    atomic_fetch_add(&seen, records + 1);
}

/* ---- sleeping ---- */

/* Until the word has another value, or so long; 0: without an end. */
static void sleep_on(_Atomic uint32_t *word, uint32_t value, long ms)
{
    const struct timespec time = {ms / S, ms % S * MS};
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ms ? &time : NULL, NULL, 0);
}

static void wake(_Atomic uint32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static void ring(void)
{
    atomic_fetch_add(&helper.bell, 1);
    wake(&helper.bell);
}

/* ---- asking ---- */

static void ask(bool is_last)
{
    uint64_t n = atomic_load(&given);
    atomic_store(&asked_ns, device_host_ns());
    cuda_flush(is_last);
    atomic_store(&asked_for, n);
}

void cuda_flush_rarely(bool has_waited)
{
    uint64_t n = atomic_load(&given) - atomic_load(&asked_for);
    if (!n || (!has_waited && n < FLUSH_GIVEN))
        return;
    if (n >= FLUSH_GIVEN || device_host_ns() - atomic_load(&asked_ns) >= FLUSH_NS)
        ask(false);
}

void cuda_flush_given(void)
{
    atomic_fetch_add(&given, 1);
    if (atomic_load(&helper.is_asleep))
        ring();
}

static void ask_last(void)
{
    ask(true);
    device_end();
    uint64_t lost = cuda_records_lost();
    if (lost)
        spur_say("CUPTI has lost %llu records of devices: kernels and copies are missing",
                 (unsigned long long)lost);
}

/* ---- the thread ---- */

/* What changes when there is something new. */
static uint64_t all_there_was(void)
{
    return atomic_load(&given) + atomic_load(&seen);
}

/* Until it is asked, or a period is over. */
static void wait_for_work(unsigned *quiet, uint64_t *before)
{
    uint32_t bell = atomic_load(&helper.bell);
    uint64_t now = all_there_was();
    *quiet = now == *before ? *quiet + 1 : 0;
    *before = now;
    atomic_store(&helper.is_asleep, *quiet > QUIET_PERIODS);
    if (atomic_load(&helper.asked) == atomic_load(&helper.fulfilled) && all_there_was() == now)
        sleep_on(&helper.bell, bell, *quiet > QUIET_PERIODS ? 0 : PERIOD_MS);
    atomic_store(&helper.is_asleep, false);
}

static void fulfil(enum wish wish)
{
    if (wish == THE_END)
        ask_last();
    else
        ask(wish == ALL_RECORDS);
}

static void *keep_asking(void *unused)
{
    unsigned quiet = 0;
    uint64_t before = 0;
    spur_inside_begin();
    (void)prctl(PR_SET_NAME, "spur-cuda", 0, 0, 0);
    while (!atomic_load(&helper.has_ended)) {
        wait_for_work(&quiet, &before);
        uint32_t asked = atomic_load(&helper.asked);
        enum wish wish =
            asked == atomic_load(&helper.fulfilled) ? RECORDS : atomic_load(&helper.wish);
        fulfil(wish);
        atomic_store(&helper.has_ended, wish == THE_END);
        atomic_store(&helper.fulfilled, asked);
        wake(&helper.fulfilled);
    }
    return unused;
}

void cuda_flush_start(void)
{
    const wrapper_any real = wrapper_any_at(spur_real("pthread_create", NULL));
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    atomic_store(&helper.has_ended, false);
    atomic_store(&helper.fulfilled, atomic_load(&helper.asked));
    if (!real || pthread_attr_init(&attributes) != 0)
        return;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = ((int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                          void *))real)(&thread, &attributes, keep_asking, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    atomic_store(&helper.is_running, error == 0);
}

/* ---- an end ---- */

/* Waits while records come, and then no longer than that. */
static void wait_for(uint32_t wish, uint64_t patience_ms)
{
    const uint64_t begin = device_host_ns();
    uint64_t news = begin, before = atomic_load(&seen), now = begin;
    while (now - news < patience_ms * MS && now - begin < (uint64_t)MOST_MS * MS) {
        uint32_t fulfilled = atomic_load(&helper.fulfilled);
        if ((int32_t)(fulfilled - wish) >= 0)
            return;
        sleep_on(&helper.fulfilled, fulfilled, (long)patience_ms / 2);
        now = device_host_ns();
        if (atomic_load(&seen) != before)
            news = now;
        before = atomic_load(&seen);
    }
}

static void ask_helper(enum wish wish, uint64_t patience_ms)
{
    atomic_store(&helper.wish, wish);
    uint32_t number = atomic_fetch_add(&helper.asked, 1) + 1;
    ring();
    wait_for(number, patience_ms);
    if (wish == THE_END)
        atomic_store(&helper.has_ended, true);
}

void cuda_flush_end(bool goes_on)
{
    if (cuda_may_ask() && atomic_load(&helper.is_running) && !atomic_load(&helper.has_ended) &&
        atomic_load(&given))
        ask_helper(goes_on ? ALL_RECORDS : THE_END, END_MS);
}

void cuda_flush_exit(void)
{
    int saved = errno;
    if (!cuda_may_ask() || atomic_load(&helper.has_ended))
        return;
    spur_inside_begin();
    if (atomic_load(&helper.is_running))
        ask_helper(THE_END, EXIT_MS);
    else
        ask_last();
    atomic_store(&helper.has_ended, true);
    spur_inside_end();
    errno = saved;
}
