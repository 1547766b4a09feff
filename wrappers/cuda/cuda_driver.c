/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions in front of the driver's functions. A program that is linked with the driver calls the
 * functions here. The runtime finds cuGetProcAddress() by its name, and asks cuGetProcAddress() for
 * all other functions. Each function is one jump, to the driver's function or to a recording
 * function. While CUPTI tells of calls, the jump leads to the driver's function; and a look-up
 * finds the driver's function, too.
 */
#include <dlfcn.h>
#include <errno.h>

#include "wrappers/cuda/cuda_driver.h"

enum driver_call {
#define PLAIN(symbol, ...) CALL_##symbol,
#include "wrappers/cuda/driver_calls.def"
    DRIVER_CALLS
};

enum { GETTER, GETTER_2, GETTERS };

static const char *const symbols[DRIVER_CALLS] = {
#define PLAIN(symbol, ...) [CALL_##symbol] = #symbol,
#include "wrappers/cuda/driver_calls.def"
};

static const char *const getters[GETTERS] = {"cuGetProcAddress", "cuGetProcAddress_v2"};

/* The driver's functions; NULL: not looked up. */
static _Atomic wrapper_any next[DRIVER_CALLS], next_getter[GETTERS];

#define PLAIN(symbol, base, since, per_thread, group, ...)                                         \
    int symbol(WRAPPER_PARAMS(symbol, __VA_ARGS__));                                               \
    static int recorded_##symbol(WRAPPER_PARAMS(symbol, __VA_ARGS__));
#include "wrappers/cuda/driver_calls.def"

/*
 * The recording functions. Where nothing is recorded, a recording function makes the driver's
 * function the next target.
 */
static const wrapper_any recording[DRIVER_CALLS] = {
#define PLAIN(symbol, ...) [CALL_##symbol] = (wrapper_any)recorded_##symbol,
#include "wrappers/cuda/driver_calls.def"
};

/* The target of the jump of each function. */
static _Atomic wrapper_any target[DRIVER_CALLS] = {
#define PLAIN(symbol, ...) [CALL_##symbol] = (wrapper_any)recorded_##symbol,
#include "wrappers/cuda/driver_calls.def"
};

/* ---- the mode ---- */

_Atomic int cuda_driver_mode;
static _Atomic uint32_t started_in;

static inline bool is_on(void)
{
    return atomic_load(&cuda_driver_mode) != CUDA_DRIVER_OFF;
}

void cuda_driver_start(enum cuda_driver_mode mode)
{
    if (mode == CUDA_DRIVER_PAIRS && !cuda_pairs_start())
        mode = CUDA_DRIVER_CALLS;
    atomic_store(&started_in, device_generation());
    atomic_store(&cuda_driver_mode, mode);
    for (size_t i = 0; i < DRIVER_CALLS; i++)
        atomic_store(&target[i], recording[i]);
}

bool cuda_is_here(void)
{
    return atomic_load(&started_in) == device_generation();
}

/* ---- the driver's functions ---- */

/*
 * The runtime opens the driver's library by itself, so the library need not be in anyone's scope.
 */
struct lookup {
    const char *name;
    void *found;
};

static void look_up(void *data)
{
    struct lookup *lookup = data;
    lookup->found = wrapper_not_ours(dlsym(RTLD_NEXT, lookup->name));
    void *library = lookup->found ? NULL : dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        lookup->found = wrapper_not_ours(dlsym(library, lookup->name));
        dlclose(library);
    }
}

void *cuda_driver_symbol(const char *name)
{
    struct lookup lookup = {.name = name};
    int saved = errno;
    spur_inside_begin();
    spur_on_own_stack(look_up, &lookup);
    spur_inside_end();
    errno = saved;
    return lookup.found;
}

/* The same result as without a device: the driver is missing. */
static int missing(void)
{
    return CUDA_NO_DEVICE;
}

