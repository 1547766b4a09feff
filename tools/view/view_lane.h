/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A location while its events are read: what is open, and to what the time goes. Time outside of
 * all regions is the program's; on an accelerator's queue, and between the teams of a thread that
 * only works in teams, it is idle. Time in which recording was off is nobody's, but that of a call
 * of a library that was open when it was switched off, as in spur report.
 */
#ifndef TOOLS_VIEW_LANE_H
#define TOOLS_VIEW_LANE_H

#include "tools/view/view_part.h"

struct view_frame {
    uint64_t enter;
    uint32_t path;
    uint32_t region;
    uint32_t flags;    /* enum call_flags */
    uint64_t calls;    /* of the program that it stands for */
    uint64_t is_alone; /* a barrier of a team of one thread */
};

struct view_lane {
    struct view_part *part;
    struct view_row *row;
    uint32_t number; /* of the row */
    uint32_t location;
    uint32_t process;
    bool has_time;                 /* metrics alone have none */
    uint64_t last;                 /* event */
    LIST(struct view_frame) stack; /* the outermost is the time outside of all regions */
    uint64_t stop_at;              /* ticks: nothing new was recorded after that */
    uint64_t off_since;
    bool is_off;    /* recording is */
    bool is_nobody; /* and so is the time */
    bool is_worker;
    unsigned teams;
    uint64_t alone; /* of teams around, a bit each, the innermost first: they are of one thread */
    uint64_t collective_begin;
    bool has_collective; /* that is not over */
    struct shorts shorts;
    uint64_t missed;  /* records of messages: said of the next one */
    uint64_t ordinal; /* NO_NUMBER: was not said */
};

void view_lane_begin(struct view_lane *l, struct view_part *p, uint32_t row);
void view_lane_finish(struct view_lane *l);
void view_lane_free(struct view_lane *l);

/* An event at that time, in ticks: its time in ns, which is never before the last one's. */
uint64_t view_lane_at(struct view_lane *l, uint64_t ticks);

/* `calls` of the program, which have one record. */
void view_lane_enter(struct view_lane *l, uint32_t region, uint64_t calls);
/* The same with a call stack. */
void view_lane_enter_context(struct view_lane *l, uint32_t context, uint64_t calls);
/* Calls that were only counted: one call up to an event at that time, which comes next. */
void view_lane_shorts(struct view_lane *l, uint64_t ticks, const OTF2_MetricValue *values);
void view_lane_leave(struct view_lane *l, uint32_t region);
void view_lane_switch(struct view_lane *l, bool on); /* recording */
void view_lane_team(struct view_lane *l, int change, bool is_alone);

/* What is idle up to that time is told as far as it goes. */
void view_lane_tell_idle(const struct view_lane *l, uint64_t to);

/* Whether the last event is in the buckets. */
static inline bool view_lane_is_seen(const struct view_lane *l)
{
    return l->last >= l->part->view->shape.from && l->part->pyramid.end != NO_TIME;
}

/* The bucket of the sums that a time is in. */
uint32_t view_lane_bucket(const struct view_lane *l, uint64_t time);

OTF2_EvtReaderCallbacks *view_events(void); /* user data: the lane */

#endif
