/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rocprofiler-sdk is found and opened, where rocprofiler-register looks for it: the program ends
 * with an error if that finds none after spur has found one.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "wrappers/hip/hip.h"

enum { PATH_ROOM = 4096 };

static const char file_name[] = "librocprofiler-sdk.so";

struct hip_sdk hip_sdk;

static bool find_functions(void *library)
{
    bool has_all = true;
    void *found;
#define NEEDED(name, ...)                                                                          \
    found = dlsym(library, #name);                                                                 \
    memcpy(&hip_sdk.name, &found, sizeof found); /* ISO C knows no cast from data to function */   \
    has_all &= found != NULL;
#include "wrappers/hip/rocprofiler_functions.def"
    return has_all;
}

static void *open_beside(const void *address)
{
    char path[PATH_ROOM];
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname) + 1 : 0;
    int n = snprintf(path, sizeof path, "%.*s%s", folder, info.dli_fname, file_name);
    return n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
}

bool hip_sdk_open(const void *in_register)
{
    const char *named = secure_getenv("ROCPROFILER_REGISTER_LIBRARY");
    const bool is_named = named && *named;
    void *library = dlopen(is_named ? named : file_name, RTLD_LAZY | RTLD_LOCAL);
    if (!library && !is_named)
        library = open_beside(in_register);
    if (!library)
        return false;
    if (find_functions(library))
        return true;
    dlclose(library);
    return false;
}
