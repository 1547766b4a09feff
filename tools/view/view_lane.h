/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A location while its events are read: the open calls, and the owners of time. Time outside of all
 * regions belongs to the program. On an accelerator's queue, and between the teams of a thread that
 * works only in teams, time outside of all regions is idle. Time without recording belongs to
 * nobody. Exception: a call of a library that was open when recording was switched off keeps the
 * time, as in spur report.
 */
#ifndef TOOLS_VIEW_LANE_H
#define TOOLS_VIEW_LANE_H

#include "tools/view/view_part.h"

struct view_frame {
    uint64_t enter;
    uint32_t path;
    uint32_t region;
    uint32_t flags;    /* enum call_flags */
    uint64_t calls;    /* calls of the program in this frame */
    uint64_t is_alone; /* 1: a barrier of a team of one thread */
};

struct view_lane {
    struct view_part *part;
    struct view_row *row;
    uint32_t number; /* of the row */
    uint32_t location;
    uint32_t process;
    bool has_time;                 /* metrics alone have no time */
    uint64_t last;                 /* event */
    LIST(struct view_frame) stack; /* outermost: the time outside of all regions */
    uint64_t stop_at;              /* ticks: nothing new was recorded after this time */
    uint64_t off_since;
    bool is_off;    /* recording is off */
    bool is_nobody; /* the time without recording belongs to nobody */
    bool is_worker;
    unsigned teams;
    uint64_t alone; /* bits of the teams around, the innermost first: 1: a team of one thread */
    uint64_t collective_begin;
    bool has_collective; /* a collective operation is open */
    struct shorts shorts;
    uint64_t missed;  /* missing records of messages: told to the next message */
    uint64_t ordinal; /* NO_NUMBER: not recorded */
};

void view_lane_begin(struct view_lane *l, struct view_part *p, uint32_t row);
void view_lane_finish(struct view_lane *l);
void view_lane_free(struct view_lane *l);

/* An event at `ticks`: returns the time in ns, never before the time of the last event. */
uint64_t view_lane_at(struct view_lane *l, uint64_t ticks);

/* `calls` of the program, summed up in one record. */
void view_lane_enter(struct view_lane *l, uint32_t region, uint64_t calls);
/* The same with a call stack. */
void view_lane_enter_context(struct view_lane *l, uint32_t context, uint64_t calls);
/* Calls that were only counted: shown as one call up to the time of the next event. */
void view_lane_shorts(struct view_lane *l, uint64_t ticks, const OTF2_MetricValue *values);
void view_lane_leave(struct view_lane *l, uint32_t region);
void view_lane_switch(struct view_lane *l, bool on); /* recording */
void view_lane_team(struct view_lane *l, int change, bool is_alone);

/* Report the idle time up to `to`, as far as known. */
void view_lane_tell_idle(const struct view_lane *l, uint64_t to);

/* Whether the last event is in the buckets. */
static inline bool view_lane_is_seen(const struct view_lane *l)
{
    return l->last >= l->part->view->shape.from && l->part->pyramid.end != NO_TIME;
}

/* The bucket of the sums for a time. */
uint32_t view_lane_bucket(const struct view_lane *l, uint64_t time);

OTF2_EvtReaderCallbacks *view_events(void); /* user data: the lane */

#endif
