/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/pthread/pthread_mode.h"

#include <errno.h>
#include <string.h>

#include "wrappers/kit/wrapper_complain.h"
#include "wrappers/pthread/pthread_count.h"
#include "wrappers/pthread/pthread_emit.h"

enum pthread_mode pthread_mode;
_Atomic bool pthread_is_special = true;
__thread bool pthread_is_async __attribute__((tls_model("initial-exec")));

static void look_further(void)
{
    atomic_store_explicit(&pthread_is_special, true, memory_order_relaxed);
}

static enum pthread_mode mode_of(const char *word)
{
    static const char *const words[] = {[PTHREAD_LIFETIME] = "lifetime",
                                        [PTHREAD_CONTENDED] = "contended",
                                        [PTHREAD_COUNTED] = "auto",
                                        [PTHREAD_ALL] = "all"};
    for (int mode = PTHREAD_LIFETIME; word && mode <= PTHREAD_ALL; mode++)
        if (strcmp(word, words[mode]) == 0)
            return (enum pthread_mode)mode;
    if (word)
        wrapper_complain("SPUR_PTHREAD=%.64s is not auto, all, contended or lifetime%s", word,
                         spur_is_attached() ? "" : "; using auto");
    return PTHREAD_COUNTED;
}

void pthread_mode_start(void)
{
    spur_locks_at_left_out(look_further);
    pthread_mode = spur_wraps(SPUR_FAMILY_PTHREAD) ? mode_of(spur_setting("PTHREAD")) : PTHREAD_OFF;
    if (pthread_mode == PTHREAD_COUNTED)
        pthread_count_start();
    atomic_store_explicit(&pthread_is_special, pthread_mode != PTHREAD_ALL, memory_order_relaxed);
}

void pthread_mode_async(bool is_async)
{
    pthread_is_async = is_async;
    if (is_async)
        look_further();
}

static bool is_got(int result)
{
    return result == 0 || result == EOWNERDEAD;
}

enum pthread_verdict pthread_mode_tried(int *ret, const void *lock, int got)
{
    if (!is_got(got))
        return PTHREAD_RECORDS;
    *ret = got;
    pthread_emit_skipped(lock);
    return PTHREAD_IS_DONE;
}

enum pthread_verdict pthread_mode_tries(int *ret, const void *lock, int got)
{
    *ret = got;
    if (is_got(got))
        pthread_emit_skipped(lock);
    return PTHREAD_IS_DONE;
}

/* A library may hold what it has acquired before it was left out. */
enum pthread_verdict pthread_mode_held(enum pthread_mode mode, const void *lock)
{
    if (mode == PTHREAD_ALL)
        return PTHREAD_RECORDS;
    if (mode == PTHREAD_LIFETIME)
        return PTHREAD_PASSES;
    return pthread_emit_is_held(lock) ? PTHREAD_RECORDS : PTHREAD_PASSES;
}

enum pthread_verdict pthread_mode_remade(enum pthread_mode mode, const void *object)
{
    if (mode == PTHREAD_CONTENDED || mode < pthread_mode)
        pthread_emit_forgotten(0, object);
    return pthread_records_from(mode, PTHREAD_ALL);
}

bool pthread_mode_is_time(clockid_t clock, const struct timespec *until)
{
    enum { SECOND_NS = 1000000000 };
    return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && until && until->tv_nsec >= 0 &&
           until->tv_nsec < SECOND_NS;
}
