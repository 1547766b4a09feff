/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the time goes: every location has a tree of call paths, and a node of it holds what was
 * spent in it alone. What is spent in it and below follows from the tree, and the sums by region,
 * process and path from adding trees; so an event costs one step in the tree, and memory follows
 * the number of different call paths.
 */
#ifndef TOOLS_REPORT_PROFILE_H
#define TOOLS_REPORT_PROFILE_H

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/report/report_defs.h"

struct report;

/* One call path of one location. A node's parent has a smaller index; that of a root is NIL. */
struct node {
    uint32_t parent;
    uint32_t region; /* REGION_PROGRAM: a root, the time outside of all regions */
    uint32_t location;
    uint32_t recent; /* the child that was entered last, NIL: none yet */
    uint32_t depth;
    uint64_t calls;
    uint64_t self;
    uint64_t min; /* of a call, with all that it calls */
    uint64_t max;
    uint64_t total; /* of all calls; by profile_finish */
};

struct frame {
    uint64_t enter;
    uint64_t below; /* time of what it has called */
    uint32_t node;
    bool has_released; /* a lock, see report_locks.c */
};

/* A location while its events are read. Others than the profile keep what they need here as well.
 */
struct stream {
    uint64_t first;
    uint64_t last;
    LIST(struct frame) stack; /* empty until the first event; then the root is its first */
    uint32_t location;
    uint32_t process;
    uint64_t n_events_seen;

    uint64_t waited_until;     /* messages: waiting up to here is accounted for */
    LIST(uint32_t) open_sends; /* messages: whose call has not returned */
    uint64_t collective_begin;
    uint64_t mpi_begin; /* when MPI_Init ended, and MPI_Finalize began; 0: did not */
    uint64_t mpi_end;
    uint64_t in_barriers;          /* teams: time in barriers of threads */
    LIST(struct membership) teams; /* teams: in which it works, innermost last */
    LIST(struct fork) forks;       /* teams: that it has forked, innermost last */
    bool has_forked;
    uint64_t in_teams;  /* time */
    uint64_t off_since; /* recording was switched off, 0: is on */
};

/* Why a location waits in a region. The last is all time of the regions that are for that. */
enum wait { WAIT_SENDER, WAIT_RECEIVER, WAIT_COLLECTIVE, WAIT_LOCK, WAIT_THREAD, WAITS };

/* What looks wrong in the archive; shown as remarks. */
struct oddities {
    uint64_t strays;    /* leaves of regions that were not entered */
    uint64_t unclosed;  /* regions that were not left when what called them was */
    uint64_t open;      /* regions open at the end */
    uint64_t backwards; /* events before their predecessors */
    uint64_t flushes;   /* of trace buffers, with the time they took */
    uint64_t flush_ticks;
    uint64_t off_ticks; /* recording was off, over all locations */
    uint64_t samples;
};

struct profile {
    LIST(struct node) nodes;
    struct map child_of;    /* (parent, region) to node */
    struct stream *streams; /* by location */
    struct map wait_of;     /* (node, why) to waits */
    LIST(uint64_t) waits;
    struct oddities odd;
    uint64_t last_id; /* location of the last event, and its stream */
    struct stream *last_stream;
    LIST(uint32_t) path;     /* of a calling context, outermost last */
    LIST(uint64_t) flush_of; /* by process: ticks */
};

void profile_init(struct report *r);
void profile_register(OTF2_GlobalEvtReaderCallbacks *c);
void profile_finish(struct report *r);

/* The stream of an event. Times never decrease on it: `time` is corrected. */
struct stream *profile_at(struct report *r, uint64_t location, uint64_t *time);

/* The innermost open frame, the root if there is no other. */
static inline struct frame *profile_top(const struct stream *s)
{
    return &s->stack.at[s->stack.n - 1];
}

void profile_wait(struct report *r, uint32_t node, enum wait why, uint64_t ticks);
uint64_t profile_waited(const struct profile *p, uint32_t node, enum wait why);

#endif
