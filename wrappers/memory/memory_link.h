/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface between both libraries. libspur-memory.so stands in front of the allocator and
 * counts; it is preloaded only if memory is to be recorded, so that no other program's malloc()
 * pays for the counting. libspur.so records. libspur.so finds libspur-memory.so by its only
 * exported function.
 */
#ifndef MEMORY_LINK_H
#define MEMORY_LINK_H

#include <stdbool.h>
#include <stdint.h>

struct memory_use {
    uint64_t bytes;  /* of all blocks, as malloc_usable_size() gives them */
    uint64_t peak;   /* up to now */
    uint64_t mapped; /* by the process itself, past the allocator; see memory_maps.h */
    uint64_t mapped_peak;
};

/* A caller: the return address of the call, and the end of the called function's frame. */
struct memory_caller {
    const void *address;
    const void *frame;
};

/* A recorded block. */
struct memory_block {
    uint64_t bytes;      /* as malloc_usable_size() gives them */
    uint64_t stands_for; /* a sample: bytes of the blocks that it represents; 0: no sample */
    const void *caller;  /* return address of the call that took the block */
    uint32_t context;    /* libspur.so's: the number of its call stack + 1; 0: not known yet */
};

/* The functions of libspur.so. Any thread, inside malloc() or free(). All keep errno. */
struct memory_recorder {
    uint64_t step; /* record a change of so many bytes; 0: as memory_count.c chooses */
    uint64_t from; /* record the calls for so many bytes or more, and samples of others; 0: none */
    uint64_t (*seed)(void);       /* of the samples of this process */
    uint32_t (*generation)(void); /* changed: the process is a child of fork() */
    /*
     * The process holds a step more or less than at the last memory_use_now(). The function calls
     * memory_use_now(), unless nothing can be recorded now.
     */
    void (*changed)(void);
    /* The block has been taken. False: the block cannot be recorded, and is not known. */
    bool (*took)(const void *p, const struct memory_block *block);
    /* The block is about to be given back. False: the block is not known. */
    bool (*gave)(const void *p, struct memory_block *block);
    /* The region of a call, by its place in memory_counter.names. NULL: the call is not
     * recorded. */
    void *(*enter)(unsigned call, uint64_t bytes, struct memory_caller caller);
    void (*leave)(unsigned call, void *entered);
};

/* The functions of libspur-memory.so. */
struct memory_counter {
    /* The memory of the process. Changes of other threads may be missing, less than a step for each
     * thread. */
    struct memory_use (*use_now)(void);
    /* Why nothing is counted, the rest of a line behind "memory is not recorded: "; NULL: counting
     * works. */
    const char *why_not;
    const char *const *names; /* of the functions, at most MEMORY_NAMES, as linkers know them */
    unsigned n;
};
enum { MEMORY_NAMES = 64 };

/* By libspur.so, once, in a constructor. `recorder` NULL: the counts are not wanted, do not
 * count. */
typedef const struct memory_counter *memory_connect(const struct memory_recorder *recorder);
memory_connect spur_memory_connect;
#define MEMORY_CONNECT "spur_memory_connect"

#endif
