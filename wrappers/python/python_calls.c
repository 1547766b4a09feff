/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/python/python_calls.h"

#include <dlfcn.h>

#include "wrappers/python/python_api.h"

enum { HAS_MONITORING = 12 }; /* of 3.x */

struct python_calls python_calls;

/* CPython has it from 3.`since` on. */
static bool find_or_old(int since, const char *name, wrapper_any old, void *to)
{
    if (python_find_symbol(name, to))
        return true;
    memcpy(to, &old, sizeof old);
    return python_found()->layout->minor < since;
}

static bool find_if_new(const char *name, void *to)
{
    return python_found()->layout->minor < HAS_MONITORING || python_find_symbol(name, to);
}

static bool python_calls_find_here(void)
{
    bool is_there = true
#define API(type, name, parameters) &&python_find_symbol(#name, &python_calls.name)
#define API_OR(type, name, other, parameters)                                                      \
    &&(python_find_symbol(#name, &python_calls.name) ||                                            \
       python_find_symbol(#other, &python_calls.name))
#define API_39(type, name, parameters)                                                             \
    &&find_or_old(9, #name, (wrapper_any)python_old_##name, &python_calls.name)
#define API_311(type, name, parameters)                                                            \
    &&find_or_old(11, #name, (wrapper_any)python_old_##name, &python_calls.name)
#define API_312(type, name, parameters) &&find_if_new(#name, &python_calls.name)
#include "wrappers/python/python_calls.def"
        ;
    (void)dlerror(); // NOLINT(concurrency-mt-unsafe): per thread; our failure is not the program's
    return is_there;
}
SPUR_DOOR_ALONE(bool, python_calls_find)
