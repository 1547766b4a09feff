/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_marks.h"

#include <string.h>

static const char *end_of(const struct view *v, uint32_t process)
{
    return defs_text(&v->defs, v->defs.processes.at[process].end);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

const char *view_marks_state(const struct view *v, uint32_t process)
{
    const char *end = end_of(v, process);
    const char *stopped = defs_text(&v->defs, v->defs.processes.at[process].stopped);
    if (strstr(end, "killed by") || begins(end, "died") || begins(end, "abort") ||
        begins(end, "MPI_Abort"))
        return "killed";
    return *stopped || begins(end, "recording") ? "stopped" : "ended";
}

static void add(struct view *v, uint32_t row, uint64_t from, uint64_t to, const char *kind,
                const char *text)
{
    *LIST_ADD(&v->marks) = (struct view_mark){row, from, to, kind, text};
}

static void mark_ring(struct view *v, uint32_t row)
{
    const struct view_row *r = &v->rows.at[row];
    const struct location *l = &v->defs.locations.at[r->location];
    uint64_t until = l->dropped_until ? view_ns(v, l->dropped_until) : r->first;
    if (l->n_dropped)
        add(v, row, 0, until, "ring",
            make_text("%llu older events were dropped (a ring)", (unsigned long long)l->n_dropped));
}

static void mark_end(struct view *v, uint32_t row)
{
    const struct view_row *r = &v->rows.at[row];
    uint32_t process = v->defs.locations.at[r->location].process;
    const struct process *p = &v->defs.processes.at[process];
    const char *stopped = defs_text(&v->defs, p->stopped);
    if (*stopped) {
        uint64_t at = p->stopped_at == UINT64_MAX ? r->last : view_ns(v, p->stopped_at);
        add(v, row, at < r->last ? at : r->last, r->last, "stopped",
            make_text("recording stopped: %s", stopped));
    }
    if (strcmp(view_marks_state(v, process), "killed") == 0)
        add(v, row, r->last, r->last, "killed",
            make_text("%s%s", end_of(v, process), p->died_first ? " (died first)" : ""));
}

void view_marks_make(struct view *v)
{
    for (uint32_t i = 0; i < v->rows.n; i++) {
        const struct view_row *r = &v->rows.at[i];
        if (!r->has_events)
            continue;
        mark_ring(v, i);
        for (size_t k = 0; k < r->marks.n; k++)
            *LIST_ADD(&v->marks) = r->marks.at[k];
        mark_end(v, i);
    }
}
