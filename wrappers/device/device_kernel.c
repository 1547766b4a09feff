/* SPDX-License-Identifier: BSD-3-Clause */
/* From the name of a kernel to its region. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "wrappers/device/device_told.h"

/* A name in the source is only asked for where a filter needs it. Longer ones need too much stack.
 */
enum { NAME_MOST = 1500 };

typedef char *demangle(const char *name, char *room, size_t *size, int *status);

/* That of the program's library of C++, where it has one. */
static demangle *find_demangle(void)
{
    demangle *found = NULL;
    void *address = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = address ? NULL : dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
    if (library)
        address = dlsym(library, "__cxa_demangle");
    memcpy(&found, &address, sizeof found); /* ISO C knows no cast from data to function */
    return found;
}

struct naming {
    const char *name;
    char *in_source; /* of the program's heap; NULL: not known */
};

static void demangle_name(void *data)
{
    struct naming *naming = data;
    int status = -1;
    demangle *of_program = find_demangle();
    if (of_program)
        naming->in_source = of_program(naming->name, NULL, NULL, &status);
}

OTF2_RegionRef device_kernel_region(enum spur_family family, const char *name)
{
    struct naming naming = {.name = name};
    if (spur_has_filter() && strncmp(name, "_Z", 2) == 0 && strnlen(name, NAME_MOST) < NAME_MOST)
        spur_on_own_stack(demangle_name, &naming);
    const char *in_source = naming.in_source ? spur_source_name(naming.in_source) : NULL;
    OTF2_RegionRef region =
        spur_def_activity(family, name, in_source, "device kernel", OTF2_REGION_ROLE_FUNCTION);
    free(naming.in_source);
    return region;
}
