/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What spur report finds, and where that can be seen. Its own code reads the archive: in a process
 * of its own at the same time, or before by the ranks of a job.
 */
#ifndef TOOLS_VIEW_FINDINGS_H
#define TOOLS_VIEW_FINDINGS_H

#include "tools/view/view.h"

struct view_finding {
    const char *kind;
    const char *text;
    double seconds;
    double percent;
    uint64_t from; /* where it is to be seen, if there are rows */
    uint64_t to;
    LIST(uint32_t) rows;
};

struct view_findings {
    LIST(struct view_finding) all;
    FILE *from; /* the process, while it is asked; or what the first rank has said */
    int pid;    /* 0: there is no process */
};

static inline size_t view_findings_n(const struct view *v)
{
    return v->findings ? v->findings->all.n : 0;
}

static inline const struct view_finding *view_findings_at(const struct view *v, size_t i)
{
    return &v->findings->all.at[i];
}

/* Begins to look for them, unless that was not wanted or would take too long. */
void view_findings_start(struct view *v);

/* When they are there. */
void view_findings_wait(struct view *v);

/* As a member of the page's JSON. */
void view_findings_write(const struct view *v, FILE *out);

#endif
