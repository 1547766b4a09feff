/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "tools/report/report.h"

enum {
    /* Deeper recursion is accounted to the path of this depth, so that paths stay few. */
    DEPTH_MAX = 256,
    /* A leave closes at most so many regions that were left open within. */
    UNCLOSED_MAX = 64,
    /* Longer chains of calling contexts are cut; a damaged archive may have a circle of them. */
    CHAIN_MAX = 4096,
};

#define NO_TIME UINT64_MAX

/* ---- call paths ---- */

static uint32_t add_node(struct profile *p, uint32_t parent, uint32_t region, uint32_t location)
{
    uint32_t index = (uint32_t)p->nodes.n;
    uint32_t depth = parent == NIL ? 0 : p->nodes.at[parent].depth + 1;
    *LIST_ADD(&p->nodes) = (struct node){.parent = parent,
                                         .region = region,
                                         .location = location,
                                         .recent = NIL,
                                         .depth = depth,
                                         .min = NO_TIME};
    return index;
}

static uint32_t child_of(struct profile *p, uint32_t parent, uint32_t region)
{
    if (p->nodes.at[parent].depth >= DEPTH_MAX)
        parent = p->nodes.at[parent].parent;
    uint32_t child = p->nodes.at[parent].recent;
    if (child != NIL && p->nodes.at[child].region == region)
        return child;
    child = map_find(&p->child_of, parent, region);
    if (child == NIL) {
        child = add_node(p, parent, region, p->nodes.at[parent].location);
        map_set(&p->child_of, parent, region, child);
    }
    p->nodes.at[parent].recent = child;
    return child;
}

/* ---- locations ---- */

static void begin_stream(struct profile *p, struct stream *s, uint64_t time)
{
    uint32_t root = add_node(p, NIL, REGION_PROGRAM, s->location);
    p->nodes.at[root].calls = 1;
    *LIST_ADD(&s->stack) = (struct frame){.enter = time, .node = root};
    s->first = time;
    s->last = time;
}

struct stream *profile_at(struct report *r, uint64_t location, uint64_t *time)
{
    struct profile *p = &r->profile;
    if (location != p->last_id || !p->last_stream) {
        uint32_t index = defs_location(&r->defs, location);
        if (index == NIL)
            report_fail("%s: events of location %llu, which is not defined", r->path,
                        (unsigned long long)location);
        p->last_id = location;
        p->last_stream = &p->streams[index];
    }
    struct stream *s = p->last_stream;
    if (!s->stack.n)
        begin_stream(p, s, *time);
    if (*time < s->last) {
        p->odd.backwards++;
        *time = s->last;
    }
    s->last = *time;
    return s;
}

/* ---- regions ---- */

static void push(struct profile *p, struct stream *s, uint64_t time, uint32_t region)
{
    uint32_t node = child_of(p, profile_top(s)->node, region);
    *LIST_ADD(&s->stack) = (struct frame){.enter = time, .node = node};
}

/* What others want to know of a call's end. */
static void tell_others(struct report *r, struct stream *s, const struct frame *frame)
{
    uint32_t region = r->profile.nodes.at[frame->node].region;
    if (s->open_sends.n)
        messages_returned(r, s);
    switch ((enum region_meaning)r->defs.regions.at[region].meaning) {
    case REGION_MPI_BEGIN:
        s->mpi_begin = s->last;
        break;
    case REGION_MPI_END:
        s->mpi_end = frame->enter;
        break;
    case REGION_OMP_BARRIER:
        s->in_barriers += s->last - frame->enter;
        break;
    case REGION_PLAIN:
    case REGION_THREAD_WAIT:
        break;
    }
}

