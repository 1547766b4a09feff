/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/topics/report.h"
#include "wrappers/nvtx/nvtx_marks.h"

double percent_of(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : (double)NAN;
}

uint64_t spent_waiting(const struct spent *s)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < WAITS; i++)
        all += s->waits[i];
    return all;
}

/* The nodes below a root, and the regions of the nodes that are open around a node. */
struct nesting {
    struct node *nodes;
    uint32_t *first; /* by node: child */
    uint32_t *next;  /* by node: sibling */
    uint32_t *open;  /* by region: how many */
};

static void nest_below(const struct nesting *n, uint32_t root)
{
    for (uint32_t i = root; i != NIL;) {
        n->nodes[i].is_nested = n->open[n->nodes[i].region]++;
        if (n->first[i] != NIL) {
            i = n->first[i];
            continue;
        }
        for (; i != NIL; i = n->nodes[i].parent) {
            n->open[n->nodes[i].region]--;
            if (n->next[i] != NIL)
                break;
        }
        i = i == NIL ? NIL : n->next[i];
    }
}

static void nest(struct report *r)
{
    const struct profile *p = &r->profile;
    struct nesting n = {p->nodes.at, take_memory((p->nodes.n + 1) * sizeof *n.first),
                        take_memory((p->nodes.n + 1) * sizeof *n.next),
                        take_memory((r->defs.regions.n + 1) * sizeof *n.open)};
    for (uint32_t i = 0; i < p->nodes.n; i++)
        n.first[i] = n.next[i] = NIL;
    for (uint32_t i = (uint32_t)p->nodes.n; i-- > 0;) {
        uint32_t parent = p->nodes.at[i].parent;
        if (parent == NIL)
            continue;
        n.next[i] = n.first[parent];
        n.first[parent] = i;
    }
    for (uint32_t i = 0; i < p->nodes.n; i++)
        if (p->nodes.at[i].parent == NIL)
            nest_below(&n, i);
    free(n.first);
    free(n.next);
    free(n.open);
}

static bool is_of_device(const struct report *r, uint32_t location)
{
    return r->profile.streams[location].watch.what == WATCH_STREAM;
}

/* Overlapping ranges have such streams, too, since no thread could hold overlapping ranges. */
static bool is_of_ranges(const struct report *r, uint32_t process)
{
    return strcmp(defs_process_name(&r->defs, process), NVTX_RANGES) == 0;
}

static void add_region(struct region_sum *sum, const struct profile *p, const struct node *node)
{
    sum->calls += node->calls;
    sum->self += node->self;
    sum->samples += node->samples;
    sum->is_seen = true;
    if (!node->is_nested)
        sum->total += node->total;
    if (!node->calls) {
        bool is_sampled = p->streams[node->location].samples;
        sum->sampled += is_sampled ? node->self : 0;
        sum->n_sampled += is_sampled ? node->samples : 0;
        return;
    }
    sum->durations += node->total;
    if (node->min < sum->min || sum->calls == node->calls)
        sum->min = node->min;
    if (node->max > sum->max)
        sum->max = node->max;
}

/* A function that is only seen on stacks, outside of all regions. */
static bool is_of_program(const struct profile *p, const struct node *node)
{
    while (!node->calls)
        node = &p->nodes.at[node->parent];
    return node->region == REGION_PROGRAM;
}

static void add_spent(struct report *r, struct spent *spent, const struct node *node)
{
    const struct region *region = &r->defs.regions.at[node->region];
    if (node->region == REGION_IDLE)
        spent->idle += node->self;
    else if (node->region == REGION_BLOCKED)
        spent->blocked += node->self;
    else if (node->region == REGION_OFF)
        spent->off += node->self;
    else if (node->region == REGION_SHORT)
        spent->shorts += node->self;
    else if (region->is_recording)
        spent->recording += node->self;
    else if (is_of_program(&r->profile, node))
        spent->program += node->self;
    else
        spent->calls += node->calls;
    if (region->paradigm != OTF2_PARADIGM_MPI || node->region < REGIONS_OWN)
        return;
    spent->mpi += node->self;
    if (region->meaning != REGION_MPI_BEGIN && region->meaning != REGION_MPI_END)
        spent->mpi_inside += node->self;
}

static struct region_at *region_at(struct sums *s, struct map *index_of, uint32_t region,
                                   uint32_t place, bool is_process)
{
    uint64_t key = (uint64_t)is_process << 32 | place;
    uint32_t index = map_index(index_of, region, key, s->at.n);
    if (index == s->at.n)
        *LIST_ADD(&s->at) = (struct region_at){region, is_process ? place : NIL, 0, 0};
    return &s->at.at[index];
}

/* Adds the time of a node to the region and the place of the node, and keeps the greatest. */
static void add_at(struct sums *s, struct map *index_of, const struct node *node, uint64_t waits,
                   uint32_t place, bool is_process)
{
    struct region_at *at = region_at(s, index_of, node->region, place, is_process);
    struct spent *spent = is_process ? &s->processes.at[place] : &s->locations.at[place];
    at->self += node->self;
    at->own += node->self - waits;
    if (node->region >= REGIONS_OWN && at->self > spent->top_self) {
        spent->top = node->region;
        spent->top_self = at->self;
    }
}

