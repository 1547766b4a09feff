/* SPDX-License-Identifier: BSD-3-Clause */
/* Common declarations of the files of tools/report/iterations. */
#ifndef TOOLS_REPORT_ITERATIONS_PARTS_H
#define TOOLS_REPORT_ITERATIONS_PARTS_H

#include "tools/report/iterations/iterations.h"
#include "tools/report/topics/report.h"

/*
 * The calls of processes as symbols: the same call at the same place has the same symbol on all
 * processes.
 */
struct script {
    struct report *r;
    LIST(uint32_t) locations; /* main threads, one for each process */
    uint32_t *symbol_of;      /* by node, plus 1; 0: not looked up yet */
    struct map known;
    uint32_t n_symbols;
};

/* The kept track of a location, and the report's node for a node of the track. */
static inline const struct track *script_track(const struct script *s, uint32_t location)
{
    return &s->r->profile.streams[location].kept;
}

static inline uint32_t script_node(const struct script *s, uint32_t location, uint32_t node)
{
    return stream_kept_node(&s->r->profile.streams[location], node);
}

uint32_t script_make_symbol(struct script *s, uint32_t index); /* of a node */

static inline uint32_t script_symbol(struct script *s, uint32_t node)
{
    return s->symbol_of[node] ? s->symbol_of[node] - 1 : script_make_symbol(s, node);
}

/* Whether an iteration ends with a call of its symbol, by the number of the call on a process. */
static inline bool loop_ends_with(const struct loop *loop, size_t number)
{
    return !loop->is_end || (number < loop->n_calls && loop->is_end[number]);
}

/* The end of the call with the given index in the location's track. */
uint64_t script_call_end(const struct script *s, uint32_t location, size_t index);

/* iterations_times.c: computes all figures of a loop whose `ends` are known. */
void times_make(struct loop *loop);

/*
 * iterations_growth.c: the growth from the iterations marked BEFORE to the iterations marked AFTER.
 * marks: by iteration. symbol: the beat.
 */
enum { MARK_NONE, MARK_BEFORE, MARK_AFTER };
struct growth growth_find(struct script *s, const struct loop *loop, uint32_t symbol,
                          const uint8_t *marks);

#endif
