/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_missing.h"

#include <string.h>

#include "tools/report/topics/report.h"

enum { SHORT_PERCENT = 1 }; /* that much of the time more or less does not matter */

static void add_region(struct missing *m, const char *name)
{
    for (size_t i = 0; i < m->regions.n; i++)
        if (!strcmp(m->regions.at[i], name))
            return;
    *LIST_ADD(&m->regions) = name;
}

/* Names with ", " between them, and "..." behind them if there are more. */
static void add_regions(struct missing *m, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        add_region(m, make_text("%.*s", (int)n, list));
        list += n;
        list += strspn(list, ", ");
    }
}

void missing_make(struct report *r)
{
    for (size_t i = 0; i < r->defs.processes.n; i++) {
        const struct process *p = &r->defs.processes.at[i];
        const char *groups = defs_text(&r->defs, p->mpi_groups);
        add_regions(&r->missing, defs_text(&r->defs, p->filtered));
        if (*groups && !strstr(groups, "default") && !strstr(groups, "all"))
            r->missing.groups = groups;
    }
}

/* Names that were too many to be told may be any. */
static bool is_of_mpi(const char *name)
{
    return !strncmp(name, "MPI_", 4) || strstr(name, "...");
}

bool missing_mpi(const struct report *r)
{
    const struct missing *m = &r->missing;
    for (size_t i = 0; i < m->regions.n; i++)
        if (is_of_mpi(m->regions.at[i]))
            return true;
    return m->groups || 100.0 * (double)r->sums.shorts > SHORT_PERCENT * (double)r->sums.total;
}

void missing_remarks(struct report *r)
{
    const struct missing *m = &r->missing;
    const char *names = "";
    for (size_t i = 0; i < m->regions.n; i++)
        names = make_text("%s%s%s", names, i ? ", " : "", m->regions.at[i]);
    if (m->regions.n)
        *LIST_ADD(&r->remarks) =
            make_text("left out by a filter, so their time counts for their callers: %s", names);
    if (m->groups)
        *LIST_ADD(&r->remarks) =
            make_text("only these groups of MPI calls were recorded; the time of the others "
                      "counts for their callers: %s",
                      m->groups);
    if (missing_mpi(r) && r->sums.n_mpi)
        *LIST_ADD(&r->remarks) = copy_text("MPI calls may be missing, so the time of the ranks "
                                           "outside of MPI and their efficiency are unknown");
}
