/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/memory/preload/memory_real.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attach/loaded.h"
#include "base/raw_call.h"
#include "wrappers/memory/preload/memory_maps.h"

struct memory_function memory_function[MEMORY_CALLS];
size_t (*memory_size_of)(void *p);
enum memory_mode memory_mode;
static const char *why_not;

const char *const memory_names[MEMORY_CALLS] = {
#define TAKES(name, ...) [MEMORY_##name] = #name,
#define GIVES(name, ...) [MEMORY_##name] = #name,
#define NEW(name, ...) [MEMORY_##name] = #name,
#define DELETE(name, ...) [MEMORY_##name] = #name,
#define BY_HAND(name) [MEMORY_##name] = #name,
#define MAPS(name) [MEMORY_##name] = #name,
#include "wrappers/memory/preload/memory_calls.def"
#undef MAPS
#undef BY_HAND
#undef DELETE
#undef NEW
#undef GIVES
#undef TAKES
};

/* A function by its address: ISO C knows no cast from data to function. */
static memory_any function_at(const void *address)
{
    memory_any function;
    memcpy(&function, &address, sizeof function);
    return function;
}

/*
 * ---- names, without the loader ----
 *
 * An allocator may call while a lock of its own is held. The loader takes a lock, and memory for
 * the message of a failed look-up. So the tables of names are searched here, in the loader's order.
 * Objects from the start of the process stay. Objects that another thread opens come behind.
 */

static const struct link_map *own_map(void)
{
    const struct link_map *map = _r_debug.r_map;
    while (map && map->l_ld != _DYNAMIC)
        map = map->l_next;
    return map;
}

struct found {
    uintptr_t address; /* 0: not found */
    const struct link_map *map;
};

static struct found find_from(const struct link_map *map, const char *name)
{
    for (; map; map = map->l_next) {
        struct attach_object object;
        const uintptr_t address =
            attach_object_read_map(&object, map) ? attach_object_symbol(&object, name) : 0;
        if (address)
            return (struct found){address, map};
    }
    return (struct found){0, NULL};
}

static struct found find_next(const char *name)
{
    const struct link_map *own = own_map();
    return own ? find_from(own->l_next, name) : (struct found){0, NULL};
}

static memory_any function_in(struct found found)
{
    return function_at((const void *)found.address); // NOLINT(performance-no-int-to-ptr)
}

memory_any memory_real(enum memory_call call)
{
    memory_any real = memory_function[call].real;
    return real ? real : (memory_function[call].real = function_in(find_next(memory_names[call])));
}

/*
 * The place of the object: the headers are at the begin, unless the object was made for a fixed
 * place.
 */
