/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions in front of OpenCL's functions, for loaders that take no layers. The first call decides
 * for the process: if the loader has taken the layer, each function is a jump to the loader's
 * function from then on, else to the layer's. So no call comes to the layer by two ways.
 */
#include <dlfcn.h>
#include <errno.h>

#include "wrappers/opencl/opencl.h"
#include "wrappers/opencl/opencl_api.h"

#define PLAIN(name, group, type, ...) type name(WRAPPER_PARAMS(name, __VA_ARGS__));
#define PLAIN_VOID(name, group, ...) void name(WRAPPER_PARAMS(name, __VA_ARGS__));
#define MEANT(name, group, type, ...) type name(WRAPPER_PARAMS(name, __VA_ARGS__));
#define ENQUEUE(name, work, ...) int32_t name(WRAPPER_PARAMS(name, __VA_ARGS__));
#define MAP(name, work, ...) void *name(WRAPPER_PARAMS(name, __VA_ARGS__));
#include "wrappers/opencl/opencl_calls.def"

static const char *const names[OPENCL_CALLS] = {
#define OTHER(name) [OPENCL_##name] = #name,
#include "wrappers/opencl/opencl_calls.def"
};

/* The target of the jump of each function; NULL: not known yet. */
static _Atomic wrapper_any target[OPENCL_CALLS];

/* ---- the loader's functions ---- */

static wrapper_any find(enum opencl_call call, const void *caller)
{
    struct wrapper_function function = {.call = {.name = names[call]}};
    return wrapper_find_for(&function, caller);
}

/* ---- the decision ---- */

/* A loader that takes layers opens the layers when asked for platforms. */
static __attribute__((noinline)) void let_layers_in(const void *caller)
{
    const wrapper_any ask = find(OPENCL_clGetPlatformIDs, caller);
    uint32_t n = 0;
    if (ask)
        (void)((__typeof__(&clGetPlatformIDs))ask)(0, NULL, &n);
}

static void decide(const void *caller)
{
    spur_inside_begin();
    let_layers_in(caller);
    if (opencl_comes(OPENCL_UNDECIDED, OPENCL_DECIDING)) {
        for (int i = 0; i < OPENCL_CALLS; i++)
            opencl_next[i] = find((enum opencl_call)i, caller);
        (void)opencl_comes(OPENCL_DECIDING, OPENCL_BY_STANDS);
    }
    spur_inside_end();
}

/* As if there were no device. A program that was linked with OpenCL finds OpenCL. */
static int32_t missing(void)
{
    return OPENCL_PLATFORM_NOT_FOUND;
}

static void *missing_pointer(void)
{
    return NULL;
}

#define IS_POINTER(type) _Generic((type)0, void * : true, default : false)
static const bool gives_pointer[OPENCL_CALLS] = {
#define PLAIN(name, group, type, ...) [OPENCL_##name] = IS_POINTER(type),
#define MEANT(name, group, type, ...) [OPENCL_##name] = IS_POINTER(type),
#define MAP(name, ...) [OPENCL_##name] = true,
#include "wrappers/opencl/opencl_calls.def"
};

/*
 * The present target of a function. Calls by the agent, and calls within recorded calls, decide
 * nothing.
 */
static wrapper_any settle_jump(enum opencl_call call, const void *caller)
{
    const int saved = errno;
    const wrapper_any real = find(call, caller);
    if (real && !spur_inside() && opencl_way() == OPENCL_UNDECIDED)
        decide(caller);
    const enum opencl_way way = opencl_way();
    wrapper_any jump = real;
    if (real && way == OPENCL_BY_STANDS && opencl_next[call])
        jump = opencl_wrappers[call];
    if (real && way != OPENCL_UNDECIDED && way != OPENCL_DECIDING)
        atomic_store(&target[call], jump);
    errno = saved;
    return jump ? jump : gives_pointer[call] ? (wrapper_any)missing_pointer : (wrapper_any)missing;
}

/* ---- the functions ---- */

/* The first calls. In functions of their own, so that the jump saves no registers. */
#define FIRST_PARAMS(name, ...) const void *caller OTF2_SEQ(FIRST_PARAM, name, "", __VA_ARGS__)
#define FIRST_PARAM(Row, type, name) , type name
#define MORE_ARGUMENT(Row, type, name) , name

#define TARGET(name) atomic_load_explicit(&target[OPENCL_##name], memory_order_relaxed)
#define STAND(name, type, ...)                                                                     \
    static __attribute__((noinline)) type first_##name(FIRST_PARAMS(name, __VA_ARGS__))            \
    {                                                                                              \
        const wrapper_any jump = settle_jump(OPENCL_##name, caller);                               \
        return ((__typeof__(&name))jump)(WRAPPER_ARGS(name, __VA_ARGS__));                         \
    }                                                                                              \
    SPUR_EXPORT type name(WRAPPER_PARAMS(name, __VA_ARGS__))                                       \
    {                                                                                              \
        const wrapper_any jump = TARGET(name);                                                     \
        if (__builtin_expect(jump != NULL, 1))                                                     \
            return ((__typeof__(&name))jump)(WRAPPER_ARGS(name, __VA_ARGS__));                     \
        return first_##name(__builtin_return_address(0)                                            \
                                OTF2_SEQ(MORE_ARGUMENT, name, "", __VA_ARGS__));                   \
    }
#define PLAIN(name, group, type, ...) STAND(name, type, __VA_ARGS__)
#define MEANT(name, group, type, ...) STAND(name, type, __VA_ARGS__)
#define ENQUEUE(name, work, ...) STAND(name, int32_t, __VA_ARGS__)
#define MAP(name, work, ...) STAND(name, void *, __VA_ARGS__)
#define PLAIN_VOID(name, group, ...)                                                               \
    static __attribute__((noinline)) void first_##name(FIRST_PARAMS(name, __VA_ARGS__))            \
    {                                                                                              \
        const wrapper_any jump = settle_jump(OPENCL_##name, caller);                               \
        ((__typeof__(&name))jump)(WRAPPER_ARGS(name, __VA_ARGS__));                                \
    }                                                                                              \
    SPUR_EXPORT void name(WRAPPER_PARAMS(name, __VA_ARGS__))                                       \
    {                                                                                              \
        const wrapper_any jump = TARGET(name);                                                     \
        if (__builtin_expect(jump != NULL, 1))                                                     \
            ((__typeof__(&name))jump)(WRAPPER_ARGS(name, __VA_ARGS__));                            \
        else                                                                                       \
            first_##name(__builtin_return_address(0)                                               \
                             OTF2_SEQ(MORE_ARGUMENT, name, "", __VA_ARGS__));                      \
    }
#include "wrappers/opencl/opencl_calls.def"