/* Metrics of a device are no thread, and make no process of the device. */
static bool is_of_metrics(const struct report *r, uint32_t index)
{
    const struct defs *d = &r->defs;
    return d->locations.at[index].type == OTF2_LOCATION_TYPE_METRIC &&
           d->processes.at[r->profile.streams[index].process].is_device;
}

static void add_location(struct report *r, uint32_t index)
{
    struct sums *s = &r->sums;
    const struct stream *stream = &r->profile.streams[index];
    if (!stream->stack.n || !r->is_selected[index] || is_of_metrics(r, index))
        return;
    struct spent *of = &s->processes.at[stream->process];
    of->is_selected = true;
    if (r->has_window && stream->first == stream->last)
        return;
    struct spent *spent = &s->locations.at[index];
    uint64_t total = r->profile.nodes.at[stream->stack.at[0].node].total;
    spent->total = total;
    spent->samples = stream->samples;
    spent->first = stream->first;
    spent->last = stream->last;
    s->n_locations++;
    bool is_stream = is_of_device(r, index);
    s->n_streams += is_stream;
    s->n_ranges += is_stream && is_of_ranges(r, stream->process);
    s->total += is_stream ? 0 : total;
    s->off += is_stream ? 0 : stream->off;
    if (!of->n_threads) {
        s->n_processes += !is_stream; /* a group of streams is a device */
        of->first = stream->first;
        of->last = stream->last;
    }
    of->total += total;
    of->samples += stream->samples;
    of->n_threads++;
    of->first = stream->first < of->first ? stream->first : of->first;
    of->last = stream->last > of->last ? stream->last : of->last;
}

uint64_t sums_waited(const struct report *r, uint32_t index, enum wait why)
{
    const struct node *node = &r->profile.nodes.at[index];
    enum region_meaning meaning = (enum region_meaning)r->defs.regions.at[node->region].meaning;
    if (why != WAIT_THREAD)
        return profile_waited(&r->profile, index, why);
    bool is_for_that = meaning == REGION_THREAD_WAIT || meaning == REGION_OMP_BARRIER;
    uint64_t ticks = is_for_that ? node->self : profile_waited(&r->profile, index, why);
    uint64_t other = profile_waited(&r->profile, index, WAIT_LOCK) +
                     profile_waited(&r->profile, index, WAIT_NOBODY);
    return ticks > other ? ticks - other : 0;
}

static void add_node(struct report *r, struct map *index_of, uint32_t index)
{
    struct sums *s = &r->sums;
    const struct node *node = &r->profile.nodes.at[index];
    uint32_t process = r->profile.streams[node->location].process;
    uint64_t waits = 0;
    bool is_elsewhere = r->has_window && !node->calls && !node->self && !node->samples;
    if (!r->is_selected[node->location] || is_elsewhere)
        return;
    bool is_stream = is_of_device(r, node->location);
    if (!is_stream || node->region >= REGIONS_OWN) {
        add_region(&s->regions.at[node->region], &r->profile, node);
        s->regions.at[node->region].on_streams += is_stream ? node->self : 0;
    }
    add_spent(r, &s->locations.at[node->location], node);
    add_spent(r, &s->processes.at[process], node);
    for (enum wait why = 0; why < WAIT_THREAD; why++)
        waits += sums_waited(r, index, why);
    waits = waits < node->self ? waits : node->self;
    add_at(s, index_of, node, waits, node->location, false);
    add_at(s, index_of, node, waits, process, true);
    if (node->depth > s->depth && node->region >= REGIONS_OWN)
        s->depth = node->depth;
    for (enum wait why = 0; why < WAITS; why++) {
        uint64_t ticks = sums_waited(r, index, why);
        s->waits[why] += ticks;
        s->regions.at[node->region].waits[why] += ticks;
        s->locations.at[node->location].waits[why] += ticks;
        s->processes.at[process].waits[why] += ticks;
    }
}

/* A call may have no time: the process has stopped recording, or the clock has not gone on. */
static bool calls_mpi(const struct spent *spent)
{
    return spent->mpi || spent->waits[WAIT_SENDER] || spent->waits[WAIT_RECEIVER] ||
           spent->waits[WAIT_COLLECTIVE];
}

void sums_make(struct report *r)
{
    struct sums *s = &r->sums;
    struct map index_of = {0};
    nest(r);
    for (size_t i = 0; i < r->defs.regions.n; i++)
        (void)LIST_ADD(&s->regions);
    for (size_t i = 0; i < r->defs.locations.n; i++)
        *LIST_ADD(&s->locations) = (struct spent){.top = NIL};
    for (size_t i = 0; i < r->defs.processes.n; i++)
        *LIST_ADD(&s->processes) = (struct spent){.top = NIL};
    for (uint32_t i = 0; i < r->defs.locations.n; i++)
        add_location(r, i);
    for (uint32_t i = 0; i < r->profile.nodes.n; i++)
        add_node(r, &index_of, i);
    for (uint32_t i = 0; i < r->defs.locations.n; i++) {
        s->shorts += s->locations.at[i].shorts;
        if (!calls_mpi(&s->locations.at[i]))
            continue;
        s->n_mpi++;
        s->processes.at[r->defs.locations.at[i].process].mpi_room += s->locations.at[i].total;
    }
    free(index_of.slots);
    sites_make(r);
}
