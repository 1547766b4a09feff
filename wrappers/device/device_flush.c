/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times at which a runtime is asked for its records: where the program waits anyway, and now and
 * then by a thread of spur's own. So a process that is killed loses the last moments only. An end
 * of the process may come anywhere, as _exit() in a signal handler. Then spur's thread asks: the
 * ending thread may hold the runtime's locks, and must not wait for itself. The ending thread waits
 * for spur's thread as long as records come.
 *
 * Spur's thread has all signals blocked, is recorded nowhere, and sleeps while nothing is given to
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

#include "wrappers/device/device_told.h"
#include "wrappers/kit/wrapper.h"

enum { MS = 1000000, S = 1000 };
/* So much work is given, or so much time goes by, before the program's own threads ask. */
enum { FLUSH_GIVEN = 16384, FLUSH_NS = 100 * MS };
/* How often the thread asks; after so many times without anything new it sleeps. */
enum { PERIOD_MS = 500, QUIET_PERIODS = 8 };
/* How long an end waits while nothing comes: exit(), and ends that may be in a signal handler. */
enum { EXIT_MS = 10 * S, END_MS = 1 * S, MOST_MS = 60 * S };
enum { STACK_BYTES = 1 << 20 };

enum { RECORDS, ALL_RECORDS, THE_END }; /* wishes */

void device_flush_saw(struct device_flusher *f, uint64_t records)
{
    atomic_fetch_add(&f->seen, records + 1);
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

static void ring(struct device_flusher *f)
{
    atomic_fetch_add(&f->bell, 1);
    wake(&f->bell);
}

/* ---- asking ---- */

static void ask(struct device_flusher *f, bool is_last)
{
    uint64_t n = atomic_load(&f->given);
    atomic_store(&f->asked_ns, device_host_ns());
    f->flush(is_last);
    atomic_store(&f->asked_for, n);
}

void device_flush_rarely(struct device_flusher *f, bool has_waited)
{
    uint64_t n = atomic_load(&f->given) - atomic_load(&f->asked_for);
    if (!n || (!has_waited && n < FLUSH_GIVEN))
        return;
    if (n >= FLUSH_GIVEN || device_host_ns() - atomic_load(&f->asked_ns) >= FLUSH_NS)
        ask(f, false);
}

void device_flush_given(struct device_flusher *f)
{
    atomic_fetch_add(&f->given, 1);
    if (atomic_load(&f->is_asleep))
        ring(f);
}

static void ask_last(struct device_flusher *f)
{
    ask(f, true);
    device_end();
    uint64_t lost = f->lost();
    if (lost)
        spur_say("%s has lost %llu records of devices: kernels and copies are missing", f->runtime,
                 (unsigned long long)lost);
}

/* ---- the thread ---- */

/* A sum that changes when there is something new. */
static uint64_t all_there_was(struct device_flusher *f)
{
    return atomic_load(&f->given) + atomic_load(&f->seen);
}

/* Waits until somebody asks, or a period is over. */
static void wait_for_work(struct device_flusher *f, unsigned *quiet, uint64_t *before)
{
    uint32_t bell = atomic_load(&f->bell);
    uint64_t now = all_there_was(f);
    *quiet = now == *before ? *quiet + 1 : 0;
    *before = now;
    atomic_store(&f->is_asleep, *quiet > QUIET_PERIODS);
    if (atomic_load(&f->asked) == atomic_load(&f->fulfilled) && all_there_was(f) == now)
        sleep_on(&f->bell, bell, *quiet > QUIET_PERIODS ? 0 : PERIOD_MS);
    atomic_store(&f->is_asleep, false);
}

static void fulfil(struct device_flusher *f, int wish)
{
    if (wish == THE_END)
        ask_last(f);
    else
        ask(f, wish == ALL_RECORDS);
}

static void *keep_asking(void *data)
{
    struct device_flusher *f = data;
    unsigned quiet = 0;
    uint64_t before = 0;
    spur_inside_begin();
    (void)prctl(PR_SET_NAME, f->thread, 0, 0, 0);
    while (!atomic_load(&f->has_ended)) {
        wait_for_work(f, &quiet, &before);
        uint32_t asked = atomic_load(&f->asked);
        int wish = asked == atomic_load(&f->fulfilled) ? RECORDS : atomic_load(&f->wish);
        fulfil(f, wish);
        atomic_store(&f->has_ended, wish == THE_END);
        atomic_store(&f->fulfilled, asked);
        wake(&f->fulfilled);
    }
    return NULL;
}

void device_flush_start(struct device_flusher *f)
{
    const wrapper_any real = wrapper_any_at(spur_real("pthread_create", NULL));
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    atomic_store(&f->has_ended, false);
    atomic_store(&f->fulfilled, atomic_load(&f->asked));
    if (!real || pthread_attr_init(&attributes) != 0)
        return;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = ((int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                          void *))real)(&thread, &attributes, keep_asking, f);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    atomic_store(&f->is_running, error == 0);
}

/* ---- an end ---- */

/* Waits while records come, and then no longer than `patience_ms`. */
static void wait_for(struct device_flusher *f, uint32_t wish, uint64_t patience_ms)
{
    const uint64_t begin = device_host_ns();
    uint64_t news = begin, before = atomic_load(&f->seen), now = begin;
    while (now - news < patience_ms * MS && now - begin < (uint64_t)MOST_MS * MS) {
        uint32_t fulfilled = atomic_load(&f->fulfilled);
        if ((int32_t)(fulfilled - wish) >= 0)
            return;
        sleep_on(&f->fulfilled, fulfilled, (long)patience_ms / 2);
        now = device_host_ns();
        if (atomic_load(&f->seen) != before)
            news = now;
        before = atomic_load(&f->seen);
    }
}

static void ask_helper(struct device_flusher *f, int wish, uint64_t patience_ms)
{
    atomic_store(&f->wish, wish);
    uint32_t number = atomic_fetch_add(&f->asked, 1) + 1;
    ring(f);
    wait_for(f, number, patience_ms);
    if (wish == THE_END)
        atomic_store(&f->has_ended, true);
}

void device_flush_end(struct device_flusher *f, bool goes_on)
{
    if (f->may_ask() && atomic_load(&f->is_running) && !atomic_load(&f->has_ended) &&
        atomic_load(&f->given))
        ask_helper(f, goes_on ? ALL_RECORDS : THE_END, END_MS);
}

void device_flush_exit(struct device_flusher *f)
{
    int saved = errno;
    if (!f->may_ask() || atomic_load(&f->has_ended))
        return;
    spur_inside_begin();
    if (atomic_load(&f->is_running))
        ask_helper(f, THE_END, EXIT_MS);
    else
        ask_last(f);
    atomic_store(&f->has_ended, true);
    spur_inside_end();
    errno = saved;
}
