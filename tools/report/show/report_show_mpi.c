/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of MPI: efficiency, ranks, functions. */
#include <math.h>

#include "tools/report/show/report_efficiency.h"
#include "tools/report/show/report_sections.h"

/* ---- efficiency ---- */

/* The threads of a rank that is so long outside of MPI. */
static void add_crew(const struct report *r, struct efficiency *e, uint32_t process, double work)
{
    const struct crew none = {0};
    const struct crew *crew = process < r->teams.crews.n ? &r->teams.crews.at[process] : &none;
    double alone = work - (double)crew->forked;
    bool has_team = crew->most > 1;
    uint32_t n = has_team ? crew->most : 1;
    e->each = e->n && e->each != n ? 0 : n;
    e->threads += n;
    e->work += work * n;
    e->thread_work += has_team ? fmax(alone + (double)crew->work, 0.0) : work;
    e->thread_room += has_team ? fmax(alone, 0.0) + (double)crew->room : work;
    e->uneven += has_team ? (double)crew->uneven : 0.0;
}

static void add_times(const struct report *r, struct efficiency *e, uint32_t process, double time,
                      double work)
{
    add_crew(r, e, process, work);
    e->n++;
    e->longest = time > e->longest ? time : e->longest;
    if (work > e->most_work) {
        e->most_work = work;
        e->busiest = process;
    }
}

static void add_rank(const struct report *r, struct efficiency *e, uint32_t process)
{
    uint32_t main = r->defs.processes.at[process].main;
    const struct spent *spent = main == NIL ? NULL : &r->sums.locations.at[main];
    if (!spent || !spent->mpi)
        return;
    const struct stream *s = &r->profile.streams[main];
    bool is_framed = mpi_frame_is_whole(&s->mpi);
    double time =
        (double)(is_framed ? s->mpi.end - s->mpi.begin - s->mpi.off : s->last - s->first - s->off);
    uint64_t others = (is_framed ? spent->mpi_inside : spent->mpi) + spent->recording;
    double work = time - (double)others;
    add_times(r, e, process, time, work < 0.0 ? 0.0 : work);
}

/* From the sum of work to its mean. */
static struct efficiency of_threads(struct efficiency e)
{
    e.work /= e.threads ? (double)e.threads : 1.0;
    return e;
}

struct efficiency efficiency_of(const struct report *r)
{
    struct efficiency e = {0};
    if (missing_mpi(r))
        return e;
    for (uint32_t i = 0; i < r->defs.processes.n; i++)
        add_rank(r, &e, i);
    return of_threads(e);
}

struct efficiency efficiency_without_mpi(const struct report *r)
{
    struct efficiency e = {0};
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        uint32_t main = r->defs.processes.at[i].main;
        if (main == NIL || !r->sums.processes.at[i].n_threads)
            continue;
        const struct stream *s = &r->profile.streams[main];
        double time = (double)(s->last - s->first - s->off);
        add_times(r, &e, i, time, time);
    }
    return of_threads(e);
}

static const struct column columns_efficiency[] = {
    {"figure", "figure", UNIT_TEXT, EVERYWHERE, "name of the figure"},
    {"percent", "%", UNIT_PERCENT, EVERYWHERE, "its value"},
    {"meaning", "meaning", UNIT_TEXT, EVERYWHERE, "definition"},
};

static void put_figure(struct table *t, const char *name, double part, double whole,
                       const char *meaning)
{
    ROW(t, name, 100.0 * part / whole, meaning);
}

static void fill_efficiency(struct report *r, struct table *t)
{
    struct efficiency e = efficiency_of(r);
    if (!e.n || e.longest <= 0.0)
        return;
    if (e.threads > e.n) {
        double mean = e.thread_work / (double)e.threads;
        put_figure(t, "parallel efficiency", mean, e.longest,
                   "mean work of a thread / longest time");
        put_figure(t, "thread efficiency", mean, e.work,
                   "mean work of a thread / mean time of a rank outside of MPI");
    }
    put_figure(t, e.threads > e.n ? "efficiency of MPI" : "parallel efficiency", e.work, e.longest,
               e.threads > e.n ? "mean time of a rank outside of MPI / longest time"
                               : "mean work of a rank / longest time");
    put_figure(t, "load balance", e.work, e.most_work, "mean work / work of the busiest rank");
    put_figure(t, "communication efficiency", e.most_work, e.longest,
               "work of the busiest rank / longest time");
}

