/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of call sites and of lines. */
#include "tools/report/show/report_sections.h"

#include <math.h>

#include "tools/report/topics/report_shares.h"

const struct column columns_sites[] = {
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
COLUMNS_END(sites)

void put_site(struct report *r, struct table *t, uint32_t index)
{
    const struct site *site = index == NIL ? NULL : &r->defs.sites.at[index];
    put_text(t, defs_site_name(&r->defs, index));
    put_text(t, site ? defs_text(&r->defs, site->file) : "");
    if (site && site->line)
        put_count(t, site->line);
    else
        put_nothing(t);
    put_text(t, site ? defs_region_name(&r->defs, site->region) : "");
}

void fill_sites(struct report *r, const struct wish *wish, struct table *t)
{
    uint64_t mpi = 0;
    for (size_t i = 0; i < r->sums.processes.n; i++)
        mpi += r->sums.processes.at[i].mpi;
    for (size_t i = 0; i < r->sites.all.n; i++) {
        const struct site_sum *sum = &r->sites.all.at[i];
        uint64_t waited = 0;
        for (unsigned why = 0; why < WAITS; why++)
            waited += sum->waits[why];
        if (percent_of(sum->self, r->sums.total) < wish->min_percent)
            continue;
        put_site(r, t, sum->site);
        put_text(t, defs_region_name(&r->defs, sum->region));
        put_count(t, sum->calls);
        put_ticks(r, t, sum->self);
        put_real(t, defs_seconds(&r->defs, sum->durations) / (double)sum->calls);
        put_ticks(r, t, sum->max);
        put_ticks(r, t, sum->min);
        if (r->defs.regions.at[sum->region].paradigm == OTF2_PARADIGM_MPI)
            put_real(t, percent_of(sum->self, mpi));
        else
            put_nothing(t);
        put_real(t, percent_of(sum->self, r->sums.total));
        put_ticks(r, t, waited);
    }
}

/* ---- lines ---- */

const struct column columns_lines[] = {
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
COLUMNS_END(lines)

void fill_lines(struct report *r, const struct wish *wish, struct table *t)
{
    for (size_t i = 0; i < r->sites.lines.n; i++) {
        const struct line_sum *sum = &r->sites.lines.at[i];
        if (percent_of(sum->self, r->sums.total) < wish->min_percent)
            continue;
        double error = shares_error(sum->self, sum->samples);
        put_site(r, t, sum->site);
        put_count(t, sum->samples);
        put_real(t, percent_of(sum->samples, r->sums.samples));
        put_real(t, sum->is_time ? defs_seconds(&r->defs, sum->self) : NAN);
        put_real(t, sum->is_time ? error / (double)r->defs.clock.ticks_per_second : NAN);
        put_real(t, sum->is_time ? percent_of(sum->self, r->sums.total) : NAN);
    }
}
