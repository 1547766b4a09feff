/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterations that get slower, and one that takes much longer than the others. */
#include "tools/report/iterations/iterations.h"
#include "tools/report/report_because.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_words.h"
#include "tools/report/topics/report.h"

static struct because because_of(const struct growth *g)
{
    struct cause *cause = take_memory(sizeof *cause);
    *cause = (struct cause){.process = g->process,
                            .region = g->region,
                            .others = -1.0,
                            .call = g->call,
                            .site = g->site,
                            .waiter = NIL,
                            .head = NIL};
    return (struct because){cause, g->ticks};
}

/* " What grows is ...", where it is known. */
static void say_what(const struct report *r, struct finding *found, const struct growth *g,
                     const char *grows)
{
    if (g->process == NIL)
        return;
    found->because = because_of(g);
    found->site = g->site;
    found->text =
        make_text("%s %s is %s on %s: it takes %s more.", found->text, grows,
                  because_what(r, found->because.cause),
                  g->is_everywhere ? "all processes" : defs_process_name(&r->defs, g->process),
                  words_time(r, g->ticks));
}

/* An iteration, on the process that makes it long. */
static struct place place_of(const struct report *r, const struct loop *loop, size_t i,
                             const struct growth *g)
{
    struct place place = {0};
    uint32_t main = g->process == NIL ? NIL : r->defs.processes.at[g->process].main;
    if (main != NIL)
        place_add(&place, loop->ends[i - 1], loop->ends[i], main, main);
    return place;
}

static bool find_drift(const struct report *r, const struct loop *loop, double n,
                       struct findings *found)
{
    double ticks = loop->is_drift ? n * loop_drift_ticks(loop) : 0.0;
    if (!findings_is_worth_it(r, ticks))
        return false;
    struct finding *drift = LIST_ADD(&found->all);
    *drift = (struct finding){
        .kind = "drift",
        .ticks = ticks,
        .text = make_text("Iterations get slower: %s at first, %s at the end of %s (each ends with "
                          "%s).",
                          words_time(r, loop->at_first), words_time(r, loop->at_end),
                          words_count(loop->n), words_loop_end(r, loop)),
        .place = place_of(r, loop, loop->n - 1, &loop->grows),
        .site = NIL};
    say_what(r, drift, &loop->grows, "What grows most");
    return true;
}

static bool find_slow(const struct report *r, const struct loop *loop, double n,
                      struct findings *found)
{
    double median = (double)loop->quartiles[1];
    double longest = (double)loop_ticks(loop, loop->slowest);
    if (!loop->has_slow || !findings_is_worth_it(r, n * (longest - median)))
        return false;
    struct finding *slow = LIST_ADD(&found->all);
    *slow = (struct finding){
        .kind = "slow_iteration",
        .ticks = n * (longest - median),
        .text =
            make_text("Iteration %s of %s takes %s, %.0f times the median of %s (each ends "
                      "with %s).",
                      words_count(loop->slowest + 1), words_count(loop->n), words_time(r, longest),
                      longest / median, words_time(r, median), words_loop_end(r, loop)),
        .place = place_of(r, loop, loop->slowest, &loop->slow),
        .site = NIL};
    say_what(r, slow, &loop->slow, "The reason");
    return true;
}

void findings_add_iterations(struct report *r, struct findings *found)
{
    const struct iterations *all = iterations_of(r);
    double n = (double)all->n_processes;
    bool has_drift = false;
    bool has_slow = false;
    for (size_t i = 0; i < all->loops.n; i++) {
        has_drift = has_drift || find_drift(r, &all->loops.at[i], n, found);
        has_slow = has_slow || find_slow(r, &all->loops.at[i], n, found);
    }
}