SECTION(efficiency, "mpi", "Efficiency of the ranks",
        "how well the ranks use the time between MPI_Init and MPI_Finalize", )

/* ---- ranks ---- */

static const struct column columns_mpi_processes[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "rank, or name of the location group"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE, "seconds of its threads that call MPI"},
    {"work", "work", UNIT_SECONDS, EVERYWHERE,
     "seconds of `time` outside of MPI; null: MPI calls are missing"},
    {"mpi", "MPI", UNIT_SECONDS, EVERYWHERE, "seconds of `time` in MPI"},
    {"mpi_percent", "MPI %", UNIT_PERCENT, EVERYWHERE, "`mpi` in percent of `time`"},
    {"late_sender", "late sender", UNIT_SECONDS, UNLESS_ZERO,
     "seconds of `mpi` in receives of messages that were not yet sent"},
    {"late_receiver", "late receiver", UNIT_SECONDS, UNLESS_ZERO,
     "seconds of `mpi` in sends to receives that were not yet posted"},
    {"collectives", "collectives", UNIT_SECONDS, UNLESS_ZERO,
     "seconds of `mpi` in collective operations that others had not yet entered"},
};

static void fill_mpi_processes(struct report *r, struct table *t)
{
    for (uint32_t i = 0; i < r->sums.processes.n; i++) {
        const struct spent *spent = &r->sums.processes.at[i];
        if (!spent->mpi_room)
            continue;
        ROW(t, defs_process_name(&r->defs, i), spent->mpi_room);
        bool is_known = !missing_mpi(r);
        uint64_t others = spent->mpi + spent->recording;
        uint64_t work = spent->mpi_room > others ? spent->mpi_room - others : 0;
        ROW(t, is_known ? defs_seconds(&r->defs, work) : NAN, spent->mpi,
            is_known ? percent_of(spent->mpi, spent->mpi_room) : NAN,
            late(r, spent->waits[WAIT_SENDER]), late(r, spent->waits[WAIT_RECEIVER]),
            spent->waits[WAIT_COLLECTIVE]);
    }
}

SECTION(mpi_processes, "mpi", "MPI by rank", "time in MPI, and waiting in it", )

/* ---- functions ---- */

static const struct column columns_mpi_functions[] = {
    {"function", "function", UNIT_TEXT, EVERYWHERE, "name"},
    {"calls", "calls", UNIT_COUNT, EVERYWHERE, "calls of all ranks"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE, "seconds in the function"},
    {"mpi_percent", "of MPI %", UNIT_PERCENT, EVERYWHERE, "in percent of the time in MPI"},
    {"percent", "of all %", UNIT_PERCENT, EVERYWHERE, "in percent of the time of all threads"},
    {"late_sender", "late sender", UNIT_SECONDS, UNLESS_ZERO,
     "seconds, as in the table `mpi_processes`"},
    {"late_receiver", "late receiver", UNIT_SECONDS, UNLESS_ZERO, "the same"},
    {"collectives", "collectives", UNIT_SECONDS, UNLESS_ZERO, "the same"},
};

static void fill_mpi_functions(struct report *r, struct table *t)
{
    uint64_t mpi = 0;
    for (size_t i = 0; i < r->sums.processes.n; i++)
        mpi += r->sums.processes.at[i].mpi;
    for (uint32_t i = REGIONS_OWN; i < r->sums.regions.n; i++) {
        const struct region_sum *sum = &r->sums.regions.at[i];
        if (!sum->calls || r->defs.regions.at[i].paradigm != OTF2_PARADIGM_MPI)
            continue;
        ROW(t, defs_region_name(&r->defs, i), sum->calls, sum->self, percent_of(sum->self, mpi),
            percent_of(sum->self, r->sums.total), late(r, sum->waits[WAIT_SENDER]),
            late(r, sum->waits[WAIT_RECEIVER]), sum->waits[WAIT_COLLECTIVE]);
    }
}

SECTION(mpi_functions, "mpi", "MPI by function", "time in MPI, and waiting in it", .sort = "time",
        .is_only_by = true)