/* Leaves the innermost region at the time of the last event. */
static void pop(struct report *r, struct stream *s)
{
    const struct frame *frame = &s->stack.at[--s->stack.n];
    struct node *node = &r->profile.nodes.at[frame->node];
    uint64_t took = s->last - frame->enter;
    node->calls++;
    node->self += took - frame->below;
    if (took < node->min)
        node->min = took;
    if (took > node->max)
        node->max = took;
    profile_top(s)->below += took;
    tell_others(r, s, frame);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    (void)attributes;
    push(&r->profile, s, time, defs_region(&r->defs, region));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef id)
{
    struct report *r = user;
    struct profile *p = &r->profile;
    struct stream *s = profile_at(r, location, &time);
    uint32_t region = defs_region(&r->defs, id);
    size_t n = s->stack.n;
    size_t lowest = n > UNCLOSED_MAX ? n - UNCLOSED_MAX : 1;
    (void)attributes;
    while (n > lowest && p->nodes.at[s->stack.at[n - 1].node].region != region)
        n--;
    if (n <= 1 || p->nodes.at[s->stack.at[n - 1].node].region != region) {
        p->odd.strays++;
        return OTF2_CALLBACK_SUCCESS;
    }
    p->odd.unclosed += s->stack.n - n;
    while (s->stack.n >= n)
        pop(r, s);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- calling contexts ---- */

/*
 * Makes the open regions those of a calling context. What is common with those that are open stays
 * open; `is_new`: but for the innermost, which is entered again.
 */
static void go_to(struct report *r, struct stream *s, uint64_t context, bool is_new)
{
    struct profile *p = &r->profile;
    p->path.n = 0;
    uint32_t index = defs_context(&r->defs, context);
    while (index != NIL && p->path.n < CHAIN_MAX) {
        const struct context *c = &r->defs.contexts.at[index];
        *LIST_ADD(&p->path) = defs_region(&r->defs, c->region);
        index = defs_context(&r->defs, c->parent);
    }
    size_t common = 0;
    size_t most = p->path.n - (is_new && p->path.n);
    while (common < most && common + 1 < s->stack.n &&
           p->nodes.at[s->stack.at[common + 1].node].region == p->path.at[p->path.n - 1 - common])
        common++;
    while (s->stack.n > common + 1)
        pop(r, s);
    for (size_t i = common; i < p->path.n; i++)
        push(p, s, s->last, p->path.at[p->path.n - 1 - i]);
}

static OTF2_CallbackCode on_context_enter(OTF2_LocationRef location, OTF2_TimeStamp time,
                                          void *user, OTF2_AttributeList *attributes,
                                          OTF2_CallingContextRef context, uint32_t distance)
{
    (void)attributes, (void)distance;
    go_to(user, profile_at(user, location, &time), context, true);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_leave(OTF2_LocationRef location, OTF2_TimeStamp time,
                                          void *user, OTF2_AttributeList *attributes,
                                          OTF2_CallingContextRef context)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    uint32_t index = defs_context(&r->defs, context);
    (void)attributes;
    if (s->stack.n == 1)
        r->profile.odd.strays++;
    go_to(r, s, index == NIL ? OTF2_UNDEFINED_CALLING_CONTEXT : r->defs.contexts.at[index].parent,
          false);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_sample(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                   OTF2_AttributeList *attributes, OTF2_CallingContextRef context,
                                   uint32_t distance, OTF2_InterruptGeneratorRef generator)
{
    struct report *r = user;
    (void)attributes, (void)distance, (void)generator;
    go_to(r, profile_at(r, location, &time), context, false);
    r->profile.odd.samples++;
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- the rest ---- */

static OTF2_CallbackCode on_flush(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *attributes, OTF2_TimeStamp stop)
{
    struct report *r = user;
    const struct stream *s = profile_at(r, location, &time);
    (void)attributes;
    r->profile.odd.flushes++;
    if (stop > time) {
        r->profile.odd.flush_ticks += stop - time;
        r->profile.flush_of.at[s->process] += stop - time;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_measurement(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                        OTF2_AttributeList *attributes, OTF2_MeasurementMode mode)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    (void)attributes;
    if (mode == OTF2_MEASUREMENT_OFF && !s->off_since)
        s->off_since = time;
    if (mode == OTF2_MEASUREMENT_ON && s->off_since) {
        r->profile.odd.off_ticks += time - s->off_since;
        s->off_since = 0;
    }
    return OTF2_CALLBACK_SUCCESS;
}

#define READ(Name, function) OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, function)

void profile_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(Enter, on_enter);
    READ(Leave, on_leave);
    READ(CallingContextEnter, on_context_enter);
    READ(CallingContextLeave, on_context_leave);
    READ(CallingContextSample, on_sample);
    READ(BufferFlush, on_flush);
    READ(MeasurementOnOff, on_measurement);
}

void profile_init(struct report *r)
{
    struct profile *p = &r->profile;
    size_t n = r->defs.locations.n;
    size_t room = 0;
    p->streams = report_grow(NULL, &room, n ? n : 1, sizeof *p->streams);
    for (uint32_t i = 0; i < n; i++) {
        p->streams[i].location = i;
        p->streams[i].process = r->defs.locations.at[i].process;
    }
    for (size_t i = 0; i < r->defs.processes.n; i++)
        *LIST_ADD(&p->flush_of) = 0;
}

void profile_wait(struct report *r, uint32_t node, enum wait why, uint64_t ticks)
{
    struct profile *p = &r->profile;
    uint32_t index = map_find(&p->wait_of, node, why);
    if (index == NIL) {
        index = (uint32_t)p->waits.n;
        *LIST_ADD(&p->waits) = 0;
        map_set(&p->wait_of, node, why, index);
    }
    p->waits.at[index] += ticks;
}

uint64_t profile_waited(const struct profile *p, uint32_t node, enum wait why)
{
    uint32_t index = map_find(&p->wait_of, node, why);
    return index == NIL ? 0 : p->waits.at[index];
}

/* ---- the end ---- */

/*
 * Outside of all regions a thread that others direct (a member of teams, a queue of an accelerator)
 * has nothing to do; any other runs the program.
 */
static void split_root(struct report *r, const struct stream *s)
{
    struct profile *p = &r->profile;
    const struct frame *root = &s->stack.at[0];
    struct node *node = &p->nodes.at[root->node];
    OTF2_LocationType type = r->defs.locations.at[s->location].type;
    bool is_program = type == OTF2_LOCATION_TYPE_CPU_THREAD || type == OTF2_LOCATION_TYPE_UNKNOWN;
    bool is_worker =
        s->in_teams && !s->has_forked && s->location != r->defs.processes.at[s->process].main;
    uint64_t whole = s->last - s->first;
    uint64_t idle = 0;
    if (type == OTF2_LOCATION_TYPE_METRIC)
        return;
    node->self = whole - root->below;
    if (!is_program)
        idle = node->self;
    else if (is_worker && s->in_teams < whole)
        idle = whole - s->in_teams < node->self ? whole - s->in_teams : node->self;
    if (idle) {
        node->self -= idle;
        uint32_t child = child_of(p, root->node, REGION_IDLE);
        p->nodes.at[child].calls = 1;
        p->nodes.at[child].self = idle;
    }
}

void profile_finish(struct report *r)
{
    struct profile *p = &r->profile;
    r->first = UINT64_MAX;
    for (size_t i = 0; i < r->defs.locations.n; i++) {
        struct stream *s = &p->streams[i];
        if (!s->stack.n)
            continue;
        p->odd.open += s->stack.n - 1;
        while (s->stack.n > 1)
            pop(r, s);
        split_root(r, s);
        r->first = s->first < r->first ? s->first : r->first;
        r->last = s->last > r->last ? s->last : r->last;
    }
    if (r->first == UINT64_MAX)
        r->first = r->last;
    for (size_t i = p->nodes.n; i-- > 0;) {
        struct node *node = &p->nodes.at[i];
        node->total += node->self;
        if (node->parent != NIL)
            p->nodes.at[node->parent].total += node->total;
    }
}
