/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The real functions: the functions of the process's allocator, behind libspur-memory.so. The
 * allocator may be the C library's, or preloaded, or linked.
 */
#ifndef MEMORY_REAL_H
#define MEMORY_REAL_H

#include <stdbool.h>
#include <stddef.h>

enum memory_call {
#define TAKES(name, ...) MEMORY_##name,
#define GIVES(name, ...) MEMORY_##name,
#define NEW(name, ...) MEMORY_##name,
#define DELETE(name, ...) MEMORY_##name,
#define BY_HAND(name) MEMORY_##name,
#define MAPS(name) MEMORY_##name,
#include "wrappers/memory/preload/memory_calls.def"
#undef MAPS
#undef BY_HAND
#undef DELETE
#undef NEW
#undef GIVES
#undef TAKES
    MEMORY_CALLS
};

extern const char *const memory_names[MEMORY_CALLS]; /* as linkers know them */

/* Any function; to be cast to its true type before it is called. */
typedef void (*memory_any)(void);

struct memory_function {
    memory_any real;
    /*
     * The function is counted. A function of another library than malloc()'s is not counted: either
     * the function works by counted functions, as the operators of libstdc++ do, or its blocks are
     * not the allocator's.
     */
    bool counts;
};
extern struct memory_function memory_function[MEMORY_CALLS];
extern size_t (*memory_size_of)(void *p); /* malloc_usable_size() */

enum memory_mode {
    MEMORY_NEW,     /* nothing is known yet */
    MEMORY_FINDING, /* blocks taken meanwhile come from the arena */
    MEMORY_COUNTS,
    MEMORY_PASSES, /* not to be counted */
};
extern enum memory_mode memory_mode;

/*
 * In the first call that takes or gives back a block, or a constructor. No call of the loader's:
 * the caller may hold a lock for which the loader, or a function called by the loader, waits.
 */
void memory_find(void);
/* The function behind ours; the same, at any time, also before memory_find(). NULL: no function. */
memory_any memory_real(enum memory_call call);
/* An operator missing at memory_find(): its library has been loaded since. */
memory_any memory_find_late(enum memory_call call);
/* Why nothing can be counted; NULL: counting works. */
const char *memory_why_not(void);

/* Blocks of zeros while the real functions are not known; never given back. */
void *memory_arena_take(size_t size);
bool memory_arena_has(const void *p);
size_t memory_arena_rest(const void *p); /* bytes that may be read from there on */

#endif
