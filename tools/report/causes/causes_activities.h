/* SPDX-License-Identifier: BSD-3-Clause */
/* Activities (struct activity: the use of a stretch of time), by number. */
#ifndef TOOLS_REPORT_CAUSES_ACTIVITIES_H
#define TOOLS_REPORT_CAUSES_ACTIVITIES_H

#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/topics/report.h"

/* The first two activities of each list. */
enum { ACTIVITY_START, ACTIVITY_PROGRAM };

struct activities {
    LIST(struct activity) all;
    struct map index_of;
    struct near_node *near; /* the last lookup of each slot */
};

/* A call and the place of the call, as a key: the key distinguishes activities in a region. */
static inline uint64_t activity_place(uint32_t call, uint32_t site)
{
    return (uint64_t)call << 32 | site;
}

void activities_begin(struct activities *a);
uint32_t activities_index(struct activities *a, struct activity activity);

/* The activity of time in a node behind a call of MPI (a node; NIL: no call). */
struct activity activities_at(const struct report *r, uint32_t node, uint32_t call);

/* The track's laps of nodes, as laps of activities. */
void activities_name(struct activities *a, const struct report *r, const struct track *track,
                     struct lap *named);

void activities_end(struct activities *a);

#endif
