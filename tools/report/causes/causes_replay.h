/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run as lines, one for each location, that can be followed backwards: from a time on a line to
 * the end of its last wait, from there on the line that has released it, and so on. What lies on
 * this way is what the time depends on (its chain).
 */
#ifndef TOOLS_REPORT_CAUSES_REPLAY_H
#define TOOLS_REPORT_CAUSES_REPLAY_H

#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/topics/report.h"

/* What time is spent on: a call of MPI, or what the program does behind one. */
struct activity {
    uint32_t region; /* NIL: before the first event */
    uint32_t call;   /* region of the call of MPI before it; NIL: none, or it is one itself */
    uint32_t site;   /* of this call, or of the call itself */
};

struct line {
    const struct track *track;
    struct track_wait *waits; /* do not overlap, in the order of time */
    size_t n_waits;
    uint64_t first;
    uint64_t last;
    uint32_t process;
    uint32_t starter; /* the line that has started it; NIL: none is known */
    bool is_there;
    size_t recent; /* call that was looked up last */
};

/* What a process does has cost the others so much. */
struct due {
    uint32_t process;
    uint32_t activity;
    double direct;
    double indirect;
    uint64_t critical;
    uint32_t waiter;   /* node that has suffered last, plus 1, */
    uint32_t suffered; /* and its index in the list */
};

struct replay {
    struct report *r;
    struct line *lines; /* by location */
    size_t n;
    uint64_t first; /* of the run */
    LIST(struct activity) activities;
    struct map activity_of; /* (region, call and site) */
    struct known {
        uint32_t call;
        uint32_t activity;
    } * known; /* by node: behind which call it was looked up last, plus 1; and what it was */
    LIST(struct due) costs;
    LIST(uint32_t) recent; /* by activity: the cost that was looked up last, plus 1 */
    struct map cost_of;    /* (process, activity) */
    struct map suffered_of;
    LIST(struct suffered {
        uint32_t cost;
        uint32_t node;
        double ticks;
    })
    suffered; /* (cost, node that waits) */
};

void replay_make(struct replay *p, struct report *r);

/* A place in the run. */
struct spot {
    uint64_t time;
    uint32_t line;
    uint32_t n_waits; /* of the line, that end at this time or before */
};

struct spot replay_spot(const struct replay *p, uint32_t line, uint64_t time);

/* A part of a chain: a line from one time to another. */
struct piece {
    uint32_t line;
    uint64_t from;
    uint64_t to;
};

typedef LIST(struct piece) pieces;

/* When the line's n-th call of MPI before a time begins; 0: there are fewer. */
uint64_t line_calls_before(struct line *line, uint64_t time, size_t n);

/* One piece back, but not beyond `least`. */
void replay_back(const struct replay *p, struct spot *spot, uint64_t least, pieces *chain);

/* Back from both until their chains meet, or reach `least`. */
void replay_meet(const struct replay *p, struct spot a, struct spot b, uint64_t least,
                 pieces *chain_a, pieces *chain_b);

/* What a piece's time was spent on; its parts follow each other. */
struct portion {
    uint32_t line;
    uint32_t activity;
    uint64_t ticks;
};

typedef LIST(struct portion) portions;

/* Returns the number of calls of MPI in there. */
size_t replay_portions(struct replay *p, const struct piece *piece, portions *to);

uint32_t replay_cost(struct replay *p, uint32_t process, uint32_t activity);

/* causes_costs.c: what waits cost, and whose it is. */
void costs_make_of_waits(struct replay *p);
/* causes_path.c: the critical path. */
uint64_t costs_make_of_path(struct replay *p);

#endif
