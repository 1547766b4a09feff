/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bindings: libraries that only translate, as those of MPI for Fortran do. What a binding calls,
 * its caller calls: neither a call site nor the innermost frame of a call's stack lies in one.
 */
#ifndef SPUR_BINDING_H
#define SPUR_BINDING_H

#include <stdbool.h>

/* Is a file of this name, without its folder, such a library? */
bool spur_binding_is_named(const char *name);

/*
 * Does the code at `address` belong to one? Takes no lock for an address that was asked for before;
 * else as spur_code_file().
 */
bool spur_binding_has(const void *address);

#endif
