/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers. A block is counted behind the call that takes the block, and before the call that
 * gives the block back: afterwards the block may be somebody else's.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "wrappers/memory/preload/memory_count.h"
#include "wrappers/memory/preload/memory_maps.h"
#include "wrappers/memory/preload/memory_real.h"

#pragma GCC diagnostic ignored "-Wredundant-decls" /* of functions that the C library has */

#define EXPORT __attribute__((visibility("default")))

static inline memory_any real_of(enum memory_call call)
{
    memory_any real = memory_function[call].real;
    return __builtin_expect(real != NULL, 1) ? real : memory_find_late(call);
}

/*
 * Not the short way: the process has just started, or nothing is counted. False: there are no real
 * functions yet, the search is under way.
 */
static __attribute__((noinline)) bool is_passed(void)
{
    if (memory_mode == MEMORY_NEW)
        memory_find();
    return memory_mode > MEMORY_FINDING;
}

static inline bool is_counted(void)
{
    return __builtin_expect(memory_mode == MEMORY_COUNTS, 1);
}

/* SIZE_MAX: the product is too large, and no allocator has so much. */
static inline size_t memory_product(size_t n, size_t size)
{
    size_t product;
    return __builtin_mul_overflow(n, size, &product) ? SIZE_MAX : product;
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the names of C++. */
#define TAKES(name, bytes, parameters, arguments) void *name parameters;
#define GIVES(name, parameters, arguments) void name parameters;
#define NEW TAKES
#define DELETE GIVES
#define BY_HAND(name)
#define MAPS(name)
#include "wrappers/memory/preload/memory_calls.def"
#undef DELETE
#undef NEW
#undef GIVES
#undef TAKES

/* The begin of a function that takes memory: from the arena, until the real functions are known. */
#define TAKE_BEGINS(name, bytes, parameters)                                                       \
    if (!is_counted() && !is_passed())                                                             \
        return memory_arena_take(bytes);                                                           \
    void *(*const real)parameters = (void *(*)parameters)real_of(MEMORY_##name)
#define GIVE_BEGINS(name, parameters)                                                              \
    if (__builtin_expect(memory_arena_has(p), 0) || (!is_counted() && !is_passed()))               \
        return;                                                                                    \
    void(*const real) parameters = (void(*) parameters)real_of(MEMORY_##name)
#define COUNTS(name) (is_counted() && memory_function[MEMORY_##name].counts)

/* A jump to the real function, if nothing is counted. */
#define TAKES(name, bytes, parameters, arguments)                                                  \
    EXPORT void *name parameters                                                                   \
    {                                                                                              \
        TAKE_BEGINS(name, bytes, parameters);                                                      \
        if (!COUNTS(name))                                                                         \
            return real arguments;                                                                 \
        struct memory_region region = MEMORY_TAKE_REGION(MEMORY_##name, bytes, MEMORY_CALLER);     \
        void *p = real arguments;                                                                  \
        memory_region_ends(region);                                                                \
        if (__builtin_expect(p != NULL, 1))                                                        \
            memory_took(p, memory_size_of(p), region.is_large, MEMORY_CALLER);                     \
        return p;                                                                                  \
    }
#define GIVES(name, parameters, arguments)                                                         \
    EXPORT void name parameters                                                                    \
    {                                                                                              \
        GIVE_BEGINS(name, parameters);                                                             \
        if (p && COUNTS(name))                                                                     \
            memory_gave(memory_size_of(p));                                                        \
        struct memory_region region = MEMORY_GIVE_REGION(MEMORY_##name, p, NULL, MEMORY_CALLER);   \
        real arguments;                                                                            \
        memory_region_ends(region);                                                                \
    }
/*
 * An allocator's operators may work by its malloc() and free(). Such calls come to the wrappers as
 * well and are counted there; the operators of libstdc++ work so. An operator that takes memory may
 * throw, and has no region.
 */
#define NEW(name, bytes, parameters, arguments)                                                    \
    EXPORT void *name parameters                                                                   \
    {                                                                                              \
        TAKE_BEGINS(name, bytes, parameters);                                                      \
        if (!memory_kept.is_on && !COUNTS(name))                                                   \
            return real arguments;                                                                 \
        if (memory_kept.is_on)                                                                     \
            memory_operator_begins(MEMORY_CALLER);                                                 \
        const uint64_t calls = memory_mine.calls;                                                  \
        void *p = real arguments;                                                                  \
        if (memory_kept.is_on)                                                                     \
            memory_operator_ends();                                                                \
        if (p && COUNTS(name) && calls == memory_mine.calls)                                       \
            memory_took(p, memory_size_of(p), (bytes) >= memory_kept.from, MEMORY_CALLER);         \
        return p;                                                                                  \
    }
#define DELETE(name, parameters, arguments)                                                        \
    EXPORT void name parameters                                                                    \
    {                                                                                              \
        GIVE_BEGINS(name, parameters);                                                             \
        if (!COUNTS(name) && memory_may_keep(p)) {                                                 \
            memory_operator_begins(MEMORY_CALLER);                                                 \
            real arguments;                                                                        \
            memory_operator_ends();                                                                \
            return;                                                                                \
        }                                                                                          \
        if (!p || !COUNTS(name)) {                                                                 \
            real arguments;                                                                        \
            return;                                                                                \
        }                                                                                          \
        struct memory_region region = MEMORY_GIVE_REGION(MEMORY_##name, p, NULL, MEMORY_CALLER);   \
        const uint64_t calls = memory_mine.calls;                                                  \
        const size_t bytes = memory_size_of(p);                                                    \
        real arguments;                                                                            \
        memory_region_ends(region);                                                                \
        if (calls == memory_mine.calls)                                                            \
            memory_gave(bytes);                                                                    \
    }
#include "wrappers/memory/preload/memory_calls.def"
#undef COUNTS
#undef GIVE_BEGINS
#undef TAKE_BEGINS
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- by hand ---- */

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the headers' are reserved. */

/* A block of the arena moves to the allocator, if an allocator is known already. */
static void *leave_arena(const void *p, size_t size)
{
    void *to = malloc(size);
    size_t rest = memory_arena_rest(p);
    return to ? memcpy(to, p, size < rest ? size : rest) : NULL;
}

/*
 * The old block is recorded as given back before the call: afterwards the block may be somebody
 * else's.
 */
static inline void *resize(void *p, size_t size, struct memory_caller caller)
{
    if (__builtin_expect(memory_arena_has(p), 0))
        return leave_arena(p, size);
    if (!is_counted() && !is_passed())
        return memory_arena_take(size);
    void *(*const real)(void *, size_t) = (void *(*)(void *, size_t))real_of(MEMORY_realloc);
    if (!is_counted())
        return real(p, size);
    struct memory_block block = {0};
    struct memory_region taken = MEMORY_TAKE_REGION(MEMORY_realloc, size, caller);
    struct memory_region given = MEMORY_GIVE_REGION(MEMORY_realloc, p, &block, caller);
    size_t before = p ? memory_size_of(p) : 0;
    void *to = real(p, size);
    memory_region_ends(given);
    memory_region_ends(taken);
    if (to || !size)
        memory_gave(before);
    else if (block.bytes)
        memory_give_failed(p, &block);
    if (to)
        memory_took(to, memory_size_of(to), taken.is_large, caller);
    return to;
}

EXPORT void *realloc(void *p, size_t size)
{
    return resize(p, size, MEMORY_CALLER);
}

EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return resize(p, bytes, MEMORY_CALLER);
}

EXPORT int posix_memalign(void **p, size_t alignment, size_t size)
{
    if (!is_counted() && !is_passed())
        return ENOMEM;
    int (*const real)(void **, size_t, size_t) =
        (int (*)(void **, size_t, size_t))real_of(MEMORY_posix_memalign);
    if (!is_counted() || !memory_function[MEMORY_posix_memalign].counts)
        return real(p, alignment, size);
    struct memory_region region = MEMORY_TAKE_REGION(MEMORY_posix_memalign, size, MEMORY_CALLER);
    int failed = real(p, alignment, size);
    memory_region_ends(region);
    if (!failed && *p)
        memory_took(*p, memory_size_of(*p), region.is_large, MEMORY_CALLER);
    return failed;
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

/* ---- the link ---- */

__attribute__((constructor)) static void start(void)
{
    memory_find();
    memory_maps_watch();
    memory_count_start();
}

EXPORT const struct memory_counter *spur_memory_connect(const struct memory_recorder *recorder)
{
    static struct memory_counter counter = {.use_now = memory_use_now,
                                            .names = memory_names,
                                            .n = MEMORY_CALLS};
    _Static_assert(MEMORY_CALLS <= (int)MEMORY_NAMES, "libspur.so has room for all");
    start();
    counter.why_not = memory_why_not();
    memory_count_connect(counter.why_not ? NULL : recorder);
    memory_keep_connect(counter.why_not ? NULL : recorder);
    if (!recorder)
        memory_mode = MEMORY_PASSES;
    return &counter;
}
