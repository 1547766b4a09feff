/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of call sites and of lines. */
#include "tools/report/show/report_sections.h"

#include <math.h>

#include "tools/report/topics/report_shares.h"

static const struct column columns_sites[] = {
    SITE_COLUMNS("makes the call", "not known"),
    {"function", "in", UNIT_TEXT, EVERYWHERE, "the function that makes the call"},
    {"region", "call", UNIT_TEXT, EVERYWHERE, "name of the region that is called"},
    {"calls", "calls", UNIT_COUNT, EVERYWHERE, "number of calls"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE, "seconds in the calls, sum of all threads"},
    {"avg", "avg", UNIT_SECONDS, EVERYWHERE, "mean of all calls, inner calls included"},
    {"max", "max", UNIT_SECONDS, EVERYWHERE, "longest call"},
    {"min", "", UNIT_SECONDS, DATA_ONLY, "shortest call"},
    {"mpi_percent", "of MPI %", UNIT_PERCENT, EVERYWHERE,
     "`time` in percent of the time in MPI; null: no call of MPI"},
    {"percent", "of all %", UNIT_PERCENT, EVERYWHERE,
     "`time` in percent of the time of all threads"},
    {"waiting", "waiting", UNIT_SECONDS, UNLESS_ZERO,
     "seconds of `time` spent waiting for other ranks or threads, or for a lock"},
};

void put_site(struct report *r, struct table *t, uint32_t index)
{
    const struct site *site = index == NIL ? NULL : &r->defs.sites.at[index];
    ROW(t, defs_site_name(&r->defs, index), site ? defs_text(&r->defs, site->file) : "",
        site && site->line ? cell(site->line) : nothing,
        site ? defs_region_name(&r->defs, site->region) : "");
}

static void fill_sites(struct report *r, struct table *t)
{
    uint64_t mpi = 0;
    for (size_t i = 0; i < r->sums.processes.n; i++)
        mpi += r->sums.processes.at[i].mpi;
    for (size_t i = 0; i < r->sites.all.n; i++) {
        const struct site_sum *sum = &r->sites.all.at[i];
        uint64_t waited = 0;
        for (unsigned why = 0; why < WAITS; why++)
            waited += sum->waits[why];
        if (percent_of(sum->self, r->sums.total) < t->wish->min_percent)
            continue;
        put_site(r, t, sum->site);
        ROW(t, defs_region_name(&r->defs, sum->region), sum->calls, sum->self,
            defs_seconds(&r->defs, sum->durations) / (double)sum->calls, sum->max, sum->min,
            r->defs.regions.at[sum->region].paradigm == OTF2_PARADIGM_MPI
                ? cell(percent_of(sum->self, mpi))
                : nothing,
            percent_of(sum->self, r->sums.total), waited);
    }
}

static bool has_sites(const struct report *r)
{
    return r->sites.all.n != 0;
}

SECTION(sites, "sites", "Call sites", "calls by the place in the program that makes them",
        .sort = "time", .is_of_interest = has_sites)

/* ---- lines ---- */

static const struct column columns_lines[] = {
    SITE_COLUMNS("was", "not known"),
    {"function", "in", UNIT_TEXT, EVERYWHERE, "the function that has the line"},
    {"samples", "samples", UNIT_COUNT, EVERYWHERE, "samples that found a thread there"},
    {"samples_percent", "of samples %", UNIT_PERCENT, EVERYWHERE,
     "`samples` in percent of all samples, those in recorded calls included"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE,
     "seconds of CPU time that the samples stand for; null: they do not stand for time"},
    {"error", "+-", UNIT_SECONDS, UNLESS_SAME, "possible error in seconds of `time`"},
    {"percent", "of all %", UNIT_PERCENT, EVERYWHERE,
     "`time` in percent of the time of all threads"},
};

static void fill_lines(struct report *r, struct table *t)
{
    for (size_t i = 0; i < r->sites.lines.n; i++) {
        const struct line_sum *sum = &r->sites.lines.at[i];
        if (percent_of(sum->self, r->sums.total) < t->wish->min_percent)
            continue;
        double error = shares_error(sum->self, sum->samples);
        put_site(r, t, sum->site);
        ROW(t, sum->samples, percent_of(sum->samples, r->sums.samples),
            sum->is_time ? defs_seconds(&r->defs, sum->self) : NAN,
            sum->is_time ? error / (double)r->defs.clock.ticks_per_second : NAN,
            sum->is_time ? percent_of(sum->self, r->sums.total) : NAN);
    }
}

static bool has_lines(const struct report *r)
{
    return r->sites.lines.n != 0;
}

SECTION(lines, "lines", "Hot lines",
        "lines of the program that samples found, outside of recorded calls", .sort = "samples",
        .is_of_interest = has_lines)
