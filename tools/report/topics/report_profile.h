/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile: every location has a tree of call paths. A node of the tree holds the time of one
 * path, without the paths below. The time with the paths below follows from the tree, and the sums
 * by region, process and path follow from all trees. So an event costs one step in the tree, and
 * memory grows with the number of different call paths.
 *
 * A frame of a stream is a region that was entered and left: the time of a frame is exact.
 * Functions that are only known from call stacks are nodes between the regions (report_stacks.h).
 * The share of a function in the time of the enclosing region is computed at the end
 * (report_shares.h).
 *
 * Time in which recording was off counts only for the nodes of REGION_OFF.
 */
#ifndef TOOLS_REPORT_PROFILE_H
#define TOOLS_REPORT_PROFILE_H

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/defs.h"
#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/devices/device_watch.h"
#include "tools/report/topics/report_gaps.h"
#include "tools/report/topics/report_holders.h"
#include "tools/report/topics/report_notes.h"
#include "tools/report/topics/report_place.h"
#include "tools/report/topics/report_tracks.h"

struct report;

/*
 * One call path of one location. The parent of a node has a smaller index; the parent of a root is
 * NIL. The members that a call needs come first: in most nodes they take two lines of the cache.
 */
struct node {
    uint32_t recent; /* the child that was entered last; NIL: no child yet */
    uint32_t after;  /* the sibling that was entered after the node the last time; NIL: unknown */
    uint32_t region; /* REGION_PROGRAM: a root, the time outside of all regions */
    uint32_t site;   /* of the calls, see defs.h; NIL: not known */
    uint32_t parent;
    uint32_t depth;
    uint64_t calls; /* calls that were entered and left; 0: the path is only known from stacks */
    uint64_t self;
    uint64_t lap;    /* the part of `self` since the last call of MPI, see report_tracks.h */
    uint64_t framed; /* the part of `self`, with pauses, from MPI_Init's end to MPI_Finalize */
    uint64_t events; /* of the calls, and other events while the path was the innermost one */
    uint64_t min;    /* shortest time of a call, with all calls within */
    uint64_t max;
    uint64_t max_at; /* the enter of the longest call */

    uint32_t location;
    uint64_t total;   /* time of all calls; set by profile_finish */
    uint64_t off;     /* time in the path alone that was not recorded */
    uint64_t between; /* report_stacks.h: time between two stacks that both have the path */
    uint64_t samples; /* samples with the path as the innermost one */
    uint64_t sampled; /* the CPU time that `samples` stand for */
    uint64_t folded;  /* calls without records of their own */
    uint64_t born;    /* time of the event that made the node */
    bool is_nested;   /* a path above has the same region; set by sums_make */
};

struct frame {
    uint64_t enter;
    uint64_t call;    /* number, from 1, in the order in which a worker reads calls; 0: none */
    uint64_t below;   /* time of the calls within */
    uint64_t off;     /* time in which recording was off, in the call and in calls within */
    uint64_t seen_at; /* time of `seen`, the stack (a context) of the calls within; NIL: unknown */
    uint64_t calls;   /* of the program that the record stands for */
    uint32_t seen;
    uint32_t node;
    bool has_released; /* the call has released a lock, see report_locks.c */
    bool is_beyond;    /* entered behind the window */
};

/*
 * The last few waits for partners. A wait for a receiver is known when the message is received; by
 * then the sender may have waited for other partners. Of several waits that overlap, the wait that
 * ended last counts.
 */
enum { WAITED_MAX = 8 };

struct waited {
    struct waits *at; /* report_matching.c; NULL: no wait yet */
    unsigned n;
};

/* The time from the end of MPI_Init to the begin of MPI_Finalize. Any member may be 0. */
struct mpi_frame {
    uint64_t begin; /* if `has_begun` */
    uint64_t end;   /* if `has_ended` */
    uint64_t off;   /* time between the two that was not recorded */
    bool has_begun;
    bool has_ended;
};

static inline bool mpi_frame_is_whole(const struct mpi_frame *f)
{
    return f->has_begun && f->has_ended && f->end > f->begin;
}

enum { STREAM_LINE = 64 }; /* of the cache */

/*
 * The state of a location while the events of the location are read, for all topics. Almost each
 * event of an archive is of another location than the event before. So the members that most events
 * need come first, in as few lines of the cache as possible.
 */
struct stream {
    /* Each event. */
    _Alignas(STREAM_LINE) uint64_t last;
    uint64_t stop_at;         /* the process recorded nothing new after this time */
    uint64_t unclaimed;       /* events since the last one that counts for a node */
    LIST(struct frame) stack; /* empty until the first event; then the root is the first frame */
    uint64_t lapped;          /* tracks: up to here time is in the laps of nodes */
    uint32_t location;
    uint32_t process;

    /* Each call. */
    LIST(uint32_t) touched; /* tracks: nodes that have some */
    uint64_t in_mpi;        /* teams: time in MPI */
    struct device_watch watch;
    bool is_off;    /* recording is off */
    bool is_nobody; /* all calls that were open are left: nothing is known since off_since */
    uint64_t off_since;
    bool is_framed;             /* MPI_Init has ended, and MPI_Finalize has not begun */
    bool is_outside;            /* the last event is outside of the window */
    bool has_forked;            /* teams */
    uint32_t holding;           /* index + 1 in memory; 0: none */
    LIST(uint32_t) sizes;       /* sizes: rows that share the time of the innermost call */
    LIST(uint32_t) open_sends;  /* messages: whose call has not returned */
    LIST(struct held_now) held; /* locks: held by the location */
    struct latest_calls latest; /* locks: where some are counted */
    struct lock_told told;      /* locks: said of one that is counted */
    struct track track;

