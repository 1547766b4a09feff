/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that had no processor for a part of their time. All other numbers of such a run are
 * those of its scheduling: this finding comes before all but the end of the run.
 */
#include <math.h>
#include <string.h>

#include "tools/base/placement.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_placement.h"
#include "tools/report/report_words.h"
#include "tools/report/topics/report.h"

enum { NAMED = 6 };
static const double least_part = 0.05;

struct starved {
    uint32_t n, ranks, bound, worst;  /* bound: to one processor */
    double run, delay, longest, most; /* ticks */
    const char *names;
    const char *where; /* "on 2 processors (0-1)"; "": not known, or not the same for all */
};

static const char *where_is(const struct placement *p)
{
    return p->n_cores ? make_text(" on %s (%s)", words_plural(p->n_cores, "processor"), p->cores)
                      : "";
}

static void add_process(const struct report *r, struct starved *all, uint32_t process)
{
    struct placement p = placement_of(&r->defs, process);
    double run, delay;
    bool is_part = !placement_wanted(r, &p, process, &run, &delay);
    bool is_bound = p.n_cores == 1;
    const char *where = where_is(&p);
    placement_free(&p);
    if (r->sums.processes.at[process].shares_core || is_part || delay <= least_part * (run + delay))
        return;
    if (all->n < NAMED)
        all->names = make_text("%s%s%s", all->names, all->n ? ", " : "",
                               defs_process_name(&r->defs, process));
    all->where = all->n && strcmp(all->where, where) != 0 ? "" : where;
    all->n++;
    all->bound += is_bound;
    all->ranks += r->defs.processes.at[process].rank != NIL;
    all->run += run;
    all->delay += delay;
    all->longest = fmax(all->longest, run + delay);
    if (delay > all->most) {
        all->most = delay;
        all->worst = process;
    }
}

void findings_add_starved(struct report *r, struct findings *found)
{
    struct starved all = {.names = "", .where = ""};
    for (uint32_t i = 0; i < r->defs.processes.n; i++)
        if (r->sums.processes.at[i].n_threads && placement_is_known(&r->defs, i))
            add_process(r, &all, i);
    if (!findings_is_worth_it(r, all.delay))
        return;
    bool are_bound =
        all.n > 1 && all.bound == all.n; /* to different ones: others are shared_core */
    const char *noun = all.ranks == all.n ? "rank" : "process";
    const char *many = all.n == 1 ? "" : all.ranks == all.n ? "s" : "es";
    findings_insert(
        found, 0,
        (struct finding){
            .kind = "no_processor",
            .ticks = all.delay,
            .place = findings_life(r, r->defs.processes.at[all.worst].main),
            .site = NIL,
            .text = make_text(
                "%u %s%s had a processor for %.0f %% of %s%s: %s%s. %s %s of CPU time, which the "
                "waits below contain; %s.",
                all.n, noun, many, 100.0 * all.run / (all.run + all.delay),
                words_time(r, all.longest),
                are_bound ? ", each bound to one processor that others take, too" : all.where,
                all.names, all.n > NAMED ? ", ..." : "", all.n == 1 ? "It lacks" : "They lack",
                words_time(r, all.delay),
                all.bound == all.n ? "bind them to others, or run nothing else there"
                                   : "start fewer, or give them more processors")});
}
