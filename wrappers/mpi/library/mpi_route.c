/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/library/mpi_route.h"

#include <dlfcn.h>

#include "wrappers/kit/wrapper.h"
#include "wrappers/kit/wrapper_lock.h"

/* All libraries found. Libraries are only ever added. */
static _Atomic(struct mpi_library *) libraries;
static _Atomic(bool) has_several;

/* ---- the wrappers' caches, emptied when a second library appears ---- */

enum { CACHES = 4096 };
static _Atomic(mpi_function) *_Atomic(filled[CACHES]);
static _Atomic(size_t) filled_count;

static void keep(_Atomic(mpi_function) *cache, mpi_function next)
{
    size_t at = atomic_fetch_add(&filled_count, 1);
    if (at >= CACHES)
        return; /* slower, still right */
    atomic_store(&filled[at], cache);
    atomic_store(cache, next);
    /* The thread that sets the flag empties only the caches that are visible by then. */
    if (atomic_load(&has_several))
        atomic_store(cache, NULL);
}

static void expect_several(void)
{
    atomic_store(&has_several, true);
    for (size_t i = 0; i < CACHES; i++) {
        _Atomic(mpi_function) *cache = atomic_load(&filled[i]);
        if (cache)
            atomic_store(cache, NULL);
    }
}

/* ---- libraries ---- */

static struct mpi_library *known_library(const void *base)
{
    struct mpi_library *lib = atomic_load(&libraries);
    while (lib && lib->base != base)
        lib = lib->next;
    return lib;
}

static const void *base_of_library(void *handle)
{
    const void *function = mpi_library_symbol(handle, "PMPI_Initialized");
    return function ? wrapper_base(function) : NULL;
}

/*
 * Several threads may come here at once. All build the same library, and the first thread's stays.
 */
static struct mpi_library *intern_library(void *handle)
{
    static struct wrapper_lock lock;
    struct mpi_library *known = known_library(base_of_library(handle));
    struct mpi_library *lib = known ? NULL : mpi_library_new(handle);
    if (!lib)
        return known;
    wrapper_lock_take(&lock);
    known = known_library(lib->base);
    if (!known) {
        lib->next = atomic_load(&libraries);
        atomic_store(&libraries, lib);
        const struct mpi_library *none = NULL;
        atomic_compare_exchange_strong(&mpi_library_found, &none, lib);
    }
    wrapper_lock_give(&lock);
    if (known)
        mpi_library_free(lib);
    else if (lib->next)
        expect_several();
    return known ? known : lib;
}

static bool is_initialised(const struct mpi_library *lib)
{
    int flag = 0;
    return lib->Initialized(&flag) == 0 && flag;
}

/* ---- the library of an object ---- */

/* The MPI library that the object is or depends on. The object itself may be unloaded. */
static void *open_mpi_of(const char *path)
{
    void *object = path[0] ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *library = object ? wrapper_open(mpi_library_symbol(object, "PMPI_Initialized")) : NULL;
    if (object)
        dlclose(object);
    return library;
}

static void *open_caller(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname ? open_mpi_of(info.dli_fname) : NULL;
}

static void *library_in(const char *path, const void *must_be_new)
{
    void *handle = open_mpi_of(path);
    struct mpi_library *lib = handle ? intern_library(handle) : NULL;
    if (handle && (!lib || lib->handle != handle))
        dlclose(handle);
    return lib && must_be_new && is_initialised(lib) ? NULL : lib;
}

static struct mpi_library *any_library(bool must_be_new)
{
    return wrapper_each_object(library_in, must_be_new ? "" : NULL);
}

/* "Init" of "PMPI_Init". */
static const char *function_of(const char *name)
{
    return strchr(name, '_') + 1;
}

static bool starts_mpi(const char *name)
{
    const char *function = function_of(name);
    return strcmp(function, "Init") == 0 || strcmp(function, "Init_thread") == 0;
}

/*
 * The first call to a library is always a call allowed before MPI_Init. Wrappers do not keep such a
 * function as long as a second library can appear out of sight.
 */
