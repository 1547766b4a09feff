/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/memory/preload/memory_real.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static const void *object_of(const void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/*
 * Is our malloc() the one that the program calls? Its address does not tell: in executables that
 * are not position-independent it is that of a stub. While the functions are being found, ours
 * takes from the arena.
 */
static bool is_ours(void)
{
    void *p = malloc(1);
    bool is_from_arena = memory_arena_has(p);
    free(p); /* from the arena, that does nothing */
    return is_from_arena;
}

/*
 * Their allocators are the point of them. They may be at their own beginning now, when their forms
 * of other functions do not work yet, so nothing else is called before this.
 */
static const char *sanitizer(void)
{
    static const struct {
        const char *symbol, *says;
    } known[] = {{"__asan_init", "AddressSanitizer keeps the memory of this program"},
                 {"__tsan_init", "ThreadSanitizer keeps the memory of this program"},
                 {"__lsan_init", "LeakSanitizer keeps the memory of this program"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (dlsym(RTLD_DEFAULT, known[i].symbol))
            return known[i].says;
    return NULL;
}

static const char *judge(const void *real, const void *size_of)
{
    if (!is_ours())
        return "the program has a malloc() that comes before libspur-memory.so";
    if (!size_of || object_of(size_of) != object_of(real))
        return "the allocator of this program has no malloc_usable_size()";
    return NULL;
}

/* The first time it may take memory itself, by our operators: tcmalloc does. */
static void warm_up(void)
{
    void *(*take)(size_t) = (void *(*)(size_t))memory_function[MEMORY_malloc].real;
    void (*give)(void *) = (void (*)(void *))memory_function[MEMORY_free].real;
    void *p = take(1);
    if (p)
        (void)memory_size_of(p);
    give(p);
}

/* libspur.so shows its mmap() and kin to those who ask for this version only. */
static const void *next_of(enum memory_call call)
{
    bool maps = false;
#define BY_HAND(name)
#define TAKES(name, ...)
#define GIVES(name, ...)
#define NEW(name, ...)
#define DELETE(name, ...)
#define MAPS(name) maps = maps || call == MEMORY_##name;
#include "wrappers/memory/preload/memory_calls.def"
#undef MAPS
#undef BY_HAND
#undef DELETE
#undef NEW
#undef GIVES
#undef TAKES
    const void *next = maps ? dlvsym(RTLD_NEXT, memory_names[call], SPUR_LIBC_BASE) : NULL;
    return next ? next : dlsym(RTLD_NEXT, memory_names[call]);
}

void memory_find(void)
{
    int saved = errno;
    if (memory_mode != MEMORY_NEW)
        return;
    memory_mode = MEMORY_FINDING;
    const void *real = dlsym(RTLD_NEXT, "malloc");
    const void *size_of = dlsym(RTLD_NEXT, "malloc_usable_size");
    for (int i = 0; i < MEMORY_CALLS; i++) {
        const void *address = next_of((enum memory_call)i);
        memory_function[i].real = function_at(address);
        memory_function[i].counts = object_of(address) == object_of(real);
    }
    memory_size_of = (size_t(*)(void *))function_at(size_of);
    why_not = sanitizer();
    if (!why_not) {
        why_not = judge(real, size_of);
        memory_maps_start(real);
    }
    if (!why_not)
        warm_up();
    memory_mode = why_not ? MEMORY_PASSES : MEMORY_COUNTS;
    errno = saved;
}

/* What the operators do where there is no library of C++: only an exception cannot be thrown. */
static void *late_new(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p)
        abort();
    return p;
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
    if (!p)
        abort();
    return p;
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

/*
 * The operators of a library that a program without C++ has opened. It is not among those that
 * RTLD_NEXT looks through, but it uses our operators, which are in front of all. Once used, the
 * library stays. If the plugin has brought the operators with it, they may go as it goes: then ours
 * do what they would.
 */
memory_any memory_find_late(enum memory_call call)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1"};
    int saved = errno;
    const void *address = NULL;
    for (size_t i = 0; !address && i < sizeof libraries / sizeof libraries[0]; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        address = library ? dlsym(library, memory_names[call]) : NULL;
        if (library)
            dlclose(library);
    }
    errno = saved;
    memory_any real = address ? function_at(address) : late_of(memory_names[call]);
    memory_function[call].real = real;
    return real;
}

const char *memory_why_not(void)
{
    return why_not;
}

/* ---- the arena ---- */

enum { ARENA = 16 << 10 };
static _Alignas(max_align_t) char arena[ARENA];
static size_t arena_used;

void *memory_arena_take(size_t size)
{
    const size_t mask = sizeof(max_align_t) - 1;
    size_t at = (arena_used + mask) & ~mask;
    if (at > ARENA || size > ARENA - at) {
        errno = ENOMEM;
        return NULL;
    }
    arena_used = at + size;
    return arena + at;
}

bool memory_arena_has(const void *p)
{
    return (uintptr_t)p - (uintptr_t)arena < ARENA;
}

size_t memory_arena_rest(const void *p)
{
    return ARENA - (size_t)((uintptr_t)p - (uintptr_t)arena);
}
