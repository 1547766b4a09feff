/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that do nothing but wait: those of a pool without work, a server without requests. Their
 * waiting costs nothing that could be gained, so it is told last and counts for no other sentence.
 */
#include "tools/report/report_findings.h"
#include "tools/report/report_words.h"
#include "tools/report/topics/report.h"

static const double only = 0.99; /* of its life */

static bool is_wait(const struct report *r, const struct node *node)
{
    return r->is_selected[node->location] &&
           r->defs.regions.at[node->region].meaning == REGION_THREAD_WAIT;
}

/* By location: that it only waits. */
static const bool *find_idle(const struct report *r)
{
    size_t room = 0, n = r->defs.locations.n + 1;
    uint64_t *waited = list_grow(NULL, &room, n, sizeof *waited);
    for (size_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (is_wait(r, node))
            waited[node->location] += node->self;
    }
    room = 0;
    bool *is_idle = list_grow(NULL, &room, n, sizeof *is_idle);
    for (uint32_t i = 0; i < r->defs.locations.n; i++) {
        const struct stream *s = &r->profile.streams[i];
        is_idle[i] = waited[i] && (double)waited[i] >= only * (double)(s->last - s->first);
    }
    return is_idle;
}

void findings_of_idle(struct report *r, struct findings *found)
{
    size_t room = 0;
    uint64_t most = 0, threads = 0;
    struct place place = {0};
    uint32_t region = NIL;
    found->is_idle = find_idle(r);
    found->idle = list_grow(NULL, &room, r->defs.regions.n + 1, sizeof *found->idle);
    for (size_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (!is_wait(r, node) || !found->is_idle[node->location])
            continue;
        struct idle *idle = &found->idle[node->region];
        idle->ticks += node->self;
        idle->calls += node->calls;
        found->all_idle += (double)node->self;
        if (idle->ticks > most) {
            most = idle->ticks;
            region = node->region;
        }
        place_add(&place, node->max_at, node->max_at + node->max, node->location, node->location);
    }
    for (uint32_t i = 0; i < r->defs.locations.n; i++)
        threads += found->is_idle[i];
    if (!findings_is_worth_it(r, found->all_idle))
        return;
    findings_add(found, "idle", found->all_idle, place, NIL,
                 make_text("%s nothing but wait: %s (%s of all time), most of it in %s.",
                           threads == 1 ? "1 thread does"
                                        : make_text("%s do", words_plural(threads, "thread")),
                           words_time(r, found->all_idle), words_percent(r, found->all_idle),
                           words_region(r, region)));
    found->all.at[found->all.n - 1].is_last = true;
}
