/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/openmp/gomp_library.h"

#include <dlfcn.h>
#include <errno.h>

#define ROW(id) [ID_##id] = {.name = #id}
struct gomp_function gomp_functions[GOMP_IDS] = {
#define GOMP_CALL(name, ...) ROW(name),
#define GOMP_PARALLEL(name, ...) ROW(name),
#define GOMP_PARALLEL_START(name, ...) ROW(name),
#define GOMP_HAND(name) ROW(name),
#include "wrappers/openmp/gomp_calls.def"
#undef GOMP_CALL
#undef GOMP_PARALLEL
#undef GOMP_PARALLEL_START
#undef GOMP_HAND
#define OMP_CALL(name, ...) ROW(name),
#include "wrappers/openmp/omp_calls.def"
#undef OMP_CALL
    ROW(omp_fulfill_event),   ROW(omp_fulfill_event_),  ROW(omp_get_thread_num),
    ROW(omp_get_max_threads), ROW(omp_get_num_threads), ROW(GOMP_cancellation_point),
#define KMPC_NAME(name) ROW(name),
#include "wrappers/openmp/kmpc_calls.def"
};

/* ---- out of the global scope ---- */

/* The symbol in the object, or in an object that the object depends on. */
static void *symbol_of(const char *path, const void *name)
{
    void *handle = path[0] ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *symbol = handle ? wrapper_not_ours(dlsym(handle, name)) : NULL;
    if (handle)
        dlclose(handle);
    return symbol;
}

static void *find_symbol(const char *name, const void *caller)
{
    void *symbol = wrapper_look(name, NULL, caller);
    symbol = symbol ? symbol : wrapper_each_object(symbol_of, name);
    (void)wrapper_open(symbol); /* for good */
    return symbol;
}

/* ---- */

static uintptr_t no_such_function(void)
{
    return 0;
}

/* By what else the object has, since libomp is installed under libgomp's name as well. */
static bool is_of_libgomp(const void *address)
{
    void *handle = wrapper_open(address);
    const void *other = handle ? dlsym(handle, "__kmpc_fork_call") : NULL;
    bool is_other = other && wrapper_base(other) == wrapper_base(address);
    if (handle)
        dlclose(handle);
    return wrapper_base(address) && !is_other;
}

static wrapper_any look_up(enum gomp_id id, const void *caller)
{
    struct gomp_function *function = &gomp_functions[id];
    void *symbol = find_symbol(function->name, caller);
    wrapper_any real = (wrapper_any)no_such_function;
    if (!symbol)
        return real; /* a library that has it may be loaded later */
    real = wrapper_any_at(symbol);
    atomic_store_explicit(&function->is_libgomp,
                          spur_wraps(SPUR_FAMILY_OPENMP) && is_of_libgomp(symbol),
                          memory_order_relaxed);
    atomic_store_explicit(&function->real, real, memory_order_release);
    return real;
}

static wrapper_any gomp_find_here(enum gomp_id id, const void *caller)
{
    int saved = errno;
    spur_inside_begin();
    wrapper_any real = look_up(id, caller);
    unsigned all =
        real == (wrapper_any)no_such_function || id >= GOMP_IDS_TOGETHER ? 0 : GOMP_IDS_TOGETHER;
    for (unsigned other = 0; other < all; other++)
        if (!atomic_load_explicit(&gomp_functions[other].real, memory_order_relaxed))
            (void)look_up((enum gomp_id)other, caller);
    spur_inside_end();
    errno = saved;
    return real;
}
SPUR_DOOR(wrapper_any, gomp_find, (enum gomp_id, id), (const void *, caller))

bool gomp_is_missing(enum gomp_id id)
{
    return !atomic_load_explicit(&gomp_functions[id].real, memory_order_relaxed);
}

_Atomic bool gomp_is_another;

void gomp_note_another(void)
{
    static _Atomic bool is_said;
    static const char text[] = "code built by gcc runs on another OpenMP runtime than libgomp";
    if (atomic_exchange(&is_said, true))
        return;
    int saved = errno;
    if (spur_process_property("OPENMP_RUNTIME", text) && spur_note_put("openmp-runtime", text) == 0)
        spur_say("%s", text);
    errno = saved;
}
