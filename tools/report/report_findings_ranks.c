/* SPDX-License-Identifier: BSD-3-Clause */
/* What makes ranks wait: late partners of messages, late members of collectives, uneven work. */
#include "tools/report/report_because.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_words.h"
#include "tools/report/show/report_efficiency.h"
#include "tools/report/topics/report.h"

/* The last finding has a cause. */
static void say_why(const struct report *r, struct findings *all, struct because because,
                    double waited)
{
    struct finding *found = &all->all.at[all->all.n - 1];
    found->because = because;
    found->text = make_text("%s%s", found->text, because_text(r, &because, waited));
}

/* ---- messages ---- */

/* Where a process waits most for a reason: in which call, and from where that is called. */
struct scene {
    uint32_t node;
    uint32_t caller; /* region, NIL: the program */
    uint64_t ticks;
};

static struct scene scene_of(const struct report *r, uint32_t process, enum wait why)
{
    struct scene scene = {NIL, NIL, 0};
    for (uint32_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (r->profile.streams[node->location].process != process ||
            !r->is_selected[node->location])
            continue;
        uint64_t ticks = profile_waited(&r->profile, i, why);
        if (ticks <= scene.ticks)
            continue;
        uint32_t up =
            node->parent == NIL ? REGION_PROGRAM : r->profile.nodes.at[node->parent].region;
        scene = (struct scene){i, up < REGIONS_OWN ? NIL : up, ticks};
    }
    return scene;
}

static const char *call_of(const struct report *r, const struct scene *scene)
{
    return scene->node == NIL ? "MPI" : words_region(r, r->profile.nodes.at[scene->node].region);
}

static uint32_t site_of(const struct report *r, const struct scene *scene)
{
    return scene->node == NIL ? NIL : r->profile.nodes.at[scene->node].site;
}

/* The line of the call; without it, its caller. */
static const char *called_from(const struct report *r, const struct scene *scene)
{
    if (site_of(r, scene) != NIL)
        return words_mostly_at(r, site_of(r, scene));
    return scene->caller == NIL ? "" : make_text(", mostly in %s", words_region(r, scene->caller));
}

static const char *of_its_time(const struct report *r, uint32_t process, uint64_t ticks)
{
    return make_text("%.0f %% of its time", percent_of(ticks, r->sums.processes.at[process].total));
}

static const char *all_together(const struct report *r, double all, uint64_t part, const char *what)
{
    if (all < 1.05 * (double)part)
        return "";
    return make_text(" All %s together wait %s (%s) for %s.",
                     r->is_part ? "selected ranks" : "ranks", words_time(r, all),
                     words_percent(r, all), what);
}

static uint64_t late_in(const struct pair *pair, enum wait why)
{
    return why == WAIT_SENDER ? pair->late_sender : pair->late_receiver;
}

static void find_late(struct report *r, struct findings *found, enum wait why)
{
    const struct pair *worst = NULL;
    double all = 0.0;
    for (size_t i = 0; i < r->messages.pairs.n; i++) {
        const struct pair *pair = &r->messages.pairs.at[i];
        all += (double)late_in(pair, why);
        if (!worst || late_in(pair, why) > late_in(worst, why))
            worst = pair;
    }
    if (!worst || !findings_is_worth_it(r, all))
        return;
    bool is_sender = why == WAIT_SENDER;
    uint32_t who = is_sender ? worst->receiver : worst->sender;
    uint64_t ticks = late_in(worst, why);
    struct scene scene = scene_of(r, who, why);
    const char *other = defs_process_name(&r->defs, is_sender ? worst->sender : worst->receiver);
    const char *waits =
        make_text("%s on %s waits %s (%s)", call_of(r, &scene), defs_process_name(&r->defs, who),
                  words_time(r, (double)ticks), of_its_time(r, who, ticks));
    const char *whom = is_sender ? make_text("for late sends of %s", other)
                                 : make_text("until %s posts its receives", other);
    findings_add(found, is_sender ? "late_sender" : "late_receiver", all,
                 is_sender ? worst->longest_sender : worst->longest_receiver, site_of(r, &scene),
                 make_text("%s %s%s.%s", waits, whom, called_from(r, &scene),
                           all_together(r, all, ticks,
                                        is_sender ? "late sends" : "late receives")));
    say_why(r, found, because_of_node(r, scene.node), (double)scene.ticks);
}

/* ---- everybody together ---- */

/* Where most of the waiting in its calls is, on all communicators; NIL: not known. */
static uint32_t site_of_waiting(const struct report *r, uint32_t region)
{
    const struct site_sum *most = NULL;
    for (size_t i = 0; i < r->sites.all.n; i++) {
        const struct site_sum *sum = &r->sites.all.at[i];
        if (sum->region == region &&
            (!most || sum->waits[WAIT_COLLECTIVE] > most->waits[WAIT_COLLECTIVE]))
            most = sum;
    }
    return most ? most->site : NIL;
}

static void find_collectives(struct report *r, struct findings *found)
{
    for (size_t i = 0; i < r->collectives.all.n; i++) {
        const struct collective *c = &r->collectives.all.at[i];
        if (!findings_is_worth_it(r, (double)c->waited) || c->culprit == NIL)
            continue;
        const struct share *share = &r->collectives.shares.at[c->culprit];
        uint32_t site = site_of_waiting(r, c->region);
        findings_add(found, "collective", (double)c->waited, c->longest, site,
                     make_text("%s wait %s (%s of all time) in %s of %s on %s for ranks that come "
                               "later, %.0f %% of that for %s%s.",
                               r->is_part ? "The selected ranks" : "The ranks",
                               words_time(r, (double)c->waited),
                               words_percent(r, (double)c->waited), words_plural(c->calls, "call"),
                               collective_name(r, c), defs_comm_name(&r->defs, c->comm),
                               percent_of(share->caused, c->waited),
                               defs_process_name(&r->defs, share->process),
                               words_mostly_at(r, site)));
        if (c->region != NIL)
            say_why(r, found, because_of_region(r, c->region), (double)c->waited);
    }
}

static void find_imbalance(struct report *r, struct findings *found)
{
    struct efficiency e = efficiency_of(r);
    double ticks = (e.most_work - e.work) * e.n;
    if (e.n < 2 || !findings_is_worth_it(r, ticks) || e.work > 0.95 * e.most_work)
        return;
    findings_add(
        found, "imbalance", ticks, findings_life(r, r->defs.processes.at[e.busiest].main), NIL,
        make_text("The load is uneven: %s works %s, the mean of the %u ranks is %s (load balance "
                  "%.0f %%). The other ranks wait meanwhile.",
                  defs_process_name(&r->defs, e.busiest), words_time(r, e.most_work), e.n,
                  words_time(r, e.work), 100.0 * e.work / e.most_work));
}

void findings_of_ranks(struct report *r, struct findings *found)
{
    find_late(r, found, WAIT_SENDER);
    find_late(r, found, WAIT_RECEIVER);
    find_collectives(r, found);
    find_imbalance(r, found);
}
