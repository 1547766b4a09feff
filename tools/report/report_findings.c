/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/quantity.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_placement.h"
#include "tools/report/report_words.h"
#include "tools/report/show/report_table.h"
#include "tools/report/topics/report.h"
#include "tools/report/topics/report_shares.h"

enum {
    LEAST_SAMPLES = 30, /* least samples for a sentence: right to a third or so */
    USUAL_START_S = 10
};

/* A region that takes less of the time of all threads is not worth a sentence. */
static const double least_percent = 1.0;

bool findings_is_worth_it(const struct report *r, double ticks)
{
    return ticks > 0.0 && r->sums.total && 100.0 * ticks >= least_percent * (double)r->sums.total;
}

struct place findings_life(const struct report *r, uint32_t location)
{
    struct place place = {0};
    const struct stream *s = location == NIL ? NULL : &r->profile.streams[location];
    if (s && s->stack.n)
        place_add(&place, s->first, s->last, location, location);
    return place;
}

void findings_add(struct findings *found, const char *kind, double ticks, struct place place,
                  uint32_t site, const char *text)
{
    *LIST_ADD(&found->all) =
        (struct finding){.kind = kind, .ticks = ticks, .text = text, .place = place, .site = site};
}

void findings_insert(struct findings *found, size_t at, struct finding one)
{
    (void)LIST_ADD(&found->all);
    memmove(found->all.at + at + 1, found->all.at + at, (found->all.n - 1 - at) * sizeof one);
    found->all.at[at] = one;
}

/* ---- regions ---- */

/* The place where a region takes clearly more than elsewhere; "" without such a place. */
static const char *mostly_on(const struct report *r, uint32_t region)
{
    const struct sums *sums = &r->sums;
    const struct region_at *most = NULL;
    uint64_t all = 0;
    for (size_t i = 0; i < sums->at.n; i++) {
        const struct region_at *at = &sums->at.at[i];
        if (at->region != region || at->process == NIL)
            continue;
        all += at->own;
        if (!most || at->own > most->own)
            most = at;
    }
    if (!most || sums->n_processes < 2 ||
        (double)most->own * (double)sums->n_processes < 1.5 * (double)all)
        return "";
    return make_text(", most on %s (%s)", defs_process_name(&r->defs, most->process),
                     words_time(r, (double)most->own));
}

/*
 * The longest call, without calls of threads that only wait. For a function seen only on stacks:
 * the location with most of the function's time.
 */
static struct place place_of_region(const struct report *r, const struct findings *found,
                                    uint32_t region)
{
    struct place place = {0};
    uint64_t most = 0;
    uint32_t location = NIL;
    for (size_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (node->region != region || !r->is_selected[node->location] ||
            (found->idle[region].ticks && found->is_idle[node->location]))
            continue;
        place_add(&place, node->max_at, node->max_at + node->max, node->location, node->location);
        if (node->self > most) {
            most = node->self;
            location = node->location;
        }
    }
    return place.location ? place : findings_life(r, location);
}

/* The awaited things of a waiting call. */
static const char *awaited(const struct region *region)
{
    if (region_awaits_descriptor(region))
        return "pipes, sockets or other descriptors";
    return region->paradigm == OTF2_PARADIGM_NONE ? "processes that they have started"
                                                  : "other threads";
}

/*
 * The place with most of the waiting cannot be told of a part: sites and processes have only the
 * whole.
 */
static char *wait_text(const struct report *r, const struct idle *idle, uint32_t region,
                       double ticks)
{
    const uint64_t calls = r->sums.regions.at[region].calls - idle->calls;
    return make_text("Threads wait %s (%s of all time) in %s of %s for %s%s%s.",
                     words_time(r, ticks), words_percent(r, ticks), words_plural(calls, "call"),
                     words_region(r, region), awaited(&r->defs.regions.at[region]),
                     idle->ticks ? "" : words_mostly_at(r, sites_most(r, region)),
                     idle->ticks ? ", not counting threads that mostly wait"
                                 : mostly_on(r, region));
}

static char *region_text(const struct report *r, uint32_t region, double ticks)
{
    const struct region_sum *sum = &r->sums.regions.at[region];
    const char *name = words_region(r, region);
    const char *calls = words_plural(sum->calls, "call");
    const char *part = words_percent(r, ticks);
    const char *each = words_time(r, ticks / (double)sum->calls);
    const char *at = words_mostly_at(r, sites_most(r, region));
    if (r->defs.regions.at[region].paradigm == OTF2_PARADIGM_MPI || (uint64_t)ticks != sum->self)
        return make_text("%s takes %s (%s of all time) in %s, %s each, not counting waits for "
                         "%s%s%s.",
                         name, words_time(r, ticks), part, calls, each,
                         r->defs.regions.at[region].paradigm == OTF2_PARADIGM_MPI ? "late partners"
                                                                                  : "others",
                         at, mostly_on(r, region));
    return make_text("%s takes %s itself (%s of all time) in %s, %s each%s%s.", name,
                     words_time(r, ticks), part, calls, each, at, mostly_on(r, region));
}

