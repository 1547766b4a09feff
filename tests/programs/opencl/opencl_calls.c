/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every function of OpenCL that has a region, once, with nothing in all its arguments. What it
 * returns is printed. The functions are the rows of the wrappers' table.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No function has more arguments, and all are whole numbers or pointers. */
typedef uintptr_t (*function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                              uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                              uintptr_t, uintptr_t);

static const struct row {
    const char *name;
    size_t bytes; /* of what it returns */
} rows[] = {
#define PLAIN(name, group, type, ...) {#name, sizeof(type)},
#define PLAIN_VOID(name, ...) {#name, 0},
#define MEANT(name, group, type, ...) {#name, sizeof(type)},
#define ENQUEUE(name, ...) {#name, sizeof(int32_t)},
#define MAP(name, ...) {#name, sizeof(void *)},
#include "wrappers/opencl/opencl_calls.def"
};

static void call(void *library, const struct row *row)
{
    void *at = dlsym(library, row->name);
    function real;
    if (!at) {
        printf("missing %s\n", row->name);
        return;
    }
    memcpy(&real, &at, sizeof at);
    uintptr_t result = real(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    if (row->bytes == sizeof(int32_t))
        printf("call %s %d\n", row->name, (int)(int32_t)result);
    else
        printf("call %s %s\n", row->name, row->bytes && result ? "something" : "nothing");
    fflush(stdout);
}

int main(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!library)
        return 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        call(library, &rows[i]);
    return 0;
}
