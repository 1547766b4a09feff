/* SPDX-License-Identifier: BSD-3-Clause */
/* What spur report finds, and where that can be seen. */
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
};

static inline size_t view_findings_n(const struct view *v)
{
    return v->findings ? v->findings->all.n : 0;
}

static inline const struct view_finding *view_findings_at(const struct view *v, size_t i)
{
    return &v->findings->all.at[i];
}

/* As a member of the page's JSON. */
void view_findings_write(const struct view *v, FILE *out);

#endif
