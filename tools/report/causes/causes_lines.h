/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run as lines, one for each location: its calls of MPI, what its time was spent on, and its
 * waits. Each worker replays the waits of the locations that it has read, and needs all lines for
 * that: the workers give them to each other. Of each worker they take no more memory than the
 * budget, which all tracks together keep to.
 */
#ifndef TOOLS_REPORT_CAUSES_LINES_H
#define TOOLS_REPORT_CAUSES_LINES_H

#include "tools/engine/engine.h"
#include "tools/report/causes/causes_activities.h"
#include "tools/report/causes/causes_times.h"
#include "tools/report/topics/report.h"

/* A wait. Those of a line do not overlap, and are in the order of time. */
struct release {
    uint64_t end; /* stands first, see times_until() */
    uint64_t begin;
    uint32_t other;    /* line that ends it */
    uint32_t n_before; /* waits of `other` that end no later */
    uint32_t call;     /* the line's last one that begins before the end, or then */
    uint32_t node;     /* in which it waits, of the worker that reads the location */
};

struct line {
    const struct track_call *calls;
    const struct lap *laps; /* of activities instead of nodes */
    const struct release *waits;
    size_t n_calls; /* 0: the line is not there */
    size_t n_laps;
    size_t n_waits;
    uint64_t first;
    uint64_t last;
    uint32_t process;
    uint32_t starter; /* the line that has started it; NIL: none is known */
    uint32_t worker;  /* that has read it */
};

struct lines {
    struct line *at; /* by location */
    size_t n;
    uint64_t first; /* of the run */
    uint64_t last;
    uint64_t bytes; /* of all lines, about */
    struct activities activities;
    struct engine *engine;    /* NULL: there is one worker */
    struct engine_bytes *out; /* by worker: what it has of this one */
    struct release *waits;    /* of this one */
    struct lap *laps;         /* of this one: those of its tracks, of activities */
    struct given *given;      /* what this one has of the others, and they of it; NULL: nothing */
};

/*
 * By all workers, when all is read. False: there was no room, nobody waits, or not all was read;
 * the same on all workers.
 */
bool lines_open(struct lines *lines, struct report *r);

/* The report has no tracks any more after that, but for those that tracks_keep() keeps. */
void lines_close(struct lines *lines, struct report *r);

/* Whether it is this worker that has read the line. */
static inline bool line_is_own(const struct lines *lines, uint32_t line)
{
    return lines->at[line].worker == (lines->engine ? lines->engine->rank : 0);
}

/* The last call of the line that begins at a time or before. */
static inline size_t line_call(const struct line *line, size_t near, uint64_t time)
{
    size_t n = times_until(line->calls, sizeof *line->calls, line->n_calls, near, time);
    return n ? n - 1 : 0;
}

#endif
