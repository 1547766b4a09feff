/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rocprofiler-register: as AMD's, it looks for tools, then for rocprofiler-sdk, and ends the
 * program where it finds a tool and no rocprofiler-sdk.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file[] = "librocprofiler-sdk.so";

int rocprofiler_register_library_api_table(const char *name, void *import, uint32_t version,
                                           void **tables, uint64_t n, uint64_t *id);

static void *open_sdk(void)
{
    Dl_info info;
    char path[4096];
    const char *named = getenv("ROCPROFILER_REGISTER_LIBRARY");
    void *library = dlopen(named ? named : file, RTLD_GLOBAL | RTLD_LAZY);
    if (library || named || !dladdr((void *)open_sdk, &info))
        return library;
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(info.dli_fname, '/') - info.dli_fname),
             info.dli_fname, file);
    return dlopen(path, RTLD_GLOBAL | RTLD_LAZY);
}

int rocprofiler_register_library_api_table(const char *name, void *import, uint32_t version,
                                           void **tables, uint64_t n, uint64_t *id)
{
    typedef int set_api_table(const char *, uint64_t, uint64_t, void **, uint64_t);
    (void)import;
    *id = 1;
    if (!getenv("ROCPROFILER_REGISTER_FORCE_LOAD") && !getenv("ROCPROFILER_REGISTER_LIBRARY") &&
        !dlsym(RTLD_DEFAULT, "rocprofiler_configure"))
        return 1;
    void *library = open_sdk();
    set_api_table *set = library ? (set_api_table *)dlsym(library, "rocprofiler_set_api_table") : 0;
    if (!set)
        abort();
    return set(name, version, 0, tables, n) ? 6 : 0;
}
