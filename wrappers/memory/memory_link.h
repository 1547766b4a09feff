/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the two libraries know of each other. libspur-memory.so stands in front of the allocator and
 * counts; it is preloaded only if memory is to be recorded, so that nobody else's malloc() pays for
 * it. libspur.so records. It finds the other one by this one function, which that exports.
 */
#ifndef MEMORY_LINK_H
#define MEMORY_LINK_H

#include <stdbool.h>
#include <stdint.h>

struct memory_use {
    uint64_t bytes; /* of all blocks, as malloc_usable_size() gives them */
    uint64_t peak;  /* up to now */
};

/* What libspur.so does. */
struct memory_recorder {
    uint64_t step; /* record a change of so many bytes; 0: as memory_count.c chooses */
    /*
     * The process holds a step more or less than it did at the last memory_use_now(). Calls that,
     * unless nothing can be recorded now. Any thread, inside malloc() or free(). Keeps errno.
     */
    void (*changed)(void);
};

/* What libspur-memory.so does. */
struct memory_counter {
    /* What the process holds. Of other threads changes of less than a step may be missing. */
    struct memory_use (*use_now)(void);
    /* Why nothing is counted, the rest of a line behind "memory is not recorded: "; NULL: it is. */
    const char *why_not;
};

/* By libspur.so, once, in a constructor. `recorder` NULL: nobody wants to know, do not count. */
typedef const struct memory_counter *memory_connect(const struct memory_recorder *recorder);
memory_connect spur_memory_connect;
#define MEMORY_CONNECT "spur_memory_connect"

#endif
