/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who can only wait for each other: a circle of locations each of which needs the next one, and
 * which all have stood there for a while. Processes are not seen at one moment, so what has
 * stood for a blink only may be a job that goes on.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/report/topics/report.h"

static const double BLINK_S = 0.1;

enum mark { NEW, ON_PATH, DONE };

struct search {
    struct report *r;
    enum mark *mark;
    LIST(uint32_t) path; /* of r->stands.all */
};

static uint32_t index_of(const struct report *r, uint32_t location)
{
    const struct standing *at = stands_of(r, location);
    return at ? (uint32_t)(at - r->stands.all.at) : NIL;
}

static bool can_be_in_one(const struct report *r, const struct standing *at)
{
    return !at->needs_any && defs_seconds(&r->defs, at->time - at->since) > BLINK_S;
}

static const char *link_text(const struct report *r, const struct standing *at, uint32_t from)
{
    const char *site =
        at->site == NIL ? "" : make_text(" at %s", defs_site_name(&r->defs, at->site));
    return make_text("%s (%s%s)", stands_name(r, at->location, from),
                     defs_region_name(&r->defs, at->region), site);
}

/* The path from `first` on is a circle. */
static void found(struct search *s, uint32_t first)
{
    size_t begin = s->path.n;
    const char *text = "";
    uint32_t from = NIL; /* who was named before */
    struct stands *stands = &s->r->stands;
    while (s->path.at[begin - 1] != first)
        begin--;
    for (size_t i = begin - 1; i < s->path.n; i++) {
        struct standing *at = &stands->all.at[s->path.at[i]];
        at->circle = (uint32_t)stands->circles.n + 1;
        text = make_text("%s%s, which waits for ", text, link_text(s->r, at, from));
        from = at->location;
    }
    *LIST_ADD(&stands->circles) =
        make_text("deadlock: %s%s", text, stands_name(s->r, stands->all.at[first].location, from));
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the longest chain of waiting locations */
static void visit(struct search *s, uint32_t index)
{
    const struct standing *at = &s->r->stands.all.at[index];
    s->mark[index] = ON_PATH;
    *LIST_ADD(&s->path) = index;
    for (size_t i = 0; i < at->for_whom.n && can_be_in_one(s->r, at); i++) {
        uint32_t next = index_of(s->r, at->for_whom.at[i]);
        if (next == NIL || !can_be_in_one(s->r, &s->r->stands.all.at[next]))
            continue;
        if (s->mark[next] == NEW)
            visit(s, next);
        else if (s->mark[next] == ON_PATH && !s->r->stands.all.at[next].circle)
            found(s, next);
    }
    s->path.n--;
    s->mark[index] = DONE;
}

void stands_find_circles(struct report *r)
{
    size_t room = 0;
    struct search s = {.r = r};
    s.mark = list_grow(NULL, &room, r->stands.all.n + 1, sizeof *s.mark);
    for (uint32_t i = 0; i < r->stands.all.n; i++)
        if (s.mark[i] == NEW)
            visit(&s, i);
    free(s.mark);
    free(s.path.at);
}
