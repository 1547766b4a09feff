/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The findings of spur report as single items: the parts of spur report read the archive once more,
 * on one worker. The memory follows the number of messages, collective operations and file
 * operations under way.
 */
#ifndef TOOLS_EXPORT_FOUND_H
#define TOOLS_EXPORT_FOUND_H

#include <stdbool.h>
#include <stdint.h>

#define FOUND_NONE UINT64_MAX

/* Locations, processes, regions and handles have the numbers of the archive, times are ticks. */
struct found_wait {
    uint64_t location;
    uint64_t process;
    uint64_t region; /* FOUND_NONE: outside of all regions */
    const char *why;
    uint64_t begin;
    uint64_t end;
};

struct found_access {
    uint64_t location;
    uint64_t call; /* 0: outside of all calls */
    uint64_t handle;
    const char *kind; /* NULL: not known */
    bool is_below;    /* in a call of another interface */
    uint64_t asked;   /* bytes, and the offset in the file; FOUND_NONE: not known */
    uint64_t bytes;
    uint64_t place;
    uint64_t begin;
    uint64_t end;
};

/*
 * A wait for a lock, or in a barrier of threads. A lock has no team; a barrier has neither name nor
 * holder.
 */
struct found_thread_wait {
    uint64_t location;
    uint64_t call;     /* 0: of a barrier that is not recorded */
    uint64_t team;     /* a communicator; FOUND_NONE: not known */
    uint64_t lock;     /* FOUND_NONE: a barrier */
    const char *name;  /* of the lock; "": not known */
    uint32_t paradigm; /* of the lock */
    uint64_t holder;   /* location that had the lock last; FOUND_NONE: not known */
    uint64_t begin;
    uint64_t end;
    uint64_t ticks; /* of waiting, without tasks and pauses in between */
};

/* The memory of a process; `bytes` and `site` belong to a block. */
struct found_memory {
    uint64_t location;
    uint64_t time;
    uint64_t held; /* of the heap, and mapped past the heap; each with the peak so far */
    uint64_t held_peak;
    uint64_t mapped;
    uint64_t mapped_peak;
    const char *change; /* "": not known */
    uint64_t bytes;
    uint32_t site; /* UINT32_MAX: not known */
};

struct found_wish {
    const char *path;
    const bool *is_chosen; /* by location */
    double from;           /* seconds: a window */
    double to;
    void *user;
    void (*wait)(void *user, const struct found_wait *w);
    void (*access)(void *user, const struct found_access *a);
    void (*thread_wait)(void *user, const struct found_thread_wait *w);
    void (*memory)(void *user, const struct found_memory *m);
};

void found_read(const struct found_wish *wish);

#endif
