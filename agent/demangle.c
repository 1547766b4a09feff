/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/code_lookup.h"

typedef char *demangle(const char *name, char *room, size_t *size, int *status);

static demangle *find(void)
{
    static demangle *found;
    static bool was_tried;
    if (was_tried)
        return found;
    was_tried = true;
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, "__cxa_demangle") : NULL;
    if (address)
        memcpy(&found, &address, sizeof found); /* ISO C knows no cast from data to function */
    return found;
}

const char *spur_demangle(const char *name)
{
    static char *last;
    int status = -1;
    if (strncmp(name, "_Z", 2) != 0 || !find())
        return name;
    char *text = find()(name, NULL, NULL, &status);
    if (!text || status != 0)
        return name;
    free(last);
    last = text;
    return text;
}
