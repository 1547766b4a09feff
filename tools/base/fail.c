/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/fail.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/say.h"

int fail_status = EXIT_FAILURE;
void (*fail_others)(int status);
void (*fail_turn)(void);

static atomic_bool has_begun;

bool fail_has_begun(void)
{
    return atomic_load(&has_begun);
}

void fail(const char *format, ...)
{
    va_list va;
    while (atomic_exchange(&has_begun, true))
        (void)pause(); /* another thread has ended the process */
    fflush(stdout);
    if (fail_turn)
        fail_turn();
    va_start(va, format);
    vsay(format, va);
    va_end(va);
    if (fail_others)
        fail_others(fail_status);
    exit(fail_status);
}

void *there(void *memory)
{
    if (!memory)
        fail("no memory");
    return memory;
}

void *take_memory(size_t bytes)
{
    return there(calloc(1, bytes ? bytes : 1));
}

void *grow_memory(void *memory, size_t bytes)
{
    return there(realloc(memory, bytes ? bytes : 1));
}

char *copy_text(const char *text)
{
    return there(strdup(text));
}

char *copy_path(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return there(strndup(path, length));
}

char *vmake_text(const char *format, va_list va)
{
    char *made = NULL;
    return there(vasprintf(&made, format, va) < 0 ? NULL : made);
}

char *make_text(const char *format, ...)
{
    va_list va;
    va_start(va, format);
    char *made = vmake_text(format, va);
    va_end(va);
    return made;
}
