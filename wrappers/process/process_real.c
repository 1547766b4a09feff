/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/process/process_real.h"

#include <errno.h>
#include <string.h>

#define ROW(name_)                                                                                 \
    [PROCESS_##name_] = {.call = {.name = #name_,                                                  \
                                  .group = "process",                                              \
                                  .role = OTF2_REGION_ROLE_WRAPPER,                                \
                                  SPUR_CALL_OF(PROCESS)}},
struct process_call process_calls[PROCESS_CALLS] = {
#define PROCESS_CALL(type, name, ...) ROW(name)
#define PROCESS_FORK(name) ROW(name)
#define PROCESS_HAND(name) ROW(name)
#include "wrappers/process/process_calls.def"
#undef PROCESS_HAND
#undef PROCESS_FORK
#undef PROCESS_CALL
};

/* Stands in for a function that this C library does not have. */
static int no_such_function(void)
{
    errno = ENOSYS;
    return -1;
}

process_function process_real(enum process_call_id id)
{
    struct process_call *row = &process_calls[id];
    process_function real = atomic_load_explicit(&row->real, memory_order_relaxed);
    if (real)
        return real;
    void *address = spur_real(row->call.name, NULL);
    real = (process_function)no_such_function;
    if (address)
        memcpy(&real, &address, sizeof real); /* ISO C knows no cast from data to function */
    atomic_store_explicit(&row->real, real, memory_order_relaxed);
    return real;
}

/* Early: the look-up takes the loader's lock, which a child of vfork() must not wait for. */
__attribute__((constructor)) static void start(void)
{
    spur_quiet_begin(); /* once for all: each look-up would change the mask and change it back */
    for (unsigned id = 0; id < PROCESS_CALLS; id++)
        (void)process_real((enum process_call_id)id);
    spur_quiet_end();
}
