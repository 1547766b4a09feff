/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that uses CUPTI itself, like PyTorch's profiler. CUPTI serves one client at a time, and
 * the program comes first: spur takes its last records from CUPTI, and gives CUPTI up, before the
 * program's call goes on. If CUPTI hands over a buffer of spur's still later, the buffer is not the
 * program's.
 *
 * The functions here stand in front of CUPTI's. A program is not seen if the program looks up the
 * functions in CUPTI's library by dlsym(), or has CUPTI linked in.
 */
#include <errno.h>

#include "wrappers/cuda/cuda.h"

static struct wrapper_function functions[] = {
#define TAKEN(name_, ...) {.call = {.name = #name_}},
#define TAKEN_HERE TAKEN
#define ENDED TAKEN
#include "wrappers/cuda/cupti_taken.def"
};

enum {
#define TAKEN(name, ...) FUNCTION_##name,
#define TAKEN_HERE TAKEN
#define ENDED TAKEN
#include "wrappers/cuda/cupti_taken.def"
};

/* The callbacks that the program has given to CUPTI. */
static struct {
    _Atomic(cupti_request *) request;
    _Atomic(cupti_complete *) complete;
} programs;

static int refused(void)
{
    return CUPTI_OTHER_SUBSCRIBER;
}

static int missing(void)
{
    return CUPTI_NOT_THERE;
}

static int nothing(void)
{
    return CUPTI_OK;
}

static wrapper_any find_end(int function, const void *caller)
{
    wrapper_any real =
        cuda_may_ask() ? (wrapper_any)nothing : wrapper_real_for(&functions[function], caller);
    return real ? real : (wrapper_any)missing;
}

/* The real function, or a function that takes no arguments and fails. */
static wrapper_any take(int function, const void *caller)
{
    struct wrapper_function *called = &functions[function];
    if (!cuda_give_up(called->call.name))
        return (wrapper_any)refused;
    wrapper_any real = wrapper_real_for(called, caller);
    return real ? real : (wrapper_any)missing;
}

#define DECLARED(name, ...) int name(WRAPPER_PARAMS(name, __VA_ARGS__));
#define TAKEN DECLARED
#define TAKEN_HERE DECLARED
#define ENDED DECLARED
#include "wrappers/cuda/cupti_taken.def"

#define FRONT(find, name, ...)                                                                     \
    SPUR_EXPORT int name(WRAPPER_PARAMS(name, __VA_ARGS__))                                        \
    {                                                                                              \
        wrapper_any real = find(FUNCTION_##name, __builtin_return_address(0));                     \
        return ((__typeof__(&name))real)(WRAPPER_ARGS(name, __VA_ARGS__));                         \
    }
#define TAKEN(...) FRONT(take, __VA_ARGS__)
#define ENDED(...) FRONT(find_end, __VA_ARGS__)
#include "wrappers/cuda/cupti_taken.def"

/* Copies late records from a buffer of spur's into a buffer of the program's. */
static void copy(void *context, uint32_t stream, const uint8_t *from, size_t valid)
{
    uint8_t *buffer = NULL;
    size_t bytes = 0, most = 0;
    atomic_load (&programs.request)(&buffer, &bytes, &most);
    if (buffer && valid <= bytes)
        memcpy(buffer, from, valid);
    if (buffer)
        atomic_load (&programs.complete)(context, stream, buffer, bytes,
                                         valid <= bytes ? valid : 0);
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
    if (!cuda_is_own_buffer(buffer)) {
        atomic_load (&programs.complete)(context, stream, buffer, bytes, valid);
        return;
    }
    if (buffer && valid)
        copy(context, stream, buffer, valid);
    cuda_on_complete(context, stream, buffer, bytes, valid);
}

SPUR_EXPORT int cuptiActivityRegisterCallbacks(cupti_request *request, cupti_complete *to)
{
    wrapper_any real = take(FUNCTION_cuptiActivityRegisterCallbacks, __builtin_return_address(0));
    if (request && to && cuda_has_own_buffers()) {
        atomic_store(&programs.request, request);
        atomic_store(&programs.complete, to);
        to = complete;
    }
    return ((__typeof__(&cuptiActivityRegisterCallbacks))real)(request, to);
}
