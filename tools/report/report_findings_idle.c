/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that mostly wait: those of a pool with little work, helpers of a language's runtime (for
 * its garbage, its compiler), a server without requests. Their waiting costs nothing that could be
 * gained, so it is told last and counts for no other sentence.
 */
#include <stdlib.h>

#include "tools/report/report_findings.h"
#include "tools/report/report_words.h"
#include "tools/report/topics/report.h"

static const double mostly = 0.5, only = 0.99; /* of its life */

static bool is_wait(const struct report *r, const struct node *node)
{
    return r->is_selected[node->location] &&
           r->defs.regions.at[node->region].meaning == REGION_THREAD_WAIT;
}

/* By location: that it mostly waits for other threads, or only waits. *n_only: the latter ones. */
static const bool *find_idle(const struct report *r, uint64_t *n_only)
{
    size_t n = r->defs.locations.n + 1;
    uint64_t *waited = take_memory(n * sizeof *waited), *in_all = take_memory(n * sizeof *in_all);
    bool *is_idle = take_memory(n * sizeof *is_idle);
    for (size_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (!is_wait(r, node))
            continue;
        in_all[node->location] += node->self;
        if (r->defs.regions.at[node->region].paradigm !=
            OTF2_PARADIGM_NONE) /* for no descriptor, no process */
            waited[node->location] += node->self;
    }
    for (uint32_t i = 0; i < r->defs.locations.n; i++) {
        const struct stream *s = &r->profile.streams[i];
        const double life = (double)(s->last - s->first);
        const bool is_only = in_all[i] && (double)in_all[i] >= only * life;
        is_idle[i] = is_only || (waited[i] && (double)waited[i] >= mostly * life);
        *n_only += is_only;
    }
    free(waited);
    free(in_all);
    return is_idle;
}

static const char *who(uint64_t threads, uint64_t n_only)
{
    const char *noun = words_plural(threads, "thread");
    if (threads == n_only)
        return make_text("%s %s nothing but wait", noun, threads == 1 ? "does" : "do");
    return make_text("%s mostly wait%s%s", noun, threads == 1 ? "s" : "",
                     n_only ? make_text(" (%s nothing else)",
                                        n_only == 1 ? "1 does"
                                                    : make_text("%s do", words_count(n_only)))
                            : "");
}

void findings_of_idle(struct report *r, struct findings *found)
{
    size_t room = 0;
    uint64_t most = 0, threads = 0, n_only = 0;
    struct place place = {0};
    uint32_t region = NIL;
    found->is_idle = find_idle(r, &n_only);
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
                 make_text("%s: %s (%s of all time), most of it in %s.", who(threads, n_only),
                           words_time(r, found->all_idle), words_percent(r, found->all_idle),
                           words_region(r, region)));
    found->all.at[found->all.n - 1].is_last = true;
}