/* The place with most samples of the function, if the number is more than chance. */
static const char *hot_line(const struct report *r, uint32_t region)
{
    const struct line_sum *most = lines_most(r, region);
    if (!most || most->samples < LEAST_SAMPLES)
        return "";
    return make_text(", most at %s, %s of %s", defs_site_name(&r->defs, most->site),
                     words_count(most->samples), words_plural(r->sums.samples, "sample"));
}

/* The text for a function seen only on stacks: the number of calls is unknown. */
static char *function_text(const struct report *r, uint32_t region, double ticks)
{
    const struct region_sum *sum = &r->sums.regions.at[region];
    const char *name =
        r->defs.regions.at[region].is_recording ? "Recording" : words_region(r, region);
    if (!sum->n_sampled)
        return make_text("%s takes %s itself (%s of all time), between the calls that it makes%s.",
                         name, words_time(r, ticks), words_percent(r, ticks), mostly_on(r, region));
    double error = shares_error(sum->sampled, sum->n_sampled);
    return make_text("%s takes %s of CPU time itself (%s of all time; %s, so give or take "
                     "%.0f %%)%s%s.",
                     name, words_time(r, ticks), words_percent(r, ticks),
                     words_plural(sum->n_sampled, "sample"), 100.0 * error / (double)sum->sampled,
                     hot_line(r, region), mostly_on(r, region));
}

/* Own time without waiting that counts elsewhere, and without the time of devices. */
static double own_ticks(const struct region_sum *sum)
{
    double ticks = (double)(sum->self - sum->on_streams);
    for (unsigned why = 0; why < WAIT_THREAD; why++)
        ticks -= (double)sum->waits[why];
    return ticks;
}

static void find_regions(struct report *r, struct findings *found)
{
    const struct sums *sums = &r->sums;
    for (uint32_t i = REGIONS_OWN; i < sums->regions.n; i++) {
        double ticks = own_ticks(&sums->regions.at[i]) - (double)found->idle[i].ticks;
        enum region_meaning meaning = (enum region_meaning)r->defs.regions.at[i].meaning;
        bool is_elsewhere = meaning == REGION_MPI_BEGIN || meaning == REGION_MPI_END ||
                            (meaning == REGION_OMP_BARRIER && r->teams.regions.n) ||
                            (region_is_of_files(&r->defs.regions.at[i]) && r->files.all.n);
        const struct region_sum *sum = &sums->regions.at[i];
        bool is_chance = sum->n_sampled && sum->n_sampled < LEAST_SAMPLES;
        if (!is_elsewhere && !is_chance && findings_is_worth_it(r, ticks))
            findings_add(found, "region", ticks, place_of_region(r, found, i),
                         found->idle[i].ticks ? NIL : sites_most(r, i),
                         !sum->calls                     ? function_text(r, i, ticks)
                         : meaning == REGION_THREAD_WAIT ? wait_text(r, &found->idle[i], i, ticks)
                                                         : region_text(r, i, ticks));
    }
}

/*
 * The time for the start and the end of the job, independent of the computation. Some seconds are
 * no news.
 */
static void find_job(struct report *r, struct findings *found)
{
    const struct sums *sums = &r->sums;
    const char *names = "";
    double ticks = 0.0;
    double each = 0.0;
    struct place place = {0};
    for (uint32_t i = REGIONS_OWN; i < sums->regions.n; i++) {
        const struct region_sum *sum = &sums->regions.at[i];
        enum region_meaning meaning = (enum region_meaning)r->defs.regions.at[i].meaning;
        if (!sum->calls || (meaning != REGION_MPI_BEGIN && meaning != REGION_MPI_END))
            continue;
        names = make_text("%s%s%s", names, *names ? " and " : "", defs_region_name(&r->defs, i));
        struct place longest = place_of_region(r, found, i);
        if (place_ticks(&longest) > place_ticks(&place))
            place = longest;
        ticks += own_ticks(sum);
        each += (double)sum->durations / (double)sum->calls;
    }
    if (!findings_is_worth_it(r, ticks))
        return;
    findings_add(found, "job", ticks, place, NIL,
                 make_text("%s %s %s on each rank (%s of all time): the start and the end of the "
                           "job, not what it computes.",
                           names, strstr(names, " and ") ? "take" : "takes", words_time(r, each),
                           words_percent(r, ticks)));
    found->all.at[found->all.n - 1].is_last =
        each < USUAL_START_S * (double)r->defs.clock.ticks_per_second;
}

/* ---- threads ---- */

static const char *place_of(const struct report *r, uint32_t region)
{
    const struct region *it = &r->defs.regions.at[region];
    const char *file = defs_text(&r->defs, it->file);
    if (!*file || !it->line || strchr(defs_region_name(&r->defs, region), '@'))
        return ""; /* or the name says so */
    return make_text(" at %s:%u", file, it->line);
}

