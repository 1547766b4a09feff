/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SPUR_HAS_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#include "base/source_name.h"
#include "code/code_lookup.h"

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

/* Rust's names of the older kind are C++'s with a hash of 16 digits as their last part. */
static void cut_rust_hash(char *name)
{
    static const char digits[] = "0123456789abcdef";
    enum { HASH = 16 };
    size_t length = strlen(name);
    char *hash = length > HASH + 3 ? name + length - HASH : NULL;
    if (hash && strncmp(hash - 3, "::h", 3) == 0 && strspn(hash, digits) == HASH)
        hash[-3] = '\0';
}

/* C++ and Rust. NULL: it is not such a name, or libstdc++ does not know. */
static char *from_cxx(const char *name)
{
    int status = -1;
    char *text = strncmp(name, "_Z", 2) == 0 && find() ? find()(name, NULL, NULL, &status) : NULL;
    if (text) {
        const char *name_alone = spur_source_name(text);
        memmove(text, name_alone, strlen(name_alone) + 1);
        cut_rust_hash(text);
    }
    return text;
}

/* Rust's names of the newer kind ("v0"), without the hashes of crates. */
static char *from_rust(const char *name)
{
#ifdef SPUR_HAS_LIBIBERTY
    return strncmp(name, "_R", 2) == 0 ? rust_demangle(name, 0) : NULL;
#else
    (void)name;
    return NULL;
#endif
}

/* A procedure of a Fortran module, as gfortran names it: __module_MOD_procedure. */
static char *from_fortran(const char *name)
{
    static const char middle[] = "_MOD_";
    const char *end = strncmp(name, "__", 2) == 0 ? strstr(name + 2, middle) : NULL;
    char *text = NULL;
    if (!end ||
        asprintf(&text, "%.*s::%s", (int)(end - name - 2), name + 2, end + sizeof middle - 1) < 0)
        return NULL;
    return text;
}

const char *spur_demangle(const char *name)
{
    static char *last;
    char *text = from_cxx(name);
    if (!text)
        text = from_rust(name);
    if (!text)
        text = from_fortran(name);
    if (!text)
        return name;
    free(last);
    last = text;
    return text;
}
