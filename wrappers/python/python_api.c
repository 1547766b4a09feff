/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/python/python_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "wrappers/python/python_loop.h"

static const struct python_layout layouts[] = {
#define DIRECT PYTHON_DIRECT
#define LAYOUT(minor, state, top, code, caller, HOW, instruction, ENTRY, mark, ascii, compact,     \
               LINES)                                                                              \
    {minor,       state,          top,  code,  caller,  PYTHON_##HOW,                              \
     instruction, PYTHON_##ENTRY, mark, ascii, compact, PYTHON_##LINES},
#include "wrappers/python/python_layouts.def"
#undef DIRECT
};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static struct python python;
static _Atomic(const struct python *) found;
static const void *caller_within; /* an address in the object that has it, or NULL */
static atomic_bool is_unknown;

const struct python *python_found(void)
{
    return atomic_load_explicit(&found, memory_order_acquire);
}

const char *python_unknown(void)
{
    return atomic_load_explicit(&is_unknown, memory_order_acquire) ? python.version : NULL;
}

/* ---- its functions ---- */

static void *look_in(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    void *address = library ? dlsym(library, name) : NULL;
    if (library)
        (void)dlclose(library);
    return address;
}

/* Programs that embed it may have loaded it for themselves alone. */
static void *look_into(const char *path, const void *data)
{
    const char *const *name = data;
    return strstr(path, "/libpython3.") ? look_in(path, *name) : NULL;
}

/* It may stand before the agent in the order of the loader, so it is not "the next one". */
void *python_symbol(const char *name)
{
    Dl_info info;
    void *address =
        caller_within && dladdr(caller_within, &info) ? look_in(info.dli_fname, name) : NULL;
    if (!address)
        address = dlsym(RTLD_DEFAULT, name);
    return address ? address : wrapper_each_object(look_into, &name);
}

bool python_find_symbol(const char *name, void *to)
{
    void *address = python_symbol(name);
    memcpy(to, &address, sizeof address);
    return address != NULL;
}

static bool find_functions(void)
{
    return true
#define API(type, name, parameters) &&python_find_symbol(#name, &python.name)
#define API_OR(type, name, other, parameters)                                                      \
    &&(python_find_symbol(#name, &python.name) || python_find_symbol(#other, &python.name))
#define API_TYPE(name) &&python_find_symbol(#name, &python.name)
#include "wrappers/python/python_api.def"
        ;
}

/* ---- what it has where ---- */

static int offset_of(const char *name)
{
    const struct python_member *member =
        (const struct python_member *)(const void *)python_pointer(python.PyCode_Type,
                                                                   PYTHON_TYPE_MEMBERS);
    for (; member && member->name; member++)
        if (strcmp(member->name, name) == 0)
            return (int)member->offset;
    return -1;
}

static const char *find_version(void)
{
    const char *text = python.Py_GetVersion();
    (void)snprintf(python.version, sizeof python.version, "%.*s", (int)strcspn(text, " "), text);
    return text;
}

/* Free-threaded builds have other objects. */
static void find_layout(void)
{
    int minor;
    const char *text = find_version();
    if (strncmp(text, "3.", 2) != 0 || strstr(text, "free-threading"))
        return;
    minor = (int)strtol(text + 2, NULL, 10);
    python.instructions = (int)python_number(python.PyCode_Type, PYTHON_TYPE_BYTES);
    python.file = offset_of("co_filename");
    python.begin = offset_of("co_firstlineno");
    python.function = offset_of("co_qualname");
    if (python.function < 0)
        python.function = offset_of("co_name");
    python.lines = offset_of("co_linetable");
    if (python.lines < 0)
        python.lines = offset_of("co_lnotab");
    if (python.file < 0 || python.begin < 0 || python.function < 0 || python.lines < 0)
        return;
    for (size_t i = 0; i < LAYOUTS; i++)
        if (layouts[i].minor == minor || (i == LAYOUTS - 1 && layouts[i].minor < minor))
            python.layout = &layouts[i];
}

struct python_minors python_minors(void)
{
    return (struct python_minors){layouts[0].minor, layouts[LAYOUTS - 1].minor};
}

static void find_python(void *arg)
{
    (void)arg;
    bool is_there = sizeof(void *) == sizeof(int64_t) && find_functions();
    (void)dlerror(); // NOLINT(concurrency-mt-unsafe): per thread; our failure is not the program's
    if (!is_there) {
        if (python.Py_GetVersion) {
            (void)find_version();
            atomic_store_explicit(&is_unknown, true, memory_order_release);
        }
        return;
    }
    (void)wrapper_open(python.PyCode_Type); /* for good: its functions are called at any time */
    find_layout();
    python_loop_find();
    /* So that the loader need not look up what it calls in a signal handler. */
    (void)python.PyThreadState_GetUnchecked();
    atomic_store_explicit(&found, &python, memory_order_release);
}

const struct python *python_find_for(const void *caller)
{
    if (!python_found())
        caller_within = caller;
    return python_find();
}

/* Threads that come here at once find the same. */
const struct python *python_find(void)
{
    if (!python_found())
        spur_on_own_stack(find_python, NULL);
    return python_found();
}

void python_find_early(void)
{
    bool is_there = dlsym(RTLD_DEFAULT, "Py_GetVersion");
    (void)dlerror(); // NOLINT(concurrency-mt-unsafe): per thread; our failure is not the program's
    if (is_there)
        (void)python_find();
}