static bool may_be_first(const char *name)
{
    static const char *const beginnings[] = {
        "Init", "Finali",      "Session_",    "Info_",
        "T_",   "Abi_",        "Get_version", "Get_library_version",
        "Add_", "Errhandler_",
    };
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(function_of(name), beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/*
 * A caller without an MPI library: code that ends in a call of a function leaves the address of its
 * caller behind. The thread's last library is meant, or a library that can still be started.
 */
static struct mpi_library *library_of_stranger(const char *name, struct mpi_library *last)
{
    if (last && !(starts_mpi(name) && is_initialised(last)))
        return last;
    struct mpi_library *lib = any_library(starts_mpi(name));
    return lib ? lib : atomic_load(&libraries);
}

/*
 * The library that the object of `caller` is bound to, or NULL. The global scope goes before the
 * object's own dependencies, unless the global library is known to have been out of sight. Open MPI
 * moves itself into the global scope when initialised, and the move changes nothing for objects
 * bound before.
 */
static struct mpi_library *library_of(const void *caller)
{
    void *own = open_caller(caller);
    const void *global_base = base_of_library(NULL);
    struct mpi_library *global = global_base ? known_library(global_base) : NULL;
    struct mpi_library *lib = own ? known_library(base_of_library(own)) : NULL;
    if (!lib && global_base && !(global && global->handle))
        lib = intern_library(NULL);
    else if (!lib && own)
        lib = intern_library(own);
    if (own && (!lib || lib->handle != own))
        dlclose(own); /* the library keeps its first handle */
    return lib;
}

/* ---- call sites, in a process with several libraries ---- */

struct site {
    struct site *next;
    const void *caller;
    uintptr_t cache;  /* stands for the function */
    uint32_t unloads; /* spur_code_unloads(), for which the rest is valid */
    struct mpi_library *lib;
    mpi_function function;
};

enum { SITES = 1024 };
static struct site *sites[SITES];
static struct wrapper_lock sites_lock;

static struct site **bucket_of(const void *caller, uintptr_t cache)
{
    uint64_t mixed = ((uint64_t)caller ^ (uint64_t)cache << 1) * 0x9e3779b97f4a7c15u;
    return &sites[mixed >> 54]; /* 10 bits: SITES */
}

/* Under sites_lock. */
static struct site *find_site(const void *caller, uintptr_t cache)
{
    struct site *site = *bucket_of(caller, cache);
    while (site && (site->caller != caller || site->cache != cache))
        site = site->next;
    return site;
}

static bool recall_site(struct site *wanted)
{
    wrapper_lock_take(&sites_lock);
    const struct site *site = find_site(wanted->caller, wanted->cache);
    bool is_known = site && site->unloads == wanted->unloads;
    if (is_known)
        *wanted = *site;
    wrapper_lock_give(&sites_lock);
    return is_known;
}

static void remember_site(const struct site *found)
{
    wrapper_lock_take(&sites_lock);
    struct site *site = find_site(found->caller, found->cache);
    struct site **bucket = bucket_of(found->caller, found->cache);
    struct site *next = site ? site->next : *bucket;
    if (!site && (site = spur_mem_new(sizeof *site)) != NULL)
        *bucket = site;
    if (site) {
        *site = *found;
        site->next = next;
    }
    wrapper_lock_give(&sites_lock);
}

static mpi_function function_at(const void *address)
{
    mpi_function function;
    memcpy(&function, &address, sizeof address);
    return function;
}

static mpi_function function_in(const struct mpi_library *lib, const char *name)
{
    return function_at(lib ? mpi_library_symbol(lib->handle, name) : NULL);
}

/* As the caller reaches it: a binding, or a tool's function before the library's. */
static mpi_function function_for(const char *name, const void *caller)
{
    void *symbol = wrapper_look(name, NULL, caller);
    (void)wrapper_open(symbol); /* for good */
    return function_at(symbol);
}

/* The library of the caller, and the function in the library. */
static struct site resolve(_Atomic(mpi_function) *cache, const char *name, const void *caller)
{
    static _Thread_local struct mpi_library *last;
    struct site site = {.caller = caller, .cache = (uintptr_t)cache};
    site.unloads = spur_code_unloads();
    if (!recall_site(&site)) {
        site.lib = library_of(caller);
        bool is_stranger = !site.lib;
        if (is_stranger)
            site.lib = library_of_stranger(name, last);
        site.function = function_in(site.lib, name);
        const bool is_aside = !site.function;
        if (is_aside) /* the binding is outside the library found, or no library was found */
            site.function = function_for(name, caller);
        if (site.function && (is_aside || !is_stranger))
            remember_site(&site);
    }
    last = site.lib;
    return site;
}

/* ---- routes ---- */

/* The first library that is initialised is the library of the process. */
static void choose(struct mpi_library *lib)
{
    const struct mpi_library *chosen = mpi_library();
    if (chosen && chosen != lib && !is_initialised(chosen))
        atomic_compare_exchange_strong(&mpi_library_found, &chosen, lib);
}

static struct mpi_route mpi_route_find_here(_Atomic(mpi_function) *cache, const char *name,
                                            const void *caller)
{
    const struct mpi_library *only = atomic_load(&has_several) ? NULL : mpi_library();
    if (only && (!only->handle || !may_be_first(name))) {
        mpi_function function = only->handle ? function_for(name, caller) : NULL;
        function = function ? function : function_in(only, name);
        if (function) {
            keep(cache, function);
            return (struct mpi_route){.next = function};
        }
    }
    struct site site = resolve(cache, name, caller);
    if (!site.function)
        return (struct mpi_route){0};
    if (starts_mpi(name))
        choose(site.lib);
    return (struct mpi_route){.next = site.function, .is_other = site.lib != mpi_library()};
}
SPUR_DOOR(struct mpi_route, mpi_route_find, (_Atomic(mpi_function) *, cache), (const char *, name),
          (const void *, caller))

static int missing(void)
{
    const struct mpi_library *lib = mpi_library();
    return lib ? lib->layout.err_other : 15;
}

struct mpi_route mpi_route_find_or_error(_Atomic(mpi_function) *cache, const char *name,
                                         const void *caller)
{
    struct mpi_route route = mpi_route_find(cache, name, caller);
    if (route.next)
        return route;
    spur_say("%s was called, but no MPI library of this process has it", name);
    return (struct mpi_route){.next = (mpi_function)missing};
}
