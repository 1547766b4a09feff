/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run as lines, a line for each location: the calls of MPI, the laps of activities (how the
 * location spent its time), and the waits. Each worker replays the waits of the locations that it
 * has read. The replay needs the lines of all locations, so the workers give their lines to each
 * other. The lines of a worker take no more memory than the common budget of all tracks.
 */
#ifndef TOOLS_REPORT_CAUSES_LINES_H
#define TOOLS_REPORT_CAUSES_LINES_H

#include "tools/engine/engine.h"
#include "tools/report/causes/causes_activities.h"
#include "tools/report/causes/causes_times.h"
#include "tools/report/topics/report.h"

/* A wait. The waits of a line do not overlap, and are in the order of time. */
struct release {
    uint64_t end; /* stands first, see times_until() */
    uint64_t begin;
    uint32_t other;    /* line that ends the wait */
    uint32_t n_before; /* waits of `other` that end no later */
    uint32_t call; /* last call of the waiting line that begins no later than the end of the wait */
    uint32_t node; /* waiting node, as numbered by the worker that reads the location */
};

struct line {
    const struct track_call *calls;
    const struct lap *laps; /* laps of activities instead of nodes */
    const struct release *waits;
    size_t n_calls; /* 0: the line is absent */
    size_t n_laps;
    size_t n_waits;
    uint64_t first;
    uint64_t last;
    uint32_t process;
    uint32_t starter; /* the line that has started this line; NIL: not known */
    uint32_t worker;  /* the worker that has read the location */
};

struct lines {
    struct line *at; /* by location */
    size_t n;
    uint64_t first; /* of the run */
    uint64_t last;
    uint64_t bytes; /* of all lines, roughly */
    struct activities activities;
    struct engine *engine;    /* NULL: there is one worker */
    struct engine_bytes *out; /* by worker: the bytes that go from the own worker to each worker */
    struct release *waits;    /* waits of the own worker's lines */
    struct lap *laps;         /* laps of the own worker's tracks, of activities instead of nodes */
    struct given *given;      /* lines exchanged with other workers; NULL: nothing was exchanged */
};

/*
 * Called by all workers, when all events are read. False: there was no room, nobody waits, or
 * events are missing. The result is the same on all workers.
 */
bool lines_open(struct lines *lines, struct report *r);

/* After the call the report has no tracks any more, except the tracks that tracks_keep() keeps. */
void lines_close(struct lines *lines, struct report *r);

/* Whether the calling worker has read the line. */
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
