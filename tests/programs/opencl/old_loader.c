/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loader of OpenCL that takes no layers, as older ones: it knows one driver, whose library
 * OLD_LOADER_DRIVER names. Each object begins with the address of its driver's table, in which a
 * function has its number in the wrappers' table.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_OBJECT = -34, PLATFORM = 0x1084 };

/* No function has more arguments, and all are whole numbers or pointers. */
#define TAKES                                                                                      \
    uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5,            \
        uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11,      \
        uintptr_t a12, uintptr_t a13
#define GIVES a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13
typedef uintptr_t function(TAKES);

enum number {
#define OTHER(name) NUMBER_##name,
#include "wrappers/opencl/opencl_calls.def"
};

/* ---- the driver ---- */

static function *driver_platforms;

__attribute__((constructor)) static void open_driver(void)
{
    const char *path = getenv("OLD_LOADER_DRIVER");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *(*address_of)(const char *name);
    void *at = library ? dlsym(library, "clGetExtensionFunctionAddress") : NULL;
    if (!at)
        return;
    memcpy(&address_of, &at, sizeof at);
    at = address_of("clIcdGetPlatformIDsKHR");
    memcpy(&driver_platforms, &at, sizeof at);
}

/* ---- the object that says whose call it is ---- */

static uintptr_t platform_in(const uintptr_t *properties)
{
    for (; properties && properties[0]; properties += 2)
        if (properties[0] == PLATFORM)
            return properties[1];
    return 0;
}

static uintptr_t first_of(const uintptr_t *list)
{
    return list ? *list : 0;
}

static function *find(enum number number, uintptr_t a0, uintptr_t a1, uintptr_t a2)
{
    uintptr_t object = a0;
    if (number == NUMBER_clGetPlatformIDs)
        return driver_platforms;
    if (number == NUMBER_clWaitForEvents)
        object = first_of((const uintptr_t *)a1);
    else if (number == NUMBER_clCreateContext)
        object = first_of((const uintptr_t *)a2);
    else if (number == NUMBER_clCreateContextFromType)
        object = platform_in((const uintptr_t *)a0);
    return object ? (*(function *const *const *)object)[number] : NULL;
}

/* ---- the functions ---- */

#define HANDS_ON(name, failed)                                                                     \
    uintptr_t name(TAKES);                                                                         \
    uintptr_t name(TAKES)                                                                          \
    {                                                                                              \
        function *real = find(NUMBER_##name, a0, a1, a2);                                          \
        return real ? real(GIVES) : (uintptr_t)(failed);                                           \
    }
#define PLAIN(name, group, type, ...)                                                              \
    HANDS_ON(name, sizeof(type) == sizeof(int) ? INVALID_OBJECT : 0)
#define PLAIN_VOID(name, ...) HANDS_ON(name, 0)
#define MEANT(name, group, type, ...)                                                              \
    HANDS_ON(name, sizeof(type) == sizeof(int) ? INVALID_OBJECT : 0)
#define ENQUEUE(name, ...) HANDS_ON(name, INVALID_OBJECT)
#define MAP(name, ...) HANDS_ON(name, 0)
#include "wrappers/opencl/opencl_calls.def"
