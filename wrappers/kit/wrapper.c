/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/kit/wrapper.h"

#include <errno.h>

static long no_such_function(void)
{
    errno = ENOSYS;
    return -1;
}

wrapper_any wrapper_find(struct wrapper_function *function)
{
    int kept = errno;
    void *address = spur_real(function->call.name, function->version);
    errno = kept;
    wrapper_any real = address             ? wrapper_any_at(address)
                       : function->missing ? function->missing
                                           : (wrapper_any)no_such_function;
    atomic_store_explicit(&function->real, real, memory_order_relaxed);
    return real;
}

void wrapper_find_all(struct wrapper_function *table, size_t n)
{
    spur_quiet_begin(); /* once for all: each look-up would change the mask and change it back */
    for (size_t i = 0; i < n; i++)
        (void)wrapper_real(&table[i]);
    spur_quiet_end();
}
