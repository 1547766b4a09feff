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
    uint64_t bytes;  /* of all blocks, as malloc_usable_size() gives them */
    uint64_t peak;   /* up to now */
    uint64_t mapped; /* by itself, past the allocator; see memory_maps.h */
    uint64_t mapped_peak;
};

/* Who has called: where the call returns to, and where the frame of the called function ends. */
struct memory_caller {
    const void *address;
    const void *frame;
};

/* A block that is recorded. */
struct memory_block {
    uint64_t bytes;      /* as malloc_usable_size() gives them */
    uint64_t stands_for; /* a sample: bytes of all blocks that it is drawn from; 0: no sample */
    const void *caller;  /* where the call that took it returned to */
    uint32_t context;    /* libspur.so's: the number of its call stack + 1; 0: not known yet */
};

/* What libspur.so does. Any thread, inside malloc() or free(). All keep errno. */
struct memory_recorder {
    uint64_t step; /* record a change of so many bytes; 0: as memory_count.c chooses */
    uint64_t from; /* record the calls for so many bytes or more, and samples of others; 0: none */
    uint64_t (*seed)(void);       /* of the samples of this process */
    uint32_t (*generation)(void); /* another one: the process is a child of fork() */
    /*
     * The process holds a step more or less than it did at the last memory_use_now(). Calls that,
     * unless nothing can be recorded now.
     */
    void (*changed)(void);
    /* The block has been taken. False: it cannot be recorded, and is not known. */
    bool (*took)(const void *p, const struct memory_block *block);
    /* It is about to be given back. False: it is not known. */
    bool (*gave)(const void *p, struct memory_block *block);
    /* The region of a call, by its place in memory_counter.names. NULL: it is not recorded. */
    void *(*enter)(unsigned call, uint64_t bytes, struct memory_caller caller);
    void (*leave)(unsigned call, void *entered);
};

/* What libspur-memory.so does. */
struct memory_counter {
    /* What the process holds. Of other threads changes of less than a step may be missing. */
    struct memory_use (*use_now)(void);
    /* Why nothing is counted, the rest of a line behind "memory is not recorded: "; NULL: it is. */
    const char *why_not;
    const char *const *names; /* of the functions, at most MEMORY_NAMES, as linkers know them */
    unsigned n;
};
enum { MEMORY_NAMES = 64 };

/* By libspur.so, once, in a constructor. `recorder` NULL: nobody wants to know, do not count. */
typedef const struct memory_counter *memory_connect(const struct memory_recorder *recorder);
memory_connect spur_memory_connect;
#define MEMORY_CONNECT "spur_memory_connect"

#endif
