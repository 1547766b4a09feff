/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report_hints.h"

#include <math.h>
#include <string.h>

#include "tools/base/placement.h"
#include "tools/report/report_findings.h"
#include "tools/report/topics/report.h"

/* Of all time: less is no question that a user has. */
static const double least_part = 0.3;

/* Something that spur could have said the line of. */
static bool lacks_lines(const struct report *r, const struct findings *found)
{
    static const char *const kinds[] = {"late_sender", "late_receiver", "collective", "lock"};
    if (r->defs.sites.n)
        return false;
    for (size_t i = 0; i < found->all.n; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            if (!strcmp(found->all.at[i].kind, kinds[k]))
                return true;
    return false;
}

static bool has_much_of(const struct report *r, double ticks)
{
    return r->sums.total && ticks >= least_part * (double)r->sums.total;
}

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

/* A process runs the interpreter, and no function of a script is recorded. */
static bool lacks_python(const struct report *r)
{
    bool is_python = false;
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        const char *word = defs_text(&r->defs, r->defs.processes.at[i].command);
        const char *name = memrchr(word, '/', strcspn(word, " "));
        is_python |=
            r->sums.processes.at[i].n_threads && starts_with(name ? name + 1 : word, "python");
    }
    for (uint32_t i = REGIONS_OWN; i < r->defs.regions.n && is_python; i++)
        is_python = strcmp(defs_text(&r->defs, r->defs.regions.at[i].description), "python") != 0;
    return is_python;
}

/* Time of the program's own in which a process had no processor, and waited for none. */
static double asleep_in(const struct report *r, const struct region_at *at)
{
    struct placement p = placement_of(&r->defs, at->process);
    const double cpu = placement_cpu(&r->defs, &p);
    const double delay = placement_ticks(&r->defs, p.count[SPUR_USAGE_MAIN_DELAY]);
    const bool is_asked = placement_ticks(&r->defs, p.count[SPUR_USAGE_MAIN_RUN]) > 0.0;
    placement_free(&p);
    /* Who is not asked has little CPU time, and has waited for less than a second. */
    const double waited = is_asked ? delay : (double)r->defs.clock.ticks_per_second;
    return cpu > 0.0 ? fmax(0.0, (double)at->own - cpu - waited) : 0.0;
}

static double time_asleep(const struct report *r)
{
    double ticks = 0.0;
    for (size_t i = 0; i < r->sums.at.n; i++) {
        const struct region_at *at = &r->sums.at.at[i];
        if (at->region == REGION_PROGRAM && at->process != NIL)
            ticks += asleep_in(r, at);
    }
    return ticks;
}

void hints_text(const struct report *r, const struct findings *found, FILE *out)
{
    if (!starts_with(r->creator, "spur "))
        return;
    const bool is_unknown = has_much_of(r, (double)r->sums.regions.at[REGION_PROGRAM].self);
    const bool is_unplaced = lacks_lines(r, found);
    const bool wants_python = (is_unknown || is_unplaced) && lacks_python(r);
    const bool wants_files = !r->files.all.n && has_much_of(r, time_asleep(r));
    if (is_unplaced && !wants_python)
        fputs("To know which lines make these calls: record with spur --sites\n", out);
    if (wants_python)
        fprintf(out, "To know which functions of the script %s: record with spur --python\n",
                is_unknown ? "take the time" : "make these calls");
    if (wants_files)
        fputs("To know what the program waits for by itself: record with spur --io posix,net\n",
              out);
    if (is_unknown && !r->sums.samples && !wants_python && !wants_files)
        fputs("To know where the program's own time goes: record with spur --sample 100\n", out);
}
