/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run can be followed backwards: from a time on a line to the end of its last wait, from there
 * on the line that has released it, and so on. What lies on this way is what the time depends on
 * (its chain).
 */
#ifndef TOOLS_REPORT_CAUSES_REPLAY_H
#define TOOLS_REPORT_CAUSES_REPLAY_H

#include "tools/base/list.h"
#include "tools/report/causes/causes_lines.h"

struct report;

/*
 * By all workers, when all is read: fills what r->tracks has of the replay, for the locations that
 * this worker has read.
 */
void replay_run(struct report *r);

/* A place in the run. */
struct spot {
    uint64_t time;
    uint32_t line;
    uint32_t n_waits; /* of the line, that end at this time or before */
};

struct spot replay_spot(const struct lines *lines, uint32_t line, uint64_t time);

/* A part of a chain: a line from one time to another. */
struct piece {
    uint32_t line;
    uint32_t call; /* of the line, near `from` */
    uint64_t from;
    uint64_t to;
};

typedef LIST(struct piece) pieces;

/* Back from a spot to `least`. */
void replay_all(const struct lines *lines, struct spot from, uint64_t least, pieces *chain);

/* Back from both until their chains meet, or reach `least`. */
void replay_meet(const struct lines *lines, struct spot from_a, struct spot from_b, uint64_t least,
                 pieces *chain_a, pieces *chain_b);

/* What a piece's time was spent on; its parts follow each other. */
struct portion {
    uint64_t ticks;
    uint32_t activity;
};

typedef LIST(struct portion) portions;

/* Adds those of a piece. Returns the number of calls of MPI in there. */
size_t replay_portions(const struct lines *lines, const struct piece *piece, portions *to);

/* causes_costs.c: what waits cost, and whose it is. */
void replay_costs(const struct lines *lines, struct report *r);
/* causes_path.c: the critical path. */
void replay_path(const struct lines *lines, struct report *r);

#endif