static bool read_bounds(struct attach_object *object, const struct link_map *map)
{
    const ElfW(Ehdr) *header = (const void *)map->l_addr; // NOLINT(performance-no-int-to-ptr)
    unsigned char is_there;
    if (!header || spur_raw_call(SYS_mincore, (long)map->l_addr, 1, (long)&is_there, 0, 0, 0) ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    const struct dl_phdr_info info = {.dlpi_addr = map->l_addr,
                                      .dlpi_phdr = (const void *)(map->l_addr + header->e_phoff),
                                      .dlpi_phnum = header->e_phnum};
    return attach_object_read(object, &info);
}

/* ---- the allocator in use ---- */

/*
 * Sanitizers are built around their allocators. A sanitizer may be in the middle of its own start
 * now, when its forms of other functions do not work yet. So nothing else is called before the
 * check for sanitizers.
 */
static const char *sanitizer(void)
{
    static const struct {
        const char *symbol, *says;
    } known[] = {{"__asan_init", "AddressSanitizer keeps the memory of this program"},
                 {"__tsan_init", "ThreadSanitizer keeps the memory of this program"},
                 {"__lsan_init", "LeakSanitizer keeps the memory of this program"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (find_from(_r_debug.r_map, known[i].symbol).address)
            return known[i].says;
    return NULL;
}

/*
 * Does the program call the malloc() of this library? Valgrind leads calls to its own malloc(), and
 * no table shows the detour. The library's malloc() takes from the arena meanwhile: a block from
 * elsewhere proves the detour. A malloc() found by name before the library's is not called, since
 * the other allocator may be at work.
 */
static bool is_ours(void)
{
    if (find_from(_r_debug.r_map, "malloc").map != own_map())
        return false;
    void *p = malloc(1);
    const bool is_from_arena = memory_arena_has(p);
    free(p);
    return is_from_arena;
}

static const char *judge(struct found real, struct found size_of)
{
    if (!is_ours())
        return "the program has a malloc() that comes before libspur-memory.so";
    if (!size_of.address || size_of.map != real.map)
        return "the allocator of this program has no malloc_usable_size()";
    return NULL;
}

/*
 * At the first call the allocator may take memory itself, by the library's operators: tcmalloc
 * does.
 */
static void warm_up(void)
{
    void *(*take)(size_t) = (void *(*)(size_t))memory_function[MEMORY_malloc].real;
    void (*give)(void *) = (void (*)(void *))memory_function[MEMORY_free].real;
    void *p = take(1);
    if (p)
        (void)memory_size_of(p);
    give(p);
}

static void find_all(struct found allocator)
{
    struct attach_object object;
    for (int i = 0; i < MEMORY_CALLS; i++) {
        const struct found found = find_next(memory_names[i]);
        memory_function[i].counts = found.address && found.map == allocator.map;
        memory_function[i].real = function_in(found);
    }
    if (allocator.map && read_bounds(&object, allocator.map))
        memory_maps_start(object.start, object.end);
    else
        memory_maps_start(0, 0);
}

void memory_find(void)
{
    static atomic_flag is_begun = ATOMIC_FLAG_INIT;
    int saved = errno;
    if (atomic_flag_test_and_set(&is_begun))
        return;
    memory_mode = MEMORY_FINDING;
    const struct found real = find_next("malloc"), size_of = find_next("malloc_usable_size");
    find_all(real);
    memory_size_of = (size_t(*)(void *))function_in(size_of);
    why_not = sanitizer();
    if (!why_not)
        why_not = judge(real, size_of);
    if (!why_not)
        warm_up();
    memory_mode = why_not ? MEMORY_PASSES : MEMORY_COUNTS;
    errno = saved;
}

/*
 * The operators for a C++ library that a program without C++ has opened, or that came with a
 * plugin. No object from the start of the process has the operators, and the C++ library may go
 * with the plugin. So functions here do the work of the C++ library's operators. Without memory an
 * operator must throw an exception, and only the C++ library can throw. Once used for an exception,
 * the C++ library stays.
 */
static void *library_of_operators(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof libraries / sizeof libraries[0]; i++)
        library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    return library;
}

static memory_any theirs(const char *name)
{
    void *library = library_of_operators();
    void *address = library ? dlsym(library, name) : NULL;
    if (!address)
        abort();
    return function_at(address);
}

static void *late_new(size_t size)
{
    void *p = malloc(size ? size : 1);
    return p ? p : ((void *(*)(size_t))theirs("_Znwm"))(size);
}

static void *late_new_or_null(size_t size, const void *tag)
{
    (void)tag;
    return malloc(size ? size : 1);
}

static void *late_aligned_or_null(size_t size, size_t alignment, const void *tag)
{
    void *p = NULL;
    (void)tag;
    alignment = alignment < sizeof p ? sizeof p : alignment;
    return posix_memalign(&p, alignment, size ? size : 1) ? NULL : p;
}

static void *late_aligned(size_t size, size_t alignment)
{
    void *p = late_aligned_or_null(size, alignment, NULL);
    return p ? p : ((void *(*)(size_t, size_t))theirs("_ZnwmSt11align_val_t"))(size, alignment);
}

static memory_any late_of(const char *name)
{
    static const char delete[] = "_Zd";
    bool is_aligned = strstr(name, "align_val") != NULL;
    if (!strncmp(name, delete, sizeof delete - 1))
        return (memory_any)free;
    if (strstr(name, "nothrow"))
        return is_aligned ? (memory_any)late_aligned_or_null : (memory_any)late_new_or_null;
    return is_aligned ? (memory_any)late_aligned : (memory_any)late_new;
}

memory_any memory_find_late(enum memory_call call)
{
    return memory_function[call].real = late_of(memory_names[call]);
}

const char *memory_why_not(void)
{
    return why_not;
}

/* ---- the arena ---- */

enum { ARENA = 16 << 10 };
static _Alignas(max_align_t) char arena[ARENA];
static _Atomic size_t arena_used;

void *memory_arena_take(size_t size)
{
    const size_t mask = sizeof(max_align_t) - 1;
    size_t used = atomic_load(&arena_used), rounded = (size + mask) & ~mask;
    do
        if (size > ARENA || rounded > ARENA - used) {
            errno = ENOMEM;
            return NULL;
        }
    while (!atomic_compare_exchange_weak(&arena_used, &used, used + rounded));
    return arena + used;
}

bool memory_arena_has(const void *p)
{
    return (uintptr_t)p - (uintptr_t)arena < ARENA;
}

size_t memory_arena_rest(const void *p)
{
    return ARENA - (size_t)((uintptr_t)p - (uintptr_t)arena);
}
