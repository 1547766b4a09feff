/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks for flame graphs: "process;thread;main;solve 1234" with the own time of the stack in ns,
 * without the time of called functions, or with the number of samples. Memory follows the number of
 * different stacks.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/export/export_formats.h"
#include "tools/export/export_output.h"
#include "tools/export/export_text.h"

/*
 * A deeper stack loses functions before the innermost function; a damaged archive may have a circle
 * of contexts.
 */
enum { DEPTH_MAX = 1024 };

struct node {
    uint32_t parent; /* NIL: a root, that is, a location */
    uint32_t region; /* of a root: the location */
    uint32_t depth;
    uint64_t weight; /* ns or samples */
};

struct open {
    LIST(uint32_t) nodes; /* of the open calls */
};

struct folded {
    LIST(struct node) nodes;
    struct map child_of;
    struct names names;
    struct open *lanes;
    LIST(uint32_t) chain;
};

static uint32_t child(struct folded *f, uint32_t parent, uint32_t region)
{
    uint32_t depth = parent == NIL ? 0 : f->nodes.at[parent].depth + 1;
    if (depth > DEPTH_MAX)
        parent = f->nodes.at[parent].parent;
    uint32_t index = map_find(&f->child_of, parent, region);
    if (index != NIL)
        return index;
    index = (uint32_t)f->nodes.n;
    depth = depth > DEPTH_MAX ? DEPTH_MAX : depth;
    *LIST_ADD(&f->nodes) = (struct node){parent, region, depth, 0};
    map_set(&f->child_of, parent, region, index);
    return index;
}

static uint32_t top(struct folded *f, const struct lane *lane)
{
    const struct open *open = &f->lanes[lane->location];
    return open->nodes.n ? open->nodes.at[open->nodes.n - 1] : child(f, NIL, lane->location);
}

/* The node of a calling context: the context's callers are part of the path. */
static uint32_t in_context(struct export *x, uint32_t root, uint32_t context)
{
    struct folded *f = x->state;
    f->chain.n = 0;
    for (; context != NIL && f->chain.n < DEPTH_MAX; context = x->defs.contexts.at[context].parent)
        *LIST_ADD(&f->chain) = x->defs.contexts.at[context].region;
    for (size_t i = f->chain.n; i-- > 0;)
        root = child(f, root, f->chain.at[i]);
    return root;
}

static void folded_open(struct export *x)
{
    size_t room = 0;
    struct folded *f = list_grow(NULL, &room, 1, sizeof *f);
    room = 0;
    f->lanes = list_grow(NULL, &room, x->defs.locations.n + 1, sizeof *f->lanes);
    x->state = f;
    output_open(x, true);
}

static void folded_begin(struct export *x, const struct lane *lane, const struct call *call)
{
    struct folded *f = x->state;
    uint32_t node = call->context == NIL
                        ? child(f, top(f, lane), call->region)
                        : in_context(x, child(f, NIL, lane->location), call->context);
    *LIST_ADD(&f->lanes[lane->location].nodes) = node;
}

/* Calls below may have been too short to be told: the time of such calls is counted here. */
static void folded_end(struct export *x, const struct lane *lane, const struct call *call,
                       const struct call *caller)
{
    struct folded *f = x->state;
    struct open *open = &f->lanes[lane->location];
    uint64_t took = export_duration(x, call);
    uint32_t node = open->nodes.at[--open->nodes.n];
    (void)caller;
    if (x->wish.by_samples)
        return;
    f->nodes.at[node].weight += took;
    if (open->nodes.n)
        f->nodes.at[open->nodes.at[open->nodes.n - 1]].weight -= took;
}

static void folded_sample(struct export *x, const struct lane *lane, const struct sample *sample)
{
    struct folded *f = x->state;
    if (!x->wish.by_samples)
        return;
    uint32_t root = child(f, NIL, lane->location);
    uint32_t node = sample->context == NIL ? top(f, lane) : in_context(x, root, sample->context);
    f->nodes.at[node].weight++;
}

static void put_path(struct export *x, uint32_t node)
{
    struct folded *f = x->state;
    f->chain.n = 0;
    for (; f->nodes.at[node].parent != NIL; node = f->nodes.at[node].parent)
        *LIST_ADD(&f->chain) = f->nodes.at[node].region;
    uint32_t location = f->nodes.at[node].region;
    char *lane = text_lane(x, location);
    char *process = text_frame(defs_process_name(&x->defs, x->lanes[location].process));
    char *thread = text_frame(lane);
    fprintf(x->out, "%s;%s", process, thread);
    free(lane);
    free(process);
    free(thread);
    for (size_t i = f->chain.n; i-- > 0;)
        fprintf(x->out, ";%s", names_region(x, &f->names, f->chain.at[i], text_frame));
}

/* ---- several workers ---- */

static void folded_give(struct export *x, struct engine_bytes *bytes)
{
    const struct folded *f = x->state;
    engine_add(bytes, f->nodes.at, f->nodes.n * sizeof *f->nodes.at);
}

/* Callers are in front of their callees. */
static void folded_join(struct export *x, const char *bytes, size_t n)
{
    struct folded *f = x->state;
    uint32_t first = (uint32_t)f->nodes.n;
    struct node node;
    for (size_t at = 0; at < n; at += sizeof node) {
        memcpy(&node, bytes + at, sizeof node);
        node.parent += node.parent == NIL ? 0 : first;
        *LIST_ADD(&f->nodes) = node;
    }
}

/* ---- the lines ---- */

/* The nodes in the order of their locations; nodes of a location in the order of finding. */
static uint32_t *in_order(const struct export *x)
{
    const struct folded *f = x->state;
    size_t n = f->nodes.n;
    uint32_t *location = take_memory(n * sizeof *location);
    uint32_t *order = take_memory(n * sizeof *order);
    size_t *begin = take_memory((x->defs.locations.n + 1) * sizeof *begin);
    for (size_t i = 0; i < n; i++) {
        const struct node *node = &f->nodes.at[i];
        location[i] = node->parent == NIL ? node->region : location[node->parent];
        begin[location[i] + 1]++;
    }
    for (size_t i = 0; i < x->defs.locations.n; i++)
        begin[i + 1] += begin[i];
    for (uint32_t i = 0; i < n; i++)
        order[begin[location[i]]++] = i;
    free(begin);
    free(location);
    return order;
}

static void folded_close(struct export *x)
{
    const struct folded *f = x->state;
    uint32_t *order = in_order(x);
    for (size_t i = 0; i < f->nodes.n; i++) {
        uint64_t weight = f->nodes.at[order[i]].weight;
        if (!weight)
            continue;
        put_path(x, order[i]);
        fprintf(x->out, " %llu\n", (unsigned long long)weight);
    }
    free(order);
    output_close(x);
}

const struct format format_folded = {
    .name = "folded",
    .help = "stacks and their weights, for flamegraph.pl, speedscope, inferno",
    .bytes = 0.0,
    .limit = 1e9,
    .is_text = true,
    .open = folded_open,
    .begin = folded_begin,
    .end = folded_end,
    .sample = folded_sample,
    .give = folded_give,
    .join = folded_join,
    .close = folded_close,
};
