/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/causes/causes_activities.h"

#include <stdlib.h>

enum { NEAR = 4096 };

struct near_node {
    uint32_t node;
    uint32_t call;
    uint32_t activity; /* plus 1 */
};

uint32_t activities_index(struct activities *a, struct activity activity)
{
    uint64_t place = activity_place(activity.call, activity.site);
    uint32_t index = map_index(&a->index_of, activity.region, place, a->all.n);
    if (index == a->all.n)
        *LIST_ADD(&a->all) = activity;
    return index;
}

void activities_begin(struct activities *a)
{
    *a = (struct activities){.near = take_memory(NEAR * sizeof *a->near)};
    (void)activities_index(a, (struct activity){NIL, NIL, NIL});
    (void)activities_index(a, (struct activity){REGION_PROGRAM, NIL, NIL});
}

struct activity activities_at(const struct report *r, uint32_t node, uint32_t call)
{
    const struct node *nodes = r->profile.nodes.at;
    if (call == NIL)
        return (struct activity){nodes[node].region, NIL, NIL};
    if (call == node)
        return (struct activity){nodes[node].region, NIL, nodes[node].site};
    return (struct activity){nodes[node].region, nodes[call].region, nodes[call].site};
}

static uint32_t activity_of(struct activities *a, const struct report *r, uint32_t node,
                            uint32_t call)
{
    struct near_node *near = &a->near[(node + 61 * call) % NEAR];
    if (!near->activity || near->node != node || near->call != call)
        *near =
            (struct near_node){node, call, activities_index(a, activities_at(r, node, call)) + 1};
    return near->activity - 1;
}

void activities_name(struct activities *a, const struct report *r, const struct track *track,
                     struct lap *named)
{
    uint32_t behind = NIL;
    for (size_t i = 0; i < track->calls.n; i++) {
        const struct track_call *call = &track->calls.at[i];
        behind = tracks_call(r, call->node, behind);
        size_t end = i + 1 < track->calls.n ? call[1].first : track->laps.n;
        for (size_t k = call->first; k < end; k++) {
            const struct lap *lap = &track->laps.at[k];
            uint32_t at = lap->node == call->node ? call->node : behind;
            named[k] = (struct lap){activity_of(a, r, lap->node, at), lap->ticks};
        }
    }
}

void activities_end(struct activities *a)
{
    free(a->all.at);
    free(a->index_of.slots);
    free(a->near);
}
