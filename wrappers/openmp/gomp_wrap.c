/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of libgomp's functions that run no code of the program: gomp_calls.def has it all.
 */
#include "wrappers/openmp/gomp_library.h"
#include "wrappers/openmp/gomp_words.h"
#include "wrappers/openmp/ompt_thread.h"
#include "wrappers/openmp/openmp_records.h"

/* What stands for critical sections without a name, and for atomic constructs: one lock each. */
static const char unnamed_critical, every_atomic;

/*
 * The runtime is not told where a single construct ends. It is left when its thread begins what
 * cannot stand within it.
 */
static void work_begins(enum openmp_kind kind, const void *address)
{
    if (openmp_is_in(OPENMP_SINGLE))
        openmp_leave(OPENMP_SINGLE);
    openmp_enter(kind, address);
}

static void work_ends(enum openmp_kind kind, const void *address)
{
    openmp_leave(kind);
    openmp_enter(OPENMP_IMPLICIT_BARRIER, address);
}

/* The meanings that rows may name. */
#define NOTHING (void)0
#define ENTERS(KIND) openmp_enter(OPENMP_##KIND, address)
/* Also releases the lock of its mutual exclusion. */
#define LEAVES(KIND) openmp_leave(OPENMP_##KIND)
#define LEAVES_UNLESS(is_chosen, KIND)                                                             \
    if (!(is_chosen))                                                                              \
    openmp_leave(OPENMP_##KIND)
/* Worksharing, and barriers: what ends a single construct. */
#define WORKSHARES(KIND) work_begins(OPENMP_##KIND, address)
#define ENDS_WORK(KIND) work_ends(OPENMP_##KIND, address)
/* libomp's function may call what is wrapped in ompt_mutex.c: the guard is up. */
#define RELEASES_FIRST(KIND, call)                                                                 \
    if (ompt_is_heard) {                                                                           \
        openmp_leave(OPENMP_##KIND);                                                               \
        spur_inside_begin();                                                                       \
        gomp_word ret = call;                                                                      \
        spur_inside_end();                                                                         \
        return ret;                                                                                \
    }
#define EXCLUDES(KIND, lock) openmp_excludes(OPENMP_##KIND, address, lock)
#define ACQUIRES(KIND, lock) openmp_acquired(OPENMP_##KIND, lock)

#define GOMP_PARALLEL(...)
#define GOMP_PARALLEL_START(...)
#define GOMP_HAND(name)
#define WRAPPER(name, n, unheard, before, after)                                                   \
    SPUR_EXPORT gomp_word name(GOMP_PARAMS(n));                                                    \
    SPUR_EXPORT gomp_word name(GOMP_PARAMS(n))                                                     \
    {                                                                                              \
        const void *address = __builtin_return_address(0);                                         \
        gomp_word (*real)(GOMP_PARAMS(n)) = GOMP_REAL(name, n, address);                           \
        if (!gomp_is_told(ID_##name)) {                                                            \
            unheard;                                                                               \
            return real(GOMP_ARGS(n));                                                             \
        }                                                                                          \
        address = gomp_place(address);                                                             \
        before;                                                                                    \
        gomp_word ret = real(GOMP_ARGS(n));                                                        \
        after;                                                                                     \
        return ret;                                                                                \
    }
#define GOMP_CALL(name, n, before, after) WRAPPER(name, n, NOTHING, before, after)
#define GOMP_RUNS(name, n, KIND, body)                                                             \
    WRAPPER(name, n, ompt_calls(address, body),                                                    \
            openmp_enter(OPENMP_##KIND, spur_place_of(body, address)), LEAVES(KIND))
#define GOMP_EXCLUDES(name, n, KIND, lock)                                                         \
    WRAPPER(name, n, ompt_excludes(), EXCLUDES(KIND, lock), ACQUIRES(KIND, lock))
#define GOMP_RELEASES(name, n, KIND)                                                               \
    WRAPPER(name, n, RELEASES_FIRST(KIND, real(GOMP_ARGS(n))), LEAVES(KIND), NOTHING)
#include "wrappers/openmp/gomp_calls.def"
