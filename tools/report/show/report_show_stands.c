/* SPDX-License-Identifier: BSD-3-Clause */
/* Where locations stood when they were seen last, and who of them wait for each other. */
#include <string.h>

#include "tools/report/show/report_sections.h"

static const struct column columns_stands[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "process of the thread"},
    {"thread", "thread", UNIT_TEXT, UNLESS_SAME, "name of the thread"},
    {"region", "is in", UNIT_TEXT, EVERYWHERE, "innermost open region"},
    {"path", "", UNIT_TEXT, DATA_ONLY, "all open regions, the outermost first, separated by ` > `"},
    {"site", "at", UNIT_TEXT, UNLESS_SAME,
     "where the program makes the innermost call; empty: not known"},
    {"since", "for", UNIT_SECONDS, EVERYWHERE,
     "seconds that the thread has been in there when it was last seen"},
    {"seen", "", UNIT_TEXT, DATA_ONLY,
     "`exactly`; `at least`: the death of the process was not seen, and `since` ends with the last "
     "known time"},
    {"waits_for", "waits for", UNIT_TEXT, EVERYWHERE, "what the thread waits for, if known"},
    {"circle", "", UNIT_ID, DATA_ONLY, "number of the deadlock that the thread is part of"},
    {"fate", "", UNIT_TEXT, DATA_ONLY,
     "of a dead process: `culprit` died first and may have caused the others' death; `victim` died "
     "later"},
    {"end", "then", UNIT_TEXT, UNLESS_SAME, "how the process ended"},
};

static void fill_stands(struct report *r, struct table *t)
{
    for (size_t i = 0; i < r->stands.all.n; i++) {
        const struct standing *at = &r->stands.all.at[i];
        const struct location *l = &r->defs.locations.at[at->location];
        ROW(t, defs_process_name(&r->defs, l->process), defs_text(&r->defs, l->name),
            defs_region_name(&r->defs, at->region), at->path, defs_site_name(&r->defs, at->site),
            at->time - at->since, at->is_lower_bound ? "at least" : "exactly",
            at->what ? cell(at->what) : nothing, at->circle ? cell(at->circle) : nothing);
        const struct process *p = &r->defs.processes.at[l->process];
        const char *end = defs_text(&r->defs, p->end);
        ROW(t, strstr(end, "snapshot") ? nothing : cell(p->died_first ? "culprit" : "victim"), end);
    }
}

static void deadlocks(struct report *r, const struct look *look, FILE *out)
{
    bool is_bound = false;
    (void)look;
    for (size_t i = 0; i < r->stands.all.n; i++)
        is_bound |= r->stands.all.at[i].is_lower_bound;
    if (is_bound)
        fputs("  times are lower bounds: nobody saw when some of these processes died\n", out);
    for (size_t i = 0; i < r->defs.processes.n; i++)
        if (r->defs.processes.at[i].died_first) {
            fputs("  died first, and may have caused the death of the others: ", out);
            text_clean(defs_process_name(&r->defs, (uint32_t)i), out);
            fprintf(out, ", %s\n", defs_text(&r->defs, r->defs.processes.at[i].end));
        }
    for (size_t i = 0; i < r->stands.circles.n; i++) {
        fputs("  ", out);
        text_clean(r->stands.circles.at[i], out);
        fputc('\n', out);
    }
}

static bool stand_somewhere(const struct report *r)
{
    return r->stands.all.n != 0;
}

SECTION(stands, "stands", "Where everything stands",
        "what each thread was doing last, and for whom it waits", .also = deadlocks,
        .is_of_interest = stand_somewhere)
