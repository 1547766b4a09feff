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

/* Of how many processes locks without waiting were not recorded. */
static void remark_contended(struct report *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->defs.processes.n; i++)
        n += r->defs.processes.at[i].is_of_waits && r->sums.processes.at[i].n_threads;
    if (n)
        *LIST_ADD(&r->remarks) = make_text(
            "only locks that a thread had to wait for were recorded in %zu process%s, so nobody "
            "knows who held them (SPUR_PTHREAD=all records all)",
            n, n == 1 ? "" : "es");
}

/* Most of the archive are calls of threads, which mostly are locks that nobody waits for. */
static void advise_contended(struct report *r)
{
    enum { MOST = 2, MANY_EVENTS = 1000000, PERCENT = 100 };
    uint64_t all = 0, threads = 0;
    for (size_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        bool is_library = node->region >= REGIONS_OWN &&
                          r->defs.regions.at[node->region].paradigm == OTF2_PARADIGM_PTHREAD;
        bool is_whole =
            !r->defs.processes.at[r->profile.streams[node->location].process].is_of_waits;
        all += node->events;
        threads += is_library && is_whole ? node->events : 0;
    }
    if (all >= MANY_EVENTS && threads >= all / MOST)
        *LIST_ADD(&r->remarks) =
            make_text("calls of threads are %.0f %% of all events: SPUR_PTHREAD=contended records "
                      "only locks that a thread has to wait for",
                      (double)PERCENT * (double)threads / (double)all);
}

/* Processes that read and write files in a way that nobody sees. */
static void remark_rings(struct report *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->defs.processes.n; i++)
        n += r->defs.processes.at[i].rings != OTF2_UNDEFINED_STRING;
    if (n)
        *LIST_ADD(&r->remarks) =
            make_text("what %zu process%s by io_uring is missing: only what liburing's library "
                      "does is recorded, with --io aio",
                      n, n == 1 ? " reads and writes" : "es read and write");
}

/* A filter may leave out a whole library. */
static void remark_filtered(struct report *r)
{
    enum { NAMES_MAX = 20 };
    const struct missing *m = &r->missing;
    size_t n = m->regions.n > NAMES_MAX ? NAMES_MAX : m->regions.n;
    char *names = copy_text("");
    for (size_t i = 0; i < n; i++)
        names = make_text("%s%s%s", names, i ? ", " : "", m->regions.at[i]);
    if (m->regions.n > n)
        names = make_text("%s and %zu more", names, m->regions.n - n);
    if (n)
        *LIST_ADD(&r->remarks) =
            make_text("left out by a filter, so their time counts for their callers: %s", names);
}

void missing_remarks(struct report *r)
{
    remark_rings(r);
    remark_contended(r);
    advise_contended(r);
    remark_filtered(r);
    const struct missing *m = &r->missing;
    if (m->groups)
        *LIST_ADD(&r->remarks) =
            make_text("only these groups of MPI calls were recorded; the time of the others "
                      "counts for their callers: %s",
                      m->groups);
    if (missing_mpi(r) && r->sums.n_mpi)
        *LIST_ADD(&r->remarks) = copy_text("MPI calls may be missing, so the time of the ranks "
                                           "outside of MPI and their efficiency are unknown");
}
