/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks of threads. A location waits for a lock from the enter of a call to the acquisition in the
 * call. The acquisition is contended if another location released the lock in this time. A call
 * that releases a lock and acquires the same lock again (pthread_cond_wait) is no contention.
 */
#ifndef TOOLS_REPORT_LOCKS_H
#define TOOLS_REPORT_LOCKS_H

#include <stdbool.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/topics/report_holders.h"
#include "tools/report/topics/report_notes.h"
#include "tools/report/topics/report_place.h"

struct report;

/* Counts and times are those of selected locations. */
struct lock {
    uint32_t process;
    OTF2_Paradigm model;
    uint32_t id;
    uint32_t region; /* of the first acquisition */
    uint32_t site;   /* of the first acquisition; NIL: not known */
    uint64_t acquisitions;
    uint64_t contended;
    uint64_t conditions; /* waits for a condition */
    uint32_t waiters;    /* locations with contended acquisitions */
    uint32_t pasts;      /* index + 1 in holders_of; 0: the lock has at most one past, */
    struct past past;    /* `past`, if the past has an end */
    struct lock_holder holder;
    uint64_t waited;      /* time of contended acquisitions */
    uint64_t divided;     /* the part of `waited` in which all holds were recorded */
    struct place longest; /* the longest wait, with the holder of the lock */
    uint64_t held;
    uint64_t holds; /* holds that are over */
    uint64_t longest_held;
    uint64_t released; /* time of the last release */
    uint32_t releaser; /* location of the last release */
    struct birth born;
    uint64_t sequence; /* of the event `born`, among the events of the location */
    uint32_t told;     /* the last holder that parameters named, a location + 1; 0: no holder */
    uint64_t counted;  /* acquisitions that were counted and not recorded */
    uint64_t signals;  /* signals that were counted and not recorded */
    uint32_t counters; /* threads with counted acquisitions or signals */
    const char *kind;  /* lock, semaphore, condition; NULL: nothing was counted */
};

/* A location that holds a lock. */
struct holder {
    bool
        is_told; /* named by parameters: the acquisition has no record, or the record comes later */
    uint64_t since;
    uint32_t depth; /* recursive locks */
    uint32_t next_free;
    uint32_t region; /* of the call that acquires the lock */
    uint32_t site;   /* of the same call */
};

struct locks {
    LIST(struct lock) all;
    struct map index_of; /* (process and model, id) */
    LIST(struct holder) holders;
    uint32_t free_holder; /* index + 1; 0: no holder is free */
    struct map holder_of; /* (lock, location) */
    struct holders holders_of;
};

/* A note of a location: an acquisition or a release, or a wait and its time (report_locks.c). */
void locks_take(struct report *r, const struct engine_note *note, const void *data);
void locks_take_wait(struct report *r, const void *data);

/* A parameter may name the holder of a counted lock. */
void locks_told(struct report *r, struct stream *s, uint32_t parameter, uint64_t value,
                const OTF2_AttributeList *attributes);
/* When all definitions are known: the counted acquisitions of each lock. */
void locks_count(struct report *r);

void locks_register(OTF2_GlobalEvtReaderCallbacks *c);

#endif
