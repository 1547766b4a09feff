/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run can be followed backwards: from a time on a line to the end of the last wait before, from
 * there on along the line that has ended the wait, and so on. All pieces on the way form the chain
 * of the time: the time depends on the pieces.
 */
#ifndef TOOLS_REPORT_CAUSES_REPLAY_H
#define TOOLS_REPORT_CAUSES_REPLAY_H

#include "tools/base/list.h"
#include "tools/report/causes/causes_lines.h"

struct report;

/*
 * By all workers, when all events are read: fills the replay's results in r->tracks, for the
 * locations that the worker has read.
 */
void replay_run(struct report *r);

/* A place in the run. */
struct spot {
    uint64_t time;
    uint32_t line;
    uint32_t n_waits; /* waits of the line that end at `time` or before */
};

struct spot replay_spot(const struct lines *lines, uint32_t line, uint64_t time);

/* A part of a chain: a line from one time to another. */
struct piece {
    uint32_t line;
    uint32_t call; /* call of the line, near `from` */
    uint64_t from;
    uint64_t to;
};

typedef LIST(struct piece) pieces;

/* The chain from a spot back to `least`. */
void replay_all(const struct lines *lines, struct spot from, uint64_t least, pieces *chain);

/* The chains from both spots back to the point where the chains meet, or to `least`. */
void replay_meet(const struct lines *lines, struct spot from_a, struct spot from_b, uint64_t least,
                 pieces *chain_a, pieces *chain_b);

/*
 * A part of a piece's time, spent on a single activity. The portions of a piece follow each other.
 */
struct portion {
    uint64_t ticks;
    uint32_t activity;
};

typedef LIST(struct portion) portions;

/* Adds the portions of a piece. Returns the number of calls of MPI in the piece. */
size_t replay_portions(const struct lines *lines, const struct piece *piece, portions *to);

/* causes_costs.c: the costs of waits, and the causes of the costs. */
void replay_costs(const struct lines *lines, struct report *r);
/* causes_path.c: the critical path. */
void replay_path(const struct lines *lines, struct report *r);

#endif
