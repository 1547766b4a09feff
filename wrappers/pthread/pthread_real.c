/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/pthread/pthread_real.h"

#include <errno.h>
#include <string.h>

/*
 * The first version of the condition variables that has today's layout; ports younger than that
 * layout know no other.
 */
#if defined(__x86_64__)
#define COND_VERSION "GLIBC_2.3.2"
#elif defined(__aarch64__)
#define COND_VERSION "GLIBC_2.17"
#else
#define COND_VERSION NULL
#endif
#define ANY NULL

#define ROW(name_, version_, group_, ROLE)                                                         \
    [CALL_##name_] = {.call = {.name = #name_,                                                     \
                               .group = group_,                                                    \
                               .role = OTF2_REGION_ROLE_##ROLE,                                    \
                               SPUR_CALL_OF(PTHREAD)},                                             \
                      .version = version_},
struct pthread_call pthread_calls[PTHREAD_CALLS] = {
#define PTHREAD_CALL(name, version, group, ROLE, ...) ROW(name, version, group, ROLE)
#define PTHREAD_VOID(name, version, group, ROLE, ...) ROW(name, version, group, ROLE)
#define PTHREAD_HAND(name, version, group, ROLE) ROW(name, version, group, ROLE)
#include "wrappers/pthread/pthread_calls.def"
#undef PTHREAD_HAND
#undef PTHREAD_VOID
#undef PTHREAD_CALL
};

/* Stands in for a function that this C library does not have. */
static int no_such_function(void)
{
    return ENOSYS;
}

pthread_function pthread_real_find(enum pthread_call_id id)
{
    struct pthread_call *row = &pthread_calls[id];
    int kept = errno;
    void *address = row->version ? spur_real(row->call.name, row->version) : NULL;
    if (!address)
        address = spur_real(row->call.name, NULL);
    errno = kept;

    pthread_function real = (pthread_function)no_such_function;
    if (address)
        memcpy(&real, &address, sizeof real); /* ISO C knows no cast from data to function */
    atomic_store_explicit(&row->real, real, memory_order_relaxed);
    return real;
}

void pthread_real_start(void)
{
    for (unsigned id = 0; id < PTHREAD_CALLS; id++)
        pthread_real_get((enum pthread_call_id)id);
}