    struct gap gap;       /* gaps: said of the next record */
    struct waited waited; /* messages: waiting that is accounted for */
    struct probed probed; /* messages */
    uint64_t first;
    uint64_t now; /* where there is a window: the time of the last event, `last` is within */
    uint64_t collective_begin;
    struct mpi_frame mpi;
    uint64_t in_barriers;          /* teams: time in barriers of threads, but for tasks there */
    LIST(struct membership) teams; /* teams: in which the location works, innermost last */
    uint64_t in_teams;             /* time */

    uint64_t off;     /* time that was not recorded */
    uint64_t samples; /* that stand for CPU time */
    uint64_t period;  /* the last one's */
    uint64_t n_notes; /* notes about the location's events, see report_notes.h */

    struct track kept;          /* tracks: the part of `track` that is kept after the replay */
    const uint32_t *kept_nodes; /* by node of `kept`: index in the profile; NULL: equal numbers */

    /* The members of the worker of the process; another worker may read the location. */
    uint64_t in_locks;       /* locks: time of waiting for locks */
    LIST(struct seat) seats; /* teams: those in which the location works, innermost last */
    LIST(struct fork) forks; /* teams: that the location has forked, innermost last */
};

/* The node of the profile for a node of the track `kept`; NIL stays NIL. */
static inline uint32_t stream_kept_node(const struct stream *s, uint32_t node)
{
    return s->kept_nodes && node != NIL ? s->kept_nodes[node] : node;
}

/*
 * Reasons for waiting in a region. WAIT_THREAD: all time of regions that exist for waiting, and the
 * time of polls in a row.
 */
enum wait { WAIT_SENDER, WAIT_RECEIVER, WAIT_COLLECTIVE, WAIT_LOCK, WAIT_THREAD, WAITS };

/* Time of barriers in a team of one thread, which is no waiting. */
enum { WAIT_NOBODY = WAITS };

/* The waiting in a node of a location. */
struct wait_sum {
    uint32_t location;
    uint32_t node;
    unsigned why; /* enum wait, or WAIT_NOBODY */
    uint64_t ticks;
};

/* Oddities of the archive; shown as remarks. */
struct oddities {
    uint64_t strays;    /* leaves of regions that were not entered */
    uint64_t unclosed;  /* regions that were not left before the enclosing region was left */
    uint64_t open;      /* regions open at the end */
    uint64_t backwards; /* events before their predecessors */
    uint64_t flushes;   /* of trace buffers, with the time they took */
    uint64_t flush_ticks;
    struct place longest_flush;
    uint64_t uncounted; /* samples by another event than time */
};

/* A context and its callers, as indices, the outermost caller last. */
struct chain {
    uint32_t *at;
    size_t n;
    size_t room;
};

enum { PROFILE_NEAR = 1024 };

struct profile {
    LIST(struct node) nodes;
    struct map child_of;    /* (parent and site, region) to node */
    struct stream *streams; /* by location */
    struct shorts *shorts;  /* the same */
    struct map wait_of;     /* (node, why) to waits */
    LIST(struct wait_sum) waits;
    struct map away_of;         /* (location and node, why) to away */
    LIST(struct wait_sum) away; /* the same of locations that others read */
    struct oddities odd;
    uint64_t n_calls;
    uint64_t last_id; /* location of the last event, and its stream */
    struct stream *last_stream;
    uint32_t near[PROFILE_NEAR]; /* by some bits of an id: the location that was asked for last */
    struct chain chain;          /* see report_stacks.c */
    struct chain before;
    LIST(uint64_t) flush_of; /* by process: ticks */
};

void profile_init(struct report *r);
void profile_register(OTF2_GlobalEvtReaderCallbacks *c);

/* When all events of the locations here are read. */
void profile_close(struct report *r);
/* When the other workers' locations have been joined. */
void profile_finish(struct report *r);

struct stream *profile_stream(struct report *r, uint64_t id);
/* The stream of an event. Times never decrease on a stream: `time` is corrected. */
struct stream *profile_at(struct report *r, uint64_t location, uint64_t *time);

/* The node of a region that the region of `parent` calls from a site; the node may be new. */
uint32_t profile_call(struct profile *p, uint32_t parent, uint32_t region, uint32_t site);

static inline uint32_t profile_child(struct profile *p, uint32_t parent, uint32_t region)
{
    return profile_call(p, parent, region, NIL);
}

/* Enter or leave a region at the time of the last event. False: the region is not open. */
void profile_enter(struct report *r, struct stream *s, uint32_t node, uint64_t calls);
bool profile_leave(struct report *r, struct stream *s, uint32_t region);

/* The time up to the last event is added to the laps of nodes. */
void profile_lap(struct report *r, struct stream *s);
/* The last `ticks` are in the lap of `node`. */
void profile_lap_last(struct report *r, struct stream *s, uint32_t node, uint64_t ticks);

/* The innermost open frame; the root if no region is open. */
static inline struct frame *profile_top(const struct stream *s)
{
    return &s->stack.at[s->stack.n - 1];
}

/* The birth of an object that the stream's last event has made. */
static inline struct birth profile_born(const struct stream *s)
{
    return (struct birth){s->last, s->location};
}

/* Waiting in a node; profile_wait_at: numbered by the worker that reads the location. */
void profile_wait(struct report *r, uint32_t node, unsigned why, uint64_t ticks);
void profile_wait_at(struct report *r, uint32_t location, uint32_t node, enum wait why,
                     uint64_t ticks);
uint64_t profile_waited(const struct profile *p, uint32_t node, unsigned why);

#endif
