/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel regions of libgomp. The compiler has put the body into a function, and each member of
 * the team calls the function with the same data. The runtime is given a function of spur's
 * instead. Spur's function tells the records that the member begins and ends, and calls the
 * program's function in between.
 */
#include <string.h>

#include "wrappers/openmp/gomp_library.h"
#include "wrappers/openmp/gomp_words.h"
#include "wrappers/openmp/ompt_thread.h"
#include "wrappers/openmp/openmp_records.h"

struct region {
    void *first_word; /* libgomp looks for reductions where the program's data has them */
    void (*body)(void *);
    void *data;
    enum openmp_kind inside; /* the members' first construct, OPENMP_PARALLEL: no construct */
    struct openmp_parallel parallel;
    struct openmp_task first; /* implicit task of the encountering thread */
    struct region *outer;     /* begun earlier by the same thread: of the two-part form */
};

static uint32_t thread_number(void)
{
    return (uint32_t)((int (*)(void))gomp_real(ID_omp_get_thread_num, NULL))();
}

static uint32_t requested(gomp_word threads)
{
    uint32_t n = (uint32_t)threads;
    return n ? n : (uint32_t)((int (*)(void))gomp_real(ID_omp_get_max_threads, NULL))();
}

/* The function that the runtime calls in place of the program's function. */
GOMP_CALLS_BODIES static void member(void *argument)
{
    struct region *region = argument;
    struct openmp_task implicit;
    uint32_t index = thread_number();
    struct openmp_task *task = index ? &implicit : &region->first;
    openmp_member_begin(task, &region->parallel, index);
    if (region->inside != OPENMP_PARALLEL)
        openmp_enter(region->inside, region->parallel.address);
    region->body(region->data);
    /*
     * The encountering thread goes on to wait for the team. For all other members the wait cannot
     * be seen.
     */
    if (index)
        openmp_member_end(task);
    else
        openmp_member_waits();
}

static void region_begin(struct region *region, gomp_word body, gomp_word data, gomp_word threads,
                         enum openmp_kind inside, const void *address)
{
    region->first_word = NULL;
    region->body = (void (*)(void *))body;
    region->data = (void *)data;
    region->inside = inside;
    region->first = (struct openmp_task){0};
    openmp_parallel_begin(&region->parallel, spur_place_of(body, gomp_place(address)),
                          requested(threads));
}

static void region_end(struct region *region)
{
    openmp_parallel_end_of(&region->parallel, &region->first);
}

/*
 * Called before a call goes on, if spur does not tell of the call. Without a runtime there is a
 * single thread. Another runtime tells where the call came from. So nothing may come after the real
 * call: the compiler then makes a jump, and the wrapper's frame has no locals to be seen.
 */
static void pass(enum gomp_id id, gomp_word body, gomp_word data, const void *address)
{
    if (gomp_is_missing(id))
        ((void (*)(void *))body)((void *)data);
    else
        gomp_is_another = true;
    ompt_calls(address, body);
}

