/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mutual exclusion by critical, atomic and ordered. Locks of the program's own are wrapped
 * functions.
 *
 * OMPT reports the wait of a thread, and the acquisition. Ends are the runtime's functions, wrapped
 * (ompt_callbacks.def has the reason). So a release is recorded before the release happens: no
 * thread has the lock earlier. The functions that begin an exclusion are wrapped as well: then spur
 * knows that the end of the exclusion will be seen. For the remaining exclusions (within the
 * runtime's own functions for atomic of certain types, or in a program that contains the runtime)
 * only the wait is recorded.
 */
#include "wrappers/openmp/gomp_library.h"
#include "wrappers/openmp/gomp_words.h"
#include "wrappers/openmp/ompt_handlers.h"
#include "wrappers/openmp/ompt_thread.h"

static unsigned region_of(int kind)
{
    static const uint8_t regions[OMPT_MUTEXES] = {
        [OMPT_MUTEX_CRITICAL] = OPENMP_CRITICAL,
        [OMPT_MUTEX_ATOMIC] = OPENMP_ATOMIC,
        [OMPT_MUTEX_ORDERED] = OPENMP_ORDERED,
    };
    if (kind >= OMPT_MUTEX_LOCK && kind < OMPT_MUTEX_CRITICAL)
        return OPENMP_KINDS;
    return kind >= OMPT_MUTEX_CRITICAL && kind < OMPT_MUTEXES ? regions[kind]
                                                              : ompt_numbered("mutex", kind);
}

void ompt_on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t mutex,
                           const void *code)
{
    (void)hint;
    (void)implementation;
    unsigned region = region_of(kind);
    if (region != OPENMP_KINDS)
        openmp_excludes(region, ompt_place(code, false), (const void *)(uintptr_t)mutex);
}

void ompt_on_mutex_acquired(int kind, uint64_t mutex, const void *code)
{
    (void)code;
    unsigned region = region_of(kind);
    if (region == OPENMP_KINDS)
        return;
    openmp_acquired(region, (const void *)(uintptr_t)mutex);
    if (!ompt_thread.is_excluding)
        openmp_leave(region);
    ompt_thread.is_excluding = false;
}

/*
 * The runtime's function tells the origin of its call, so the wrapper jumps there: see
 * gomp_parallel.c.
 */
#define KMPC_CALL(name, n, before)                                                                 \
    SPUR_EXPORT gomp_word name(GOMP_PARAMS(n));                                                    \
    SPUR_EXPORT gomp_word name(GOMP_PARAMS(n))                                                     \
    {                                                                                              \
        gomp_word (*real)(GOMP_PARAMS(n)) = GOMP_REAL(name, n, __builtin_return_address(0));       \
        before;                                                                                    \
        return real(GOMP_ARGS(n));                                                                 \
    }
#define KMPC_EXCLUDES(name, n) KMPC_CALL(name, n, ompt_excludes())
#define KMPC_RELEASES(name, n, KIND)                                                               \
    KMPC_CALL(name, n, if (ompt_is_heard) openmp_leave(OPENMP_##KIND))
#define KMPC_BEGINS(name, n) KMPC_CALL(name, n, ompt_calls_outside(__builtin_return_address(0)))
#include "wrappers/openmp/kmpc_calls.def"

void ompt_mutex_start(const void *runtime)
{
    static const enum gomp_id ids[] = {
#define KMPC_NAME(name) ID_##name,
#include "wrappers/openmp/kmpc_calls.def"
    };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        (void)gomp_real(ids[i], runtime);
    ompt_is_heard = true;
}
