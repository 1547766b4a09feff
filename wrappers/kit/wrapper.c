/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/kit/wrapper.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>

static long no_such_function(void)
{
    errno = ENOSYS;
    return -1;
}

wrapper_any wrapper_find(struct wrapper_function *function)
{
    int kept = errno;
    void *address = spur_real(function->call.name, function->version);
    errno = kept;
    wrapper_any real = address             ? wrapper_any_at(address)
                       : function->missing ? function->missing
                                           : (wrapper_any)no_such_function;
    atomic_store_explicit(&function->real, real, memory_order_relaxed);
    return real;
}

void wrapper_find_all(struct wrapper_function *table, size_t n)
{
    spur_quiet_begin(); /* once for all: each look-up would change the mask and change it back */
    for (size_t i = 0; i < n; i++)
        (void)wrapper_real(&table[i]);
    spur_quiet_end();
}

const void *wrapper_base(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

struct nth_object {
    size_t index;
    char path[PATH_MAX];
};

static int copy_path(struct dl_phdr_info *info, size_t size, void *data)
{
    struct nth_object *wanted = data;
    (void)size;
    if (wanted->index-- > 0)
        return 0;
    strncpy(wanted->path, info->dlpi_name, sizeof wanted->path - 1);
    wanted->path[sizeof wanted->path - 1] = '\0';
    return 1;
}

/* dlopen() must not be called under the loader's lock that dl_iterate_phdr() holds. */
void *wrapper_each_object(void *(*look)(const char *path, const void *data), const void *data)
{
    struct nth_object object;
    void *found = NULL;
    for (size_t i = 0; !found; i++) {
        object.index = i;
        if (!dl_iterate_phdr(copy_path, &object))
            return NULL;
        found = look(object.path, data);
    }
    return found;
}

/* ---- libraries that come and go ---- */

void *wrapper_not_ours(void *symbol)
{
    static const char here;
    return symbol && wrapper_base(symbol) == wrapper_base(&here) ? NULL : symbol;
}

static void *look_in(void *scope, const char *name, const char *version)
{
    return wrapper_not_ours(version ? dlvsym(scope, name, version) : dlsym(scope, name));
}

void *wrapper_open(const void *address)
{
    Dl_info info;
    bool is_there = address && dladdr(address, &info) && info.dli_fname && info.dli_fname[0];
    return is_there ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* What the caller's module brings, where modules do not see one another's libraries. */
static void *look_in_module(const void *caller, const char *name, const char *version)
{
    void *module = wrapper_open(caller);
    void *symbol = module ? look_in(module, name, version) : NULL;
    if (module)
        dlclose(module);
    return symbol;
}

void *wrapper_look(const char *name, const char *version, const void *caller)
{
    void *symbol = look_in(spur_real_scope(), name, version);
    return symbol ? symbol : look_in_module(caller, name, version);
}

static void *wrapper_late_here(const char *name, const void *caller)
{
    int kept = errno;
    void *symbol = wrapper_look(name, NULL, caller);
    (void)wrapper_open(symbol); /* for good */
    errno = kept;
    return symbol;
}
void *wrapper_late(const char *name, const void *caller);
SPUR_DOOR(void *, wrapper_late, (const char *, name), (const void *, caller))

wrapper_any wrapper_find_for(struct wrapper_function *function, const void *caller)
{
    void *address = wrapper_late(function->call.name, caller);
    wrapper_any real = address ? wrapper_any_at(address) : NULL;
    atomic_store_explicit(&function->real, real, memory_order_relaxed);
    return real;
}
