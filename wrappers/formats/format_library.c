/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/formats/format_library.h"

#include <dlfcn.h>
#include <errno.h>

static const void *look(const char *name, const void *caller)
{
    return wrapper_look(name, format_version(caller, name), caller);
}

/* NULL: no memory. */
static struct format_library *new_library(const struct format_interface *interface,
                                          const void *address)
{
    struct format_library *library =
        spur_mem_new(sizeof *library + interface->n * sizeof library->function[0]);
    void *handle = library ? wrapper_open(address) : NULL; /* for good */
    if (!library)
        return NULL;
    library->base = wrapper_base(address);
    for (size_t i = 0; handle && i < interface->n; i++) {
        void *symbol = wrapper_not_ours(dlsym(handle, interface->names[i]));
        library->function[i] = symbol ? wrapper_any_at(symbol) : NULL;
    }
    return library;
}

/* Its place. A library that is there already stays; FORMAT_LIBRARIES: there is no room. */
static size_t intern(struct format_interface *interface, struct format_library *library)
{
    for (size_t i = 0; i < FORMAT_LIBRARIES; i++) {
        struct format_library *there = NULL;
        if (atomic_compare_exchange_strong(&interface->libraries[i], &there, library))
            return i;
        if (there->base == library->base) {
            spur_mem_free(library, sizeof *library + interface->n * sizeof library->function[0]);
            return i;
        }
    }
    return FORMAT_LIBRARIES;
}

static size_t place_of(const struct format_interface *interface, const void *base)
{
    for (size_t i = 0; i < FORMAT_LIBRARIES; i++) {
        const struct format_library *library = atomic_load(&interface->libraries[i]);
        if (library && library->base == base)
            return i;
    }
    return FORMAT_LIBRARIES;
}

static size_t format_place_here(struct format_interface *interface, size_t index,
                                const void *caller)
{
    const void *symbol = look(interface->names[index], caller);
    if (!symbol)
        return FORMAT_LIBRARIES;
    size_t place = place_of(interface, wrapper_base(symbol));
    struct format_library *library =
        place < FORMAT_LIBRARIES ? NULL : new_library(interface, symbol);
    return library ? intern(interface, library) : place;
}
static size_t format_place(struct format_interface *interface, size_t index, const void *caller);
SPUR_DOOR(size_t, format_place, (struct format_interface *, interface), (size_t, index),
          (const void *, caller))

static void forget_unloaded(struct format_interface *interface)
{
    const uint32_t unloads = spur_code_unloads();
    if (atomic_load(&interface->unloads) == unloads)
        return;
    for (size_t i = 0; i < FORMAT_SITES; i++)
        atomic_store(&interface->sites[i], 0);
    atomic_store(&interface->unloads, unloads);
}

struct format_library *format_library_find(struct format_interface *interface, size_t index,
                                           const void *caller)
{
    enum { PLACE_BITS = 8 };
    int saved = errno;
    forget_unloaded(interface);
    const uint64_t site = (uint64_t)(uintptr_t)caller;
    size_t place = format_place(interface, index, caller);
    errno = saved;
    if (place == FORMAT_LIBRARIES)
        return NULL;
    atomic_store_explicit(&interface->sites[site % FORMAT_SITES], site << PLACE_BITS | (place + 1),
                          memory_order_release);
    return atomic_load_explicit(&interface->libraries[place], memory_order_relaxed);
}
