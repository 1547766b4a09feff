/* SPDX-License-Identifier: BSD-3-Clause */
/* A job that cannot go on costs everything: deadlocks are the first findings. */
#include "tools/report/report_findings.h"
#include "tools/report/topics/report.h"

/* What its threads have waited so far; it is seen best where one has waited longest. */
static struct finding finding_of(const struct report *r, uint32_t circle)
{
    struct finding found = {.kind = "deadlock", .site = NIL};
    const struct standing *longest = NULL;
    for (size_t i = 0; i < r->stands.all.n; i++) {
        const struct standing *at = &r->stands.all.at[i];
        if (at->circle != circle + 1)
            continue;
        found.ticks += (double)(at->time - at->since);
        if (!longest || at->time - at->since > longest->time - longest->since)
            longest = at;
    }
    if (longest) {
        uint32_t other = longest->for_whom.n ? longest->for_whom.at[0] : longest->location;
        place_add(&found.place, longest->since, longest->time, longest->location, other);
        found.site = longest->site;
    }
    const char *text = r->stands.circles.at[circle];
    found.text = make_text("D%s.", text + 1);
    return found;
}

void findings_add_deadlocks(const struct report *r, struct findings *found)
{
    for (size_t i = r->stands.circles.n; i-- > 0;)
        findings_insert(found, 0, finding_of(r, (uint32_t)i));
}
