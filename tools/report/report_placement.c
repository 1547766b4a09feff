/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report_placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/placement.h"
#include "tools/report/report_words.h"
#include "tools/report/show/report_table.h"
#include "tools/report/topics/report.h"

/* More often a second than a process that has its processors to itself is. */
enum { OFTEN = 50, LEAST_OFTEN = 20, MUCH_KIB = 64 << 10, NAMED = 6 };

static bool is_rank(const struct report *r, uint32_t process)
{
    return r->defs.processes.at[process].rank != NIL && r->sums.processes.at[process].n_threads &&
           placement_is_known(&r->defs, process);
}

/* From its first event to its last, in ticks. */
static double life_of(const struct report *r, uint32_t process)
{
    const struct spent *spent = &r->sums.processes.at[process];
    return (double)(spent->last - spent->first);
}

bool placement_wanted(const struct report *r, const struct placement *p, uint32_t process,
                      double *run, double *delay)
{
    static const double most_part = 1.1;
    *run = placement_ticks(&r->defs, p->count[SPUR_USAGE_MAIN_RUN]);
    *delay = placement_ticks(&r->defs, p->count[SPUR_USAGE_MAIN_DELAY]);
    return *run + *delay > 0.0 &&
           *run + *delay <= most_part * (double)r->sums.processes.at[process].total;
}

static void add(struct report *r, struct findings *found, const char *kind, double ticks,
                uint32_t process, const char *text)
{
    if (findings_is_worth_it(r, ticks))
        findings_add(found, kind, ticks, findings_life(r, r->defs.processes.at[process].main), NIL,
                     text);
}

/* ---- ranks on one processor ---- */

/* Those that are bound to one processor of one host. */
struct crowd {
    const char *names; /* "rank 0, rank 1" */
    const char *core;
    OTF2_StringRef node;
    uint32_t first; /* process */
    uint32_t n;
    double life, longest, cpu;
};

struct crowds {
    LIST(struct crowd) all;
};

static struct crowd *crowd_of(struct crowds *crowds, const char *core, OTF2_StringRef node)
{
    for (size_t i = 0; i < crowds->all.n; i++)
        if (crowds->all.at[i].node == node && !strcmp(crowds->all.at[i].core, core))
            return &crowds->all.at[i];
    struct crowd *crowd = LIST_ADD(&crowds->all);
    *crowd = (struct crowd){.core = copy_text(core), .node = node, .names = ""};
    return crowd;
}

static void join_crowd(struct report *r, struct crowds *crowds, uint32_t process,
                       const struct placement *p)
{
    struct crowd *crowd = crowd_of(crowds, p->cores, r->defs.processes.at[process].node);
    double life = life_of(r, process);
    if (!crowd->n)
        crowd->first = process;
    else
        r->sums.processes.at[crowd->first].shares_core = r->sums.processes.at[process].shares_core =
            true;
    if (crowd->n < NAMED)
        crowd->names = make_text("%s%s%s", crowd->names, crowd->n ? ", " : "",
                                 defs_process_name(&r->defs, process));
    crowd->n++;
    crowd->life += life;
    crowd->longest = fmax(crowd->longest, life);
    crowd->cpu += placement_cpu(&r->defs, p);
}

static void find_crowds(struct report *r, struct findings *found)
{
    struct crowds crowds = {0};
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        if (!is_rank(r, i))
            continue;
        struct placement p = placement_of(&r->defs, i);
        if (p.n_cores == 1)
            join_crowd(r, &crowds, i, &p);
        placement_free(&p);
    }
    for (size_t i = 0; i < crowds.all.n; i++) {
        const struct crowd *crowd = &crowds.all.at[i];
        double ticks = fmin(crowd->life - crowd->longest, fmax(0.0, crowd->life - crowd->cpu));
        if (crowd->n > 1)
            add(r, found, "shared_core", ticks, crowd->first,
                make_text(
                    "%u ranks are bound to the same processor, %s of %s: %s%s. They had %s of "
                    "CPU time in %s; bind each to a processor of its own.",
                    crowd->n, crowd->core, defs_text(&r->defs, crowd->node), crowd->names,
                    crowd->n > NAMED ? ", ..." : "", words_time(r, crowd->cpu),
                    words_time(r, crowd->longest)));
    }
    free(crowds.all.at);
}

/* ---- threads on few processors ---- */

