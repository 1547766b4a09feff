/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libraries that a process uses for a format of files, and the choice of the library for a
 * call. A process may have several libraries of a format, each for its own callers: in Python,
 * modules bring their own. A call goes where the loader would have sent the call without spur: to
 * the library in the scope of the caller, with the version of the symbol that the caller asks for.
 *
 * All is found at the first call from a place, and is known afterwards without a lock. A library
 * stays loaded from then on.
 */
#ifndef FORMAT_LIBRARY_H
#define FORMAT_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/kit/wrapper.h"

enum { FORMAT_LIBRARIES = 32, FORMAT_SITES = 1024 };

struct format_library {
    const void *base;
    wrapper_any function[]; /* in the order of the names; NULL: not in this library */
};

struct format_interface {
    const char *word; /* in SPUR_IO */
    enum spur_family family;
    OTF2_IoParadigmRef paradigm;
    const char *const *names; /* of the wrapped functions, then of the functions for questions */
    size_t n;
    struct spur_call *calls; /* of the wrapped functions */
    bool is_on;              /* fixed before the first call */
    /* The rest begins with zeros, and belongs to format_library.c. */
    _Atomic(struct format_library *) libraries[FORMAT_LIBRARIES];
    _Atomic uint32_t unloads;             /* spur_code_unloads(), for which the sites are valid */
    _Atomic uint64_t sites[FORMAT_SITES]; /* return address << 8 | place among the libraries + 1 */
};

/*
 * The library for a call of the function `index`; the call returns to `caller`. NULL: no library.
 * Keeps errno.
 */
struct format_library *format_library_find(struct format_interface *interface, size_t index,
                                           const void *caller);

static inline struct format_library *format_library_of(struct format_interface *interface,
                                                       size_t index, const void *caller)
{
    enum { PLACE_BITS = 8, PLACES = (1 << PLACE_BITS) - 1 };
    const uint64_t site = (uint64_t)(uintptr_t)caller;
    uint64_t known =
        atomic_load_explicit(&interface->sites[site % FORMAT_SITES], memory_order_acquire);
    if (__builtin_expect(known >> PLACE_BITS != site, 0) ||
        __builtin_expect(atomic_load_explicit(&interface->unloads, memory_order_relaxed) !=
                             spur_code_unloads(),
                         0))
        return format_library_find(interface, index, caller);
    return atomic_load_explicit(&interface->libraries[(known & PLACES) - 1], memory_order_relaxed);
}

/* The version of the symbol `name` that the object at `address` asks for; NULL: no version. */
const char *format_version(const void *address, const char *name);

#endif
