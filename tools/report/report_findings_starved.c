/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that had no processor for a part of their time. All other numbers of such a run are
 * those of its scheduling: this finding comes before all but the end of the run.
 */
#include <math.h>
#include <stdlib.h>

#include "tools/base/placement.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_placement.h"
#include "tools/report/report_words.h"
#include "tools/report/topics/report.h"

/* The slices of a kernel are shorter than 20 ms; MOST_SLEEPS: of MPI that polls with short sleeps.
 */
enum { NAMED = 6, LEAST_TIMES = 20, EACH_SECOND = 50, MOST_SLEEPS = 8 };
static const double least_part = 0.05, least_percent = 1.0;
static const double longest_turn = 0.1; /* seconds without a processor at a time, on average */

struct starved {
    uint32_t n, ranks, worst;
    double cpu, wanted, longest, most;
    const char *names;
};

static double ticks_seconds(const struct report *r, double ticks)
{
    return ticks / (double)r->defs.clock.ticks_per_second;
}

/*
 * The time in which the threads of a process could work, in ticks: all of it but for their waits
 * for locks, threads, descriptors and work. A wait for other ranks counts, since MPI polls.
 */
static double wanted_by(const struct spent *s)
{
    double ticks = (double)(s->total - s->idle - s->blocked);
    return fmax(0.0, ticks - (double)s->waits[WAIT_LOCK] - (double)s->waits[WAIT_THREAD]);
}

/*
 * A process that lacks processors loses its own at the end of each slice of time, and gets one
 * again after as many slices as others wait. Else a process with little CPU time has slept, or has
 * waited in the kernel.
 */
static bool is_crowded(const struct report *r, const struct placement *p, double cpu, double lacks)
{
    uint64_t involuntary = p->count[SPUR_USAGE_INVOLUNTARY];
    uint64_t voluntary = p->count[SPUR_USAGE_VOLUNTARY];
    return involuntary != PLACEMENT_UNKNOWN && voluntary != PLACEMENT_UNKNOWN &&
           involuntary >= LEAST_TIMES && involuntary >= voluntary / MOST_SLEEPS &&
           (double)involuntary >= EACH_SECOND * ticks_seconds(r, cpu) &&
           ticks_seconds(r, lacks) <= longest_turn * (double)involuntary;
}

static void add_process(const struct report *r, struct starved *all, uint32_t process)
{
    const struct spent *s = &r->sums.processes.at[process];
    struct placement p = placement_of(&r->defs, process);
    double cpu = placement_cpu(&r->defs, &p), wanted = wanted_by(s);
    bool is_told = p.n_cores == 1 && r->defs.processes.at[process].rank != NIL; /* as shared_core */
    bool is_starved = cpu > 0.0 && !is_told && wanted - cpu > least_part * wanted &&
                      is_crowded(r, &p, cpu, wanted - cpu);
    placement_free(&p);
    if (!is_starved)
        return;
    if (all->n < NAMED)
        all->names = make_text("%s%s%s", all->names, all->n ? ", " : "",
                               defs_process_name(&r->defs, process));
    all->n++;
    all->ranks += r->defs.processes.at[process].rank != NIL;
    all->cpu += cpu;
    all->wanted += wanted;
    all->longest = fmax(all->longest, (double)(s->last - s->first));
    if (wanted - cpu > all->most) {
        all->most = wanted - cpu;
        all->worst = process;
    }
}

/* "on 2 processors (0-1)", where the worst could run. */
static const char *where(const struct report *r, uint32_t process)
{
    struct placement p = placement_of(&r->defs, process);
    const char *text =
        p.n_cores ? make_text(" on %s (%s)", words_plural(p.n_cores, "processor"), p.cores) : "";
    placement_free(&p);
    return text;
}

void findings_add_starved(struct report *r, struct findings *found)
{
    struct starved all = {.names = ""};
    for (uint32_t i = 0; i < r->defs.processes.n; i++)
        if (r->sums.processes.at[i].n_threads && placement_is_known(&r->defs, i))
            add_process(r, &all, i);
    double ticks = all.wanted - all.cpu;
    if (!all.n || 100.0 * ticks < least_percent * (double)r->sums.total)
        return;
    const char *noun = all.ranks == all.n ? "rank" : "process";
    const char *many = all.n == 1 ? "" : all.ranks == all.n ? "s" : "es";
    findings_insert(
        found, 0,
        (struct finding){
            .kind = "no_processor",
            .ticks = ticks,
            .place = findings_life(r, r->defs.processes.at[all.worst].main),
            .site = NIL,
            .text =
                make_text("%u %s%s had a processor for %.0f %% of %s%s: %s%s. They lack %s of CPU "
                          "time, which the waits below contain; start fewer, or give them more "
                          "processors.",
                          all.n, noun, many, 100.0 * all.cpu / all.wanted,
                          words_time(r, all.longest), where(r, all.worst), all.names,
                          all.n > NAMED ? ", ..." : "", words_time(r, ticks))});
}
