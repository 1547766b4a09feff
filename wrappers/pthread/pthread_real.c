/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/pthread/pthread_real.h"

#include <errno.h>

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

/* Stands in for a function that this C library does not have. */
static int no_such_function(void)
{
    return ENOSYS;
}

#define ROW(name_, version_, group_, ROLE)                                                         \
    [CALL_##name_] = {.call = {.name = #name_,                                                     \
                               .group = group_,                                                    \
                               .role = OTF2_REGION_ROLE_##ROLE,                                    \
                               SPUR_CALL_OF(PTHREAD)},                                             \
                      .version = version_,                                                         \
                      .missing = (wrapper_any)no_such_function},
struct wrapper_function pthread_calls[PTHREAD_CALLS] = {
#define PTHREAD_CALL(name, version, group, ROLE, ...) ROW(name, version, group, ROLE)
#define PTHREAD_VOID(name, version, group, ROLE, ...) ROW(name, version, group, ROLE)
#define PTHREAD_HAND(name, version, group, ROLE) ROW(name, version, group, ROLE)
#include "wrappers/pthread/pthread_calls.def"
#undef PTHREAD_HAND
#undef PTHREAD_VOID
#undef PTHREAD_CALL
};
