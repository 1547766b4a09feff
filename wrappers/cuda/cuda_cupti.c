/* SPDX-License-Identifier: BSD-3-Clause */
/* CUPTI is found and opened. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "wrappers/cuda/cuda.h"

enum { PATH_ROOM = 4096 };

struct cupti cupti;

static const char *const file_names[] = {
#define CUPTI_NAME(file) file,
#include "wrappers/cuda/cuda_places.def"
};

/* By the folder of the runtime. */
static const char *const beside[] = {
#define BESIDE(folder) folder,
#include "wrappers/cuda/cuda_places.def"
};

static const struct {
    const char *variable, *folder;
} below[] = {
#define BELOW(variable, folder) {variable, folder},
#include "wrappers/cuda/cuda_places.def"
};

static const char *const at[] = {
#define AT(folder) folder,
#include "wrappers/cuda/cuda_places.def"
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void *symbol(void *library, const char *name, bool *has_all)
{
    void *found = dlsym(library, name);
    *has_all &= found != NULL;
    return found;
}

static bool find_functions(void *library)
{
    bool has_all = true, ignored = true;
    void *found;
#define FOUND(name, flag)                                                                          \
    found = symbol(library, #name, flag);                                                          \
    memcpy(&cupti.name, &found, sizeof found); /* ISO C knows no cast from data to function */
#define NEEDED(name, ...) FOUND(name, &has_all)
#define EXTRA(name, ...) FOUND(name, &ignored)
#include "wrappers/cuda/cupti_functions.def"
#undef FOUND
    return has_all;
}

/* A library that was started stays, whatever came of it. True: nothing more need be looked for. */
static bool try_file(const char *path, bool (*start)(void))
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    if (find_functions(library))
        return start();
    dlclose(library);
    return false;
}

static bool try_folder(const char *folder, const char *more, const char *slash, bool (*start)(void))
{
    char path[PATH_ROOM];
    for (size_t i = 0; i < COUNT(file_names); i++) {
        int n = snprintf(path, sizeof path, "%s%s%s%s", folder, more, slash, file_names[i]);
        if (n > 0 && (size_t)n < sizeof path && try_file(path, start))
            return true;
    }
    return false;
}

/* ---- what the program has loaded ---- */

struct search {
    bool (*start)(void);
    bool is_runtime; /* look beside the runtime; else for CUPTI itself */
};

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Anything but NULL: found. */
static void *look(const char *path, const void *data)
{
    static const char own[] = "libcupti.so", runtime[] = "libcudart.so";
    static char found;
    const struct search *search = data;
    const char *file = file_of(path);
    char folder[PATH_ROOM];
    if (!search->is_runtime)
        return strncmp(file, own, sizeof own - 1) == 0 && try_file(path, search->start) ? &found
                                                                                        : NULL;
    if (strncmp(file, runtime, sizeof runtime - 1) != 0 || file == path)
        return NULL;
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(file - path - 1), path);
    for (size_t i = 0; i < COUNT(beside); i++)
        if (try_folder(folder, beside[i], "/", search->start))
            return &found;
    return NULL;
}

bool cupti_open(bool (*start)(void))
{
    const struct search itself = {start, false}, runtime = {start, true};
    if (wrapper_each_object(look, &itself) || wrapper_each_object(look, &runtime))
        return true;
    for (size_t i = 0; i < COUNT(below); i++) {
        const char *value = secure_getenv(below[i].variable);
        if (value && *value && try_folder(value, below[i].folder, "/", start))
            return true;
    }
    for (size_t i = 0; i < COUNT(at); i++)
        if (try_folder(at[i], "", "", start))
            return true;
    return false;
}
