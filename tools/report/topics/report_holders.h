/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who holds a lock while others wait for the lock: which location, taken at which line, and in
 * which call the holder was meanwhile. A wait is divided by the holds that overlap with the wait.
 * Holds are known from acquisition and release. Where only locks are recorded that a thread had to
 * wait for, the holder before the wait is unknown, so such waits are not divided.
 */
#ifndef TOOLS_REPORT_HOLDERS_H
#define TOOLS_REPORT_HOLDERS_H

#include <stdint.h>

#include <otf2/otf2.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"

struct report;
struct stream;
struct frame;
struct lock;

/* ---- the local part: calls of a location that holds a lock ---- */

enum {
    HELD_CALLS = 4, /* calls that are counted separately in a hold */
    HELD_MOST = 64  /* locks of a location, the most recent ones */
};

struct held_call {
    uint32_t node; /* call made in the region where the lock was acquired */
    uint64_t ticks;
};

/* The last calls of a location that have returned, in archives where counted locks may be held. */
enum { LATEST = 8 };
struct latest_call {
    uint64_t enter, caller, ticks;
    uint32_t node;
};
struct latest_calls {
    uint32_t n;
    struct latest_call call[LATEST];
};

/* Parameters of a counted lock. If `is_own`, the acquisition by the same location follows. */
struct lock_told {
    uint64_t lock, since;
    bool is_own;
};

/* A lock held by a location. */
struct held_now {
    uint64_t since;
    OTF2_Paradigm model;
    uint32_t id;
    uint32_t depth; /* recursive locks */
    uint32_t n;
    struct held_call calls[HELD_CALLS];
};

/* The location acquires a lock, releases a lock, and leaves a call while a lock is held. */
void holders_begin(struct stream *s, OTF2_Paradigm model, uint32_t id);
/*
 * An acquisition that is recorded late: the lock is held since `since`; later calls count as within
 * the hold.
 */
void holders_begin_late(struct stream *s, OTF2_Paradigm model, uint32_t id, uint64_t since);
/* Returns the longest call of the hold; ticks 0: no call was made. */
struct held_call holders_end(struct stream *s, OTF2_Paradigm model, uint32_t id);
void holders_returned(struct stream *s, const struct frame *frame);

/* ---- the shared part: by the worker of the lock ---- */

/*
 * The use of a lock by a location that acquires the lock at a given place, with the calls during
 * the hold.
 */
struct lock_use {
    uint32_t lock;
    uint32_t location;
    uint32_t region; /* region that acquires the lock */
    uint32_t site;   /* place of the acquisition; NIL: not known */
    uint64_t held;
    uint64_t blocked;   /* waiting of selected locations during the hold */
    uint32_t in_region; /* the call with the most time in a single hold */
    uint32_t in_site;
    uint64_t in; /* lower bound of the time in the call */
    uint64_t in_longest;
};

/* A hold that is over. */
struct past {
    uint64_t since;
    uint64_t until;
    uint32_t holding;
};

enum { PASTS_MOST = 16 };

/* The last holds of a lock; holds of less than a microsecond are left out. */
struct pasts {
    uint32_t next;
    uint32_t n;
    struct past at[PASTS_MOST];
};

struct holders {
    LIST(struct lock_use) all;
    struct map index_of; /* (lock, location), (region, site) */
    LIST(struct pasts) pasts;
    struct map waiter_of; /* (lock, location) */
};

/* The holder of a lock while others wait most; blocked 0: not known. No pointers. */
struct lock_holder {
    uint32_t location; /* NIL: several locations, from the same place */
    uint32_t region;
    uint32_t site;
    uint64_t held;
    uint64_t blocked;
    uint32_t in_region;
    uint32_t in_site;
    uint64_t in;
};

/* A hold by the location has ended. `in`: time of its longest call, see holders_end(). */
struct hold {
    uint64_t since;
    uint64_t until;
    uint32_t location;
    uint32_t region;
    uint32_t site;
    uint32_t in_region;
    uint32_t in_site;
    uint64_t in;
};

void holders_add(struct report *r, uint32_t lock, const struct hold *hold);

/* A selected location has waited for the lock. `is_known`: all holds are recorded. */
void holders_wait(struct report *r, uint32_t lock, uint32_t location, uint64_t enter, uint64_t time,
                  bool is_known);

/* When all events are read: sets the holder of each lock. */
void holders_close(struct report *r);
/* The name of the holder, for a reader who knows the process; "": several holders. */
const char *holders_name(const struct report *r, const struct lock *lock);
/* "MPI_Recv at solver.c:118"; "" if no call fills half of the holder's time. */
const char *holders_call(const struct report *r, const struct lock_holder *holder);
void holders_free(struct report *r);

#endif
