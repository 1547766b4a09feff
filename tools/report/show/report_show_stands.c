/* SPDX-License-Identifier: BSD-3-Clause */
/* Where locations stood when they were seen last, and who of them wait for each other. */
#include <string.h>

#include "tools/report/show/report_sections.h"

const struct column columns_stands[] = {
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
COLUMNS_END(stands)

void fill_stands(struct report *r, const struct wish *wish, struct table *t)
{
    (void)wish;
    for (size_t i = 0; i < r->stands.all.n; i++) {
        const struct standing *at = &r->stands.all.at[i];
        const struct location *l = &r->defs.locations.at[at->location];
        put_text(t, defs_process_name(&r->defs, l->process));
        put_text(t, defs_text(&r->defs, l->name));
        put_text(t, defs_region_name(&r->defs, at->region));
        put_text(t, at->path);
        put_text(t, defs_site_name(&r->defs, at->site));
        put_ticks(r, t, at->time - at->since);
        put_text(t, at->is_lower_bound ? "at least" : "exactly");
        if (at->what)
            put_text(t, at->what);
        else
            put_nothing(t);
        if (at->circle)
            put_count(t, at->circle);
        else
            put_nothing(t);
        const struct process *p = &r->defs.processes.at[l->process];
        const char *end = defs_text(&r->defs, p->end);
        if (strstr(end, "snapshot"))
            put_nothing(t);
        else
            put_text(t, p->died_first ? "culprit" : "victim");
        put_text(t, end);
    }
}

void deadlocks(struct report *r, const struct look *look, FILE *out)
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