static wrapper_any find_in(_Atomic wrapper_any *place, const char *name)
{
    wrapper_any real = atomic_load_explicit(place, memory_order_relaxed);
    if (__builtin_expect(real != NULL, 1))
        return real;
    void *found = cuda_driver_symbol(name);
    if (!found)
        return (wrapper_any)missing;
    real = wrapper_any_at(found);
    atomic_store_explicit(place, real, memory_order_relaxed);
    return real;
}

static wrapper_any find(enum driver_call call)
{
    return find_in(&next[call], symbols[call]);
}

/* The same, and the call goes to the real function from now on. Recording may begin meanwhile. */
static wrapper_any settle(enum driver_call call)
{
    const wrapper_any real = find(call);
    if (real == (wrapper_any)missing)
        return real;
    atomic_store(&target[call], real);
    if (is_on())
        atomic_store(&target[call], recording[call]);
    return real;
}

/* ---- regions ---- */

enum {
#define GROUP(name, is_default, ROLE, what) ROLE_##name = OTF2_REGION_ROLE_##ROLE,
#include "wrappers/cuda/cuda_groups.def"
#undef GROUP
};

static struct spur_call calls[DRIVER_CALLS] = {
#define PLAIN(symbol, base, since, per_thread, group_, ...)                                        \
    [CALL_##symbol] = {.name = #symbol,                                                            \
                       .group = #group_,                                                           \
                       .role = ROLE_##group_,                                                      \
                       .is_off = &cuda_group_is_off[CUDA_GROUP_##group_],                          \
                       SPUR_CALL_OF(CUDA)},
#include "wrappers/cuda/driver_calls.def"
};

static const bool is_of_threads[DRIVER_CALLS] = {
#define PLAIN(symbol, base, since, per_thread, ...) [CALL_##symbol] = per_thread,
#include "wrappers/cuda/driver_calls.def"
};

/* A default stream for each thread is a matter of compiling: the names of calls are the same. */
__attribute__((constructor)) static void shorten_names(void)
{
    enum { ROOM = 48 };
    static char names[DRIVER_CALLS][ROOM];
    for (size_t i = 0; i < DRIVER_CALLS; i++) {
        const size_t length = strlen(symbols[i]) - (sizeof "_ptsz" - 1);
        if (!is_of_threads[i] || length >= ROOM)
            continue;
        memcpy(names[i], symbols[i], length);
        calls[i].name = names[i];
    }
}

#define FRAME(symbol)                                                                              \
    struct wrapper_frame frame                                                                     \
        __attribute__((cleanup(wrapper_frame_end), unused)) = {spur_enter(&calls[CALL_##symbol]),  \
                                                               &calls[CALL_##symbol]}
#define NEXT(symbol) ((__typeof__(&symbol))find(CALL_##symbol))
#define TARGET(symbol)                                                                             \
    ((__typeof__(&symbol))atomic_load_explicit(&target[CALL_##symbol], memory_order_relaxed))

/* ---- calls with a meaning for spur ---- */

static int cuda_driver_cuStreamDestroy_v2(struct spur_loc *loc, void *stream)
{
    cuda_pairs_collect(loc);
    int result = NEXT(cuStreamDestroy_v2)(stream);
    if (result == CUDA_OK)
        cuda_pairs_stream_gone(stream);
    return result;
}

static int cuda_driver_cuCtxDestroy_v2(struct spur_loc *loc, void *context)
{
    cuda_pairs_context_ends(context, loc);
    int result = NEXT(cuCtxDestroy_v2)(context);
    if (result == CUDA_OK)
        cuda_pairs_context_gone(context);
    return result;
}

/* The primary context ends when the last holder lets the context go. */
static int let_go(struct spur_loc *loc, int (*call)(int device), int device, bool is_reset)
{
    unsigned flags;
    int is_active = 1;
    cuda_pairs_collect(loc);
    int result = call(device);
    if (result == CUDA_OK && cuda_driver.cuDevicePrimaryCtxGetState &&
        (is_reset ||
         cuda_driver.cuDevicePrimaryCtxGetState(device, &flags, &is_active) != CUDA_OK ||
         !is_active))
        cuda_pairs_device_gone(device);
    return result;
}

#define LETS_GO(symbol, is_reset)                                                                  \
    static int cuda_driver_##symbol(struct spur_loc *loc, int device)                              \
    {                                                                                              \
        return let_go(loc, NEXT(symbol), device, is_reset);                                        \
    }
LETS_GO(cuDevicePrimaryCtxRelease, false)
LETS_GO(cuDevicePrimaryCtxRelease_v2, false)
LETS_GO(cuDevicePrimaryCtxReset, true)
LETS_GO(cuDevicePrimaryCtxReset_v2, true)

static int cuda_driver_cuModuleGetFunction(struct spur_loc *loc, void *function, void *module,
                                           void *name)
{
    (void)loc;
    int result = NEXT(cuModuleGetFunction)(function, module, name);
    if (result == CUDA_OK)
        cuda_driver_name(*(void *const *)function, name);
    return result;
}

static int cuda_driver_cuLibraryGetKernel(struct spur_loc *loc, void *kernel, void *library,
                                          void *name)
{
    (void)loc;
    int result = NEXT(cuLibraryGetKernel)(kernel, library, name);
    if (result == CUDA_OK)
        cuda_driver_name(*(void *const *)kernel, name);
    return result;
}

static int cuda_driver_cuKernelGetFunction(struct spur_loc *loc, void *function, void *kernel)
{
    (void)loc;
    int result = NEXT(cuKernelGetFunction)(function, kernel);
    const char *name = result == CUDA_OK ? cuda_driver_name_of(kernel) : NULL;
    if (name)
        cuda_driver_name(*(void *const *)function, name);
    return result;
}

/* ---- all calls ---- */

#define UNLESS_ON(symbol, ...)                                                                     \
    if (!is_on())                                                                                  \
        return ((__typeof__(&symbol))settle(CALL_##symbol))(WRAPPER_ARGS(symbol, __VA_ARGS__));

#define PLAIN(symbol, base, since, per_thread, group, ...)                                         \
    static int recorded_##symbol(WRAPPER_PARAMS(symbol, __VA_ARGS__))                              \
    {                                                                                              \
        UNLESS_ON(symbol, __VA_ARGS__)                                                             \
        FRAME(symbol);                                                                             \
        return NEXT(symbol)(WRAPPER_ARGS(symbol, __VA_ARGS__));                                    \
    }
#define WAIT(symbol, base, since, per_thread, group, ...)                                          \
    static int recorded_##symbol(WRAPPER_PARAMS(symbol, __VA_ARGS__))                              \
    {                                                                                              \
        UNLESS_ON(symbol, __VA_ARGS__)                                                             \
        FRAME(symbol);                                                                             \
        int result = NEXT(symbol)(WRAPPER_ARGS(symbol, __VA_ARGS__));                              \
        cuda_pairs_collect(frame.loc);                                                             \
        return result;                                                                             \
    }
#define MEANT(symbol, base, since, per_thread, group, ...)                                         \
    static int recorded_##symbol(WRAPPER_PARAMS(symbol, __VA_ARGS__))                              \
    {                                                                                              \
        UNLESS_ON(symbol, __VA_ARGS__)                                                             \
        FRAME(symbol);                                                                             \
        return cuda_driver_##symbol(frame.loc, WRAPPER_ARGS(symbol, __VA_ARGS__));                 \
    }
#define GIVES(symbol, base, since, per_thread, group, work_, stream_, ...)                         \
    static int recorded_##symbol(WRAPPER_PARAMS(symbol, __VA_ARGS__))                              \
    {                                                                                              \
        UNLESS_ON(symbol, __VA_ARGS__)                                                             \
        FRAME(symbol);                                                                             \
        struct cuda_given given;                                                                   \
        cuda_pair_begin(&given, frame.loc, stream_, per_thread);                                   \
        int result = NEXT(symbol)(WRAPPER_ARGS(symbol, __VA_ARGS__));                              \
        if (given.pair && result == CUDA_OK) {                                                     \
            const struct device_work work = work_;                                                 \
            cuda_pair_end(&given, &work);                                                          \
        } else if (given.pair) {                                                                   \
            cuda_pair_failed(&given);                                                              \
        }                                                                                          \
        return result;                                                                             \
    }
#include "wrappers/cuda/driver_calls.def"

/* As little as can stand in front of a function: arguments stay in their places. */
#define PLAIN(symbol, base, since, per_thread, group, ...)                                         \
    SPUR_EXPORT int symbol(WRAPPER_PARAMS(symbol, __VA_ARGS__))                                    \
    {                                                                                              \
        return TARGET(symbol)(WRAPPER_ARGS(symbol, __VA_ARGS__));                                  \
    }
#include "wrappers/cuda/driver_calls.def"

/* ---- look-ups by the runtime ---- */

/* The keys by which cuGetProcAddress() finds a function. */
static const struct known {
    const char *base;
    int since;
    bool is_per_thread;
    wrapper_any function;
} known[DRIVER_CALLS] = {
#define PLAIN(symbol, base, since, per_thread, ...)                                                \
    [CALL_##symbol] = {#base, since, per_thread, (wrapper_any)(symbol)},
#include "wrappers/cuda/driver_calls.def"
};

int cuGetProcAddress(const char *symbol, wrapper_any *function, int version, uint64_t flags);
int cuGetProcAddress_v2(const char *symbol, wrapper_any *function, int version, uint64_t flags,
                        int *status);

/*
 * The latest row that is not later than `version`. DRIVER_CALLS: spur does not know the function.
 */
static size_t find_known(const char *name, int version, bool is_per_thread)
{
    size_t found = DRIVER_CALLS;
    for (size_t i = 0; version <= CUDA_KNOWN && i < DRIVER_CALLS; i++)
        if (known[i].since <= version && known[i].is_per_thread == is_per_thread &&
            strcmp(known[i].base, name) == 0 &&
            (found == DRIVER_CALLS || known[i].since > known[found].since))
            found = i;
    return found;
}

/* Puts spur's function in front of the function that the driver has found. */
static void replace(const char *name, int version, uint64_t flags, wrapper_any *function)
{
    enum { SECOND = 12000 };
    if (strcmp(name, getters[GETTER]) == 0) {
        bool is_second = version >= SECOND;
        atomic_store(&next_getter[is_second ? GETTER_2 : GETTER], *function);
        *function = is_second ? (wrapper_any)cuGetProcAddress_v2 : (wrapper_any)cuGetProcAddress;
        return;
    }
    /* Without a function for threads the plain function serves. */
    size_t call = find_known(name, version, flags & CUDA_PER_THREAD);
    if (call == DRIVER_CALLS && flags & CUDA_PER_THREAD)
        call = find_known(name, version, false);
    if (call == DRIVER_CALLS || *function == known[call].function)
        return;
    atomic_store(&next[call], *function);
    *function = known[call].function;
}

/* While CUPTI tells of calls, no function needs to stand in front of the driver's. */
static bool is_to_replace(int result, const char *name, const wrapper_any *function)
{
    return result == CUDA_OK && name && function && *function && cuda_is_wanted() &&
           (is_on() || !cuda_is_ours());
}

SPUR_EXPORT int cuGetProcAddress(const char *symbol, wrapper_any *function, int version,
                                 uint64_t flags)
{
    wrapper_any real = find_in(&next_getter[GETTER], getters[GETTER]);
    int result = ((__typeof__(&cuGetProcAddress))real)(symbol, function, version, flags);
    if (is_to_replace(result, symbol, function))
        replace(symbol, version, flags, function);
    return result;
}

SPUR_EXPORT int cuGetProcAddress_v2(const char *symbol, wrapper_any *function, int version,
                                    uint64_t flags, int *status)
{
    wrapper_any real = find_in(&next_getter[GETTER_2], getters[GETTER_2]);
    int result = ((__typeof__(&cuGetProcAddress_v2))real)(symbol, function, version, flags, status);
    if (is_to_replace(result, symbol, function))
        replace(symbol, version, flags, function);
    return result;
}
