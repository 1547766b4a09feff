/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The addresses and the owners of the real functions. libomp has functions of libgomp's names for
 * code built by gcc, and reports the work of these functions by OMPT: calls to libomp pass straight
 * through.
 *
 * All functions but libomp's own are looked up at the first call to any of these functions. The
 * look-up takes the loader's lock, and a thread of a team must not wait for the loader's lock while
 * another thread holds the lock and waits for the team. A program may have the runtime out of the
 * global scope, with a plug-in: then the look-up searches the scope of the caller, and all loaded
 * objects. The runtime's library stays loaded, the plug-in does not.
 */
#ifndef WRAPPERS_OPENMP_LIBRARY_H
#define WRAPPERS_OPENMP_LIBRARY_H

#include <stdatomic.h>
#include <stdint.h>

#include "wrappers/kit/wrapper.h"

enum gomp_id {
#define GOMP_CALL(name, ...) ID_##name,
#define GOMP_PARALLEL(name, ...) ID_##name,
#define GOMP_PARALLEL_START(name, ...) ID_##name,
#define GOMP_HAND(name) ID_##name,
#include "wrappers/openmp/gomp_calls.def"
#undef GOMP_CALL
#undef GOMP_PARALLEL
#undef GOMP_PARALLEL_START
#undef GOMP_HAND
#define OMP_CALL(name, ...) ID_##name,
#include "wrappers/openmp/omp_calls.def"
#undef OMP_CALL
    ID_omp_fulfill_event,
    ID_omp_fulfill_event_,
    /* Not wrapped, but asked. */
    ID_omp_get_thread_num,
    ID_omp_get_max_threads,
    ID_omp_get_num_threads,
    ID_GOMP_cancellation_point,
    GOMP_IDS_TOGETHER,
    /* Of libomp only: looked up when libomp starts. */
    ID_BEFORE_KMPC = GOMP_IDS_TOGETHER - 1,
#define KMPC_NAME(name) ID_##name,
#include "wrappers/openmp/kmpc_calls.def"
    GOMP_IDS
};

struct gomp_function {
    const char *name;
    _Atomic wrapper_any real; /* NULL: not yet looked up */
    _Atomic bool is_libgomp;  /* its provider is libgomp, and the family is to be recorded */
};

extern struct gomp_function gomp_functions[GOMP_IDS];

/*
 * The function as `caller`, an address in the program's code, would reach the function. If there is
 * no such function, a function that returns 0.
 */
wrapper_any gomp_find(enum gomp_id id, const void *caller);

static inline wrapper_any gomp_real(enum gomp_id id, const void *caller)
{
    wrapper_any real = atomic_load_explicit(&gomp_functions[id].real, memory_order_acquire);
    return __builtin_expect(real != NULL, 1) ? real : gomp_find(id, caller);
}

/* Is a call to the function to be recorded here? After gomp_real(). */
static inline bool gomp_is_told(enum gomp_id id)
{
    return atomic_load_explicit(&gomp_functions[id].is_libgomp, memory_order_relaxed);
}

/* Is there such a function at all? After gomp_real(). */
bool gomp_is_missing(enum gomp_id id);

/* A parallel region of code built by gcc has been given to another runtime. */
extern _Atomic bool gomp_is_another;
/* Print this, once. The guard is up, and something is recorded. */
void gomp_note_another(void);

/*
 * For wrappers that call functions of the program. A function of the program that ends in a call to
 * the runtime may jump there, so that the call seems to return to the wrapper.
 */
#define GOMP_CALLS_BODIES __attribute__((noinline, section("gomp_calls_bodies")))

/* The return address of a call, if in the program; NULL: not known, the task at hand is the
 * place. */
static inline const void *gomp_place(const void *address)
{
    extern const char __start_gomp_calls_bodies[] __attribute__((visibility("hidden")));
    extern const char __stop_gomp_calls_bodies[] __attribute__((visibility("hidden")));
    uintptr_t at = (uintptr_t)address, start = (uintptr_t)__start_gomp_calls_bodies;
    return at - start < (uintptr_t)__stop_gomp_calls_bodies - start ? NULL : address;
}

#endif
