/* SPDX-License-Identifier: BSD-3-Clause */
/* Names as they are in the source, where the demangler of C++ says more than that. */
#ifndef BASE_SOURCE_NAME_H
#define BASE_SOURCE_NAME_H

#include <string.h>

/*
 * The name without the words that tell of a type: compilers for SYCL call a kernel by that of the
 * type of its function. A part of `demangled`. Async-signal-safe.
 */
static inline char *spur_source_name(char *demangled)
{
    static const char of_type[] = "typeinfo name for ";
    const size_t n = sizeof of_type - 1;
    return strncmp(demangled, of_type, n) == 0 ? demangled + n : demangled;
}

#endif
