/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_waits.h"

#include "tools/report/read/report_read.h"
#include "tools/report/topics/report.h"

static void choose(struct report *r, const void *user)
{
    const struct waits_wish *wish = user;
    size_t n = r->defs.locations.n;
    r->is_selected = take_memory((n + 1) * sizeof *r->is_selected);
    for (size_t i = 0; i < n; i++)
        r->is_selected[i] = wish->is_chosen[i];
}

static void tell(void *user, const struct report *r, const struct single_wait *w)
{
    static const char *const names[WAITS] = {[WAIT_SENDER] = "late sender",
                                             [WAIT_RECEIVER] = "late receiver",
                                             [WAIT_COLLECTIVE] = "collective"};
    const struct waits_wish *wish = user;
    uint32_t region = r->profile.nodes.at[w->node].region;
    struct found_wait found = {r->defs.locations.at[w->location].id,
                               r->defs.processes.at[w->other].id,
                               region < REGIONS_OWN ? UINT64_MAX : r->defs.regions.at[region].id,
                               names[w->why],
                               w->begin,
                               w->end};
    wish->tell(wish->user, &found);
}

void waits_find(const struct waits_wish *wish)
{
    struct waits_wish copy = *wish;
    struct report *r = take_memory(sizeof *r);
    r->on_wait = tell;
    r->on_wait_user = &copy;
    report_read(r, wish->path,
                &(struct report_how){.has_no_causes = true,
                                     .is_alone = true,
                                     .from = wish->from,
                                     .to = wish->to,
                                     .choose = choose,
                                     .user = wish});
    /* What it has of the rest goes with the process. */
}