static void find_few_cores(struct report *r, struct findings *found)
{
    uint32_t n = 0, worst = NIL, threads = 0;
    uint64_t cores = 0;
    double all = 0.0, most = 0.0;
    for (uint32_t i = 0; i < r->teams.crews.n && i < r->defs.processes.n; i++) {
        const struct crew *crew = &r->teams.crews.at[i];
        if (crew->most < 2 || !r->sums.processes.at[i].n_threads)
            continue;
        struct placement p = placement_of(&r->defs, i);
        double ticks = p.n_cores && p.n_cores < crew->most
                           ? (double)crew->forked * (double)(crew->most - p.n_cores)
                           : 0.0;
        n += ticks > 0.0;
        all += ticks;
        if (ticks > most) {
            most = ticks;
            worst = i;
            threads = crew->most;
            cores = p.n_cores;
        }
        placement_free(&p);
    }
    if (worst == NIL)
        return;
    add(r, found, "few_cores", all, worst,
        make_text("%s runs teams of %u threads on %u processor%s%s: threads wait for processors up "
                  "to %s; start fewer threads (OMP_NUM_THREADS), or bind it to more processors.",
                  defs_process_name(&r->defs, worst), threads, (unsigned)cores,
                  cores == 1 ? "" : "s",
                  n > 1 ? make_text(", and %u other process%s likewise", n - 1, n == 2 ? "" : "es")
                        : "",
                  words_time(r, all)));
}

void placement_findings(struct report *r, struct findings *found)
{
    find_crowds(r, found);
    find_few_cores(r, found);
}

/* ---- remarks ---- */

/* Times a second at which the kernel took the processor from a process; 0: not often. */
static double interruptions(const struct report *r, const struct placement *p, uint32_t process)
{
    const uint64_t times = p->count[SPUR_USAGE_INVOLUNTARY];
    const double seconds = life_of(r, process) / (double)r->defs.clock.ticks_per_second;
    bool is_often = times != PLACEMENT_UNKNOWN && times >= LEAST_OFTEN && seconds > 0.0 &&
                    (double)times >= OFTEN * seconds;
    return is_often ? (double)times / seconds : 0.0;
}

static void remark_interrupted(struct report *r)
{
    uint32_t n = 0, worst = NIL;
    double rate = 0.0, most = 0.0, lost = 0.0, run, delay;
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        if (!r->sums.processes.at[i].n_threads || !placement_is_known(&r->defs, i))
            continue;
        struct placement p = placement_of(&r->defs, i);
        const double times = interruptions(r, &p, i);
        const bool is_told = times > 0.0 && placement_wanted(r, &p, i, &run, &delay);
        placement_free(&p);
        if (!is_told)
            continue;
        n++;
        lost += delay;
        if (worst == NIL || delay > most) {
            most = delay;
            rate = times;
            worst = i;
        }
    }
    if (findings_is_worth_it(r, lost))
        *LIST_ADD(&r->remarks) = make_text(
            "%s: the kernel took the processor away %.0f times a second, for other work%s; this "
            "cost %s (%s of all time)",
            defs_process_name(&r->defs, worst), rate,
            n > 1 ? make_text(" (and from %u other process%s often)", n - 1, n == 2 ? "" : "es")
                  : "",
            words_time(r, lost), words_percent(r, lost));
}

static void remark_memory(struct report *r)
{
    LIST(uint64_t) peaks = {0};
    uint64_t most = 0;
    uint32_t which = NIL;
    char text[VALUE_BYTES], usual_text[VALUE_BYTES];
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        if (!is_rank(r, i))
            continue;
        struct placement p = placement_of(&r->defs, i);
        if (p.peak_kib != PLACEMENT_UNKNOWN) {
            *LIST_ADD(&peaks) = p.peak_kib;
            if (p.peak_kib > most) {
                most = p.peak_kib;
                which = i;
            }
        }
        placement_free(&p);
    }
    if (peaks.n > 1) {
        LIST_SORT(&peaks, list_by_number);
        uint64_t usual = peaks.at[(peaks.n - 1) / 2]; /* the median; of two the lower one */
        if (most >= 2 * usual && most - usual >= MUCH_KIB)
            *LIST_ADD(&r->remarks) =
                make_text("%s used %s of memory, ranks usually %s",
                          defs_process_name(&r->defs, which), bytes_text(text, most << 10),
                          bytes_text(usual_text, usual << 10));
    }
    free(peaks.at);
}

void placement_remarks(struct report *r)
{
    remark_interrupted(r);
    remark_memory(r);
}