static const char *for_locks(const struct report *r, uint64_t ticks)
{
    return ticks ? make_text(" and %s for locks", words_time(r, (double)ticks)) : "";
}

/* As many as the table of parallel regions says. */
static const char *threads_of(const struct report *r, const struct parallel *p)
{
    const char *region =
        make_text("the parallel region %s%s", words_region(r, p->region), place_of(r, p->region));
    if (p->threads % p->calls == 0)
        return make_text("%s of %s", words_plural(p->threads / p->calls, "thread"), region);
    return make_text("threads of %s (%.4g on average)", region,
                     (double)p->threads / (double)p->calls);
}

static const char *team_text(const struct report *r, const struct parallel *p, double start_and_end)
{
    if (p->most == 1)
        return make_text("The parallel region %s%s has teams of one thread: its entry, exit and "
                         "barriers cost %s (%s of all time) in %s, %s each%s.",
                         words_region(r, p->region), place_of(r, p->region),
                         words_time(r, start_and_end), words_percent(r, start_and_end),
                         words_plural(p->calls, "call"),
                         words_time(r, start_and_end / (double)p->calls),
                         p->in_locks ? make_text("; the thread waits %s for locks",
                                                 words_time(r, (double)p->in_locks))
                                     : "");
    return make_text("The %s are busy only %.0f %% of the time: they wait %s at its barriers%s; "
                     "its start and end take %s.",
                     threads_of(r, p), percent_of(p->busy, p->room),
                     words_time(r, (double)p->in_barriers), for_locks(r, p->in_locks),
                     words_time(r, start_and_end));
}

static void find_teams(struct report *r, struct findings *found)
{
    for (size_t i = 0; i < r->teams.regions.n; i++) {
        const struct parallel *p = &r->teams.regions.at[i];
        double ticks = (double)p->room - (double)p->busy;
        double start_and_end = fmax(0.0, ticks - (double)p->in_barriers - (double)p->in_locks);
        double lost = p->most == 1 ? start_and_end : ticks;
        if (p->room && findings_is_worth_it(r, lost))
            findings_add(found, "parallel", lost, p->longest, NIL, team_text(r, p, start_and_end));
    }
}

static void find_locks(struct report *r, struct findings *found)
{
    for (size_t i = 0; i < r->locks.all.n; i++) {
        const struct lock *lock = &r->locks.all.at[i];
        if (!findings_is_worth_it(r, (double)lock->waited))
            continue;
        const uint32_t site =
            lock->holder.blocked && lock->holder.site != NIL ? lock->holder.site : lock->site;
        findings_add(found, "lock", (double)lock->waited, lock->longest, site,
                     make_text("%s%s%s wait%s %s (%s of all time) for lock %s in %s%s",
                               words_plural(lock->waiters, "thread"),
                               r->sums.n_processes > 1 ? " of " : "",
                               r->sums.n_processes > 1 ? defs_process_name(&r->defs, lock->process)
                                                       : "",
                               lock->waiters == 1 ? "s" : "", words_time(r, (double)lock->waited),
                               words_percent(r, (double)lock->waited), findings_lock_name(r, lock),
                               findings_lock_taken(r, lock), findings_lock_holder(r, lock)));
    }
}

/* ---- disks ---- */

static void find_flushes(struct report *r, struct findings *found)
{
    const struct oddities *odd = &r->profile.odd;
    if (!findings_is_worth_it(r, (double)odd->flush_ticks))
        return;
    findings_add(found, "flush", (double)odd->flush_ticks, odd->longest_flush, NIL,
                 make_text("Recording itself takes %s (%s of all time) to write full buffers, %s. "
                           "Larger buffers (SPUR_BUFFER) avoid that.",
                           words_time(r, (double)odd->flush_ticks),
                           words_percent(r, (double)odd->flush_ticks),
                           words_plural(odd->flushes, "time")));
}

/* ---- the choice ---- */

static int by_cost(const void *a, const void *b)
{
    const struct finding *x = a;
    const struct finding *y = b;
    ORDER(x->is_last, y->is_last);
    return (x->ticks < y->ticks) - (x->ticks > y->ticks);
}

struct findings findings_of(struct report *r, size_t most)
{
    static void (*const kinds[])(struct report *, struct findings *) = {
        findings_of_idle,
        find_regions,
        find_job,
        findings_of_ranks,
        find_teams,
        find_locks,
        find_flushes,
        findings_of_files,
        findings_of_devices,
        placement_findings,
        findings_add_iterations,
    };
    struct findings found = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        kinds[i](r, &found);
    LIST_SORT(&found.all, by_cost);
    findings_add_memory(r, &found);
    findings_add_starved(r, &found);
    findings_add_deadlocks(r, &found);
    findings_add_end(r, &found);
    if (found.all.n > most)
        found.all.n = most;
    return found;
}