#define GOMP_CALL(...)
#define GOMP_HAND(name)
#define GOMP_PARALLEL(name, n, inside)                                                             \
    static __attribute__((noinline))                                                               \
    gomp_word tell_##name(GOMP_PARAMS(n), gomp_word (*real)(GOMP_PARAMS(n)), const void *address)  \
    {                                                                                              \
        struct region region;                                                                      \
        region_begin(&region, w1, w2, w3, OPENMP_##inside, address);                               \
        gomp_word ret = real((gomp_word)member, (gomp_word)&region, w3 GOMP_MORE(n));              \
        region_end(&region);                                                                       \
        return ret;                                                                                \
    }                                                                                              \
    SPUR_EXPORT gomp_word name(GOMP_PARAMS(n));                                                    \
    SPUR_EXPORT gomp_word name(GOMP_PARAMS(n))                                                     \
    {                                                                                              \
        const void *address = __builtin_return_address(0);                                         \
        gomp_word (*real)(GOMP_PARAMS(n)) = GOMP_REAL(name, n, address);                           \
        if (gomp_is_told(ID_##name))                                                               \
            return tell_##name(GOMP_ARGS(n), real, address);                                       \
        pass(ID_##name, w1, w2, address);                                                          \
        return real(GOMP_ARGS(n));                                                                 \
    }
#define GOMP_PARALLEL_START(...)
#include "wrappers/openmp/gomp_calls.def"
#undef GOMP_PARALLEL_START
#undef GOMP_PARALLEL

static __attribute__((noinline)) gomp_word
tell_reductions(GOMP_PARAMS(4), gomp_word (*real)(GOMP_PARAMS(4)), const void *address)
{
    struct region region;
    region_begin(&region, w1, w2, w3, OPENMP_PARALLEL, address);
    memcpy(&region.first_word, (const void *)w2, sizeof region.first_word);
    gomp_word ret = real((gomp_word)member, (gomp_word)&region, w3, w4);
    region_end(&region);
    return ret;
}

SPUR_EXPORT gomp_word GOMP_parallel_reductions(GOMP_PARAMS(4));
SPUR_EXPORT gomp_word GOMP_parallel_reductions(GOMP_PARAMS(4))
{
    const void *address = __builtin_return_address(0);
    gomp_word (*real)(GOMP_PARAMS(4)) = GOMP_REAL(GOMP_parallel_reductions, 4, address);
    if (gomp_is_told(ID_GOMP_parallel_reductions))
        return tell_reductions(GOMP_ARGS(4), real, address);
    ompt_calls(address, w1);
    return real(GOMP_ARGS(4));
}

/* ---- in two parts ---- */

/* The thread's regions in two parts, innermost first. */
static __thread struct region *begun __attribute__((tls_model("initial-exec")));

static struct region *start(gomp_word body, gomp_word data, gomp_word threads,
                            enum openmp_kind inside, const void *address)
{
    struct region *region = spur_mem_new(sizeof *region);
    if (!region)
        return NULL;
    region_begin(region, body, data, threads, inside, address);
    region->outer = begun;
    begun = region;
    return region;
}

/*
 * The encountering thread returns to the program, and the program calls the function as the first
 * member.
 */
static void started(struct region *region)
{
    openmp_member_begin(&region->first, &region->parallel, 0);
    if (region->inside != OPENMP_PARALLEL)
        openmp_enter(region->inside, region->parallel.address);
}

#define GOMP_PARALLEL(...)
#define GOMP_PARALLEL_START(name, n, inside)                                                       \
    SPUR_EXPORT gomp_word name(GOMP_PARAMS(n));                                                    \
    SPUR_EXPORT gomp_word name(GOMP_PARAMS(n))                                                     \
    {                                                                                              \
        const void *address = __builtin_return_address(0);                                         \
        gomp_word (*real)(GOMP_PARAMS(n)) = GOMP_REAL(name, n, address);                           \
        struct region *region =                                                                    \
            gomp_is_told(ID_##name) ? start(w1, w2, w3, OPENMP_##inside, address) : NULL;          \
        if (!region) {                                                                             \
            ompt_calls(address, w1);                                                               \
            return real(GOMP_ARGS(n));                                                             \
        }                                                                                          \
        gomp_word ret = real((gomp_word)member, (gomp_word)region, w3 GOMP_MORE(n));               \
        started(region);                                                                           \
        return ret;                                                                                \
    }
#include "wrappers/openmp/gomp_calls.def"

SPUR_EXPORT gomp_word GOMP_parallel_end(void);
SPUR_EXPORT gomp_word GOMP_parallel_end(void)
{
    gomp_word (*real)(void) = GOMP_REAL(GOMP_parallel_end, 0, __builtin_return_address(0));
    struct region *region = begun;
    if (!gomp_is_told(ID_GOMP_parallel_end) || !region)
        return real();
    openmp_member_waits();
    gomp_word ret = real();
    begun = region->outer;
    region_end(region);
    spur_mem_free(region, sizeof *region);
    return ret;
}
