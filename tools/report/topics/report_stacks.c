/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_stacks.h"

#include "tools/base/quantity.h"
#include "tools/report/topics/report.h"

/* Longer chains of calling contexts are cut; a damaged archive may have a circle of contexts. */
enum { CHAIN_MAX = 4096 };

#define NOT_IN_IT SIZE_MAX

static void read_chain(const struct report *r, struct chain *chain, uint32_t context)
{
    chain->n = 0;
    while (context != NIL && chain->n < CHAIN_MAX) {
        *LIST_ADD(chain) = context;
        context = r->defs.contexts.at[context].parent;
    }
}

/* The i-th context of a chain, from the outermost. */
static const struct context *link_of(const struct report *r, const struct chain *chain, size_t i)
{
    return &r->defs.contexts.at[chain->at[chain->n - 1 - i]];
}

/*
 * The number of contexts, among the first `n` of a chain, that cover the open regions, including
 * the contexts in between; NOT_IN_IT: the open regions are not all in the chain.
 */
static size_t open_part(const struct report *r, const struct stream *s, const struct chain *chain,
                        size_t n)
{
    size_t frame = 1;
    size_t i = 0;
    for (; i < n && frame < s->stack.n; i++)
        if (link_of(r, chain, i)->region == r->profile.nodes.at[s->stack.at[frame].node].region)
            frame++;
    return frame < s->stack.n ? NOT_IN_IT : i;
}

/* The node of a part of a chain, below a given node. */
static uint32_t node_of(struct report *r, uint32_t node, const struct chain *chain, size_t begin,
                        size_t end)
{
    for (size_t i = begin; i < end; i++)
        node = profile_child(&r->profile, node, link_of(r, chain, i)->region);
    return node;
}

/*
 * The common part of two stacks below the open regions: the functions that are equal, down to the
 * first function at a different line, including this function.
 */
static size_t common_part(const struct report *r, const struct chain *a, size_t from_a,
                          const struct chain *b, size_t from_b, size_t end_b)
{
    size_t n = 0;
    bool is_same = true;
    while (is_same && from_a + n < a->n && from_b + n < end_b) {
        const struct context *x = link_of(r, a, from_a + n);
        const struct context *y = link_of(r, b, from_b + n);
        if (x->region != y->region)
            break;
        is_same = x->place == y->place;
        n++;
    }
    return n;
}

/*
 * The thread is on the stack made of the first `end` contexts of p->chain; since `seen_at` the
 * thread was elsewhere.
 */
static void note_between(struct report *r, struct stream *s, size_t begin, size_t end)
{
    struct profile *p = &r->profile;
    const struct frame *frame = profile_top(s);
    if (frame->seen == NIL || s->last <= frame->seen_at)
        return;
    read_chain(r, &p->before, frame->seen);
    size_t open = open_part(r, s, &p->before, p->before.n);
    if (open == NOT_IN_IT)
        return;
    size_t n = common_part(r, &p->before, open, &p->chain, begin, end);
    if (n == 0)
        return;
    uint32_t node = node_of(r, frame->node, &p->chain, begin, begin + n); /* the list may move */
    p->nodes.at[node].between += s->last - frame->seen_at;
}

static void see(struct stream *s, uint32_t context)
{
    struct frame *frame = profile_top(s);
    frame->seen = context;
    frame->seen_at = s->last;
}

static OTF2_CallbackCode on_enter(MERGED_EVENT, OTF2_CallingContextRef context, uint32_t distance)
{
    struct report *r = user;
    r->has_stacks = true;
    struct stream *s = profile_at(r, location, &time);
    struct chain *chain = &r->profile.chain;
    (void)distance;
    read_chain(r, chain, defs_context(&r->defs, context));
    if (!chain->n)
        return OTF2_CALLBACK_SUCCESS;
    size_t last = chain->n - 1;
    size_t open = open_part(r, s, chain, last);
    if (open == NOT_IN_IT)
        open = last; /* of the whole chain, only the call is certain */
    else
        note_between(r, s, open, last);
    const struct context *call = link_of(r, chain, last);
    uint32_t caller = node_of(r, profile_top(s)->node, chain, open, last);
    uint32_t site = defs_site_of_call(&r->defs, chain->at[0]);
    profile_enter(r, s, profile_call(&r->profile, caller, call->region, site),
                  defs_calls_in(&r->defs, attributes));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(MERGED_EVENT, OTF2_CallingContextRef id)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    uint32_t index = defs_context(&r->defs, id);
    if (index == NIL) {
        r->profile.odd.strays++;
        return OTF2_CALLBACK_SUCCESS;
    }
    const struct context *context = &r->defs.contexts.at[index];
    if (profile_leave(r, s, context->region) && !s->is_off)
        see(s, context->parent);
    return OTF2_CALLBACK_SUCCESS;
}

/* Where a sample found the thread. */
static uint32_t place_of(struct report *r, struct stream *s, uint32_t context)
{
    const struct profile *p = &r->profile;
    uint32_t open = profile_top(s)->node;
    if (r->defs.regions.at[p->nodes.at[open].region].is_call)
        return open;
    read_chain(r, &r->profile.chain, context);
    size_t begin = open_part(r, s, &p->chain, p->chain.n);
    if (begin == NOT_IN_IT)
        return open;
    note_between(r, s, begin, p->chain.n);
    see(s, context);
    if (begin == p->chain.n)
        return open;
    const struct context *leaf = link_of(r, &p->chain, p->chain.n - 1);
    open = node_of(r, open, &p->chain, begin, p->chain.n - 1);
    return profile_call(&r->profile, open, leaf->region,
                        defs_is_code(&r->defs, context) ? leaf->site : NIL);
}

static OTF2_CallbackCode on_sample(MERGED_EVENT, OTF2_CallingContextRef context, uint32_t distance,
                                   OTF2_InterruptGeneratorRef id)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    uint32_t place = place_of(r, s, defs_context(&r->defs, context));
    struct node *node = &r->profile.nodes.at[place];
    uint32_t generator = defs_generator(&r->defs, id);
    double seconds = generator == NIL ? 0.0 : r->defs.generators.at[generator].period;
    (void)distance;
    if (s->is_outside)
        return OTF2_CALLBACK_SUCCESS;
    metrics_belong(r, s, place);
    node->samples++;
    r->has_samples = true;
    uint64_t period = quantity_whole(seconds * (double)r->defs.clock.ticks_per_second);
    if (seconds <= 0.0 || period == UINT64_MAX) {
        r->profile.odd.uncounted++;
        return OTF2_CALLBACK_SUCCESS;
    }
    s->samples++;
    s->period = period;
    if (r->defs.regions.at[node->region].is_recording)
        profile_lap_last(r, s, place, period);
    node->sampled += s->period;
    return OTF2_CALLBACK_SUCCESS;
}

void stacks_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(CallingContextEnter, on_enter);
    READ(CallingContextLeave, on_leave);
    READ(CallingContextSample, on_sample);
}
