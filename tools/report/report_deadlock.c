/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who can only wait for each other: a circle of locations each of which needs the next one, and
 * which all have stood there for a while. Processes are not seen at one moment, so what has
 * stood for a blink only may be a job that goes on.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/report/report.h"
#include "tools/report/report_sections.h"

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
    return make_text("%s (%s)", stands_name(r, at->location, from),
                     defs_region_name(&r->defs, at->region));
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

/* ---- the table ---- */

const struct column columns_stands[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "process of the thread"},
    {"thread", "thread", UNIT_TEXT, UNLESS_SAME, "name of the thread"},
    {"region", "is in", UNIT_TEXT, EVERYWHERE, "innermost open region"},
    {"path", "", UNIT_TEXT, DATA_ONLY, "all open regions, the outermost first, separated by ` > `"},
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
        fputs("  times are the least: nobody saw when some of these processes died\n", out);
    for (size_t i = 0; i < r->defs.processes.n; i++)
        if (r->defs.processes.at[i].died_first) {
            fputs("  died first, and the others may have died of it: ", out);
            text_clean(defs_process_name(&r->defs, (uint32_t)i), out);
            fprintf(out, ", %s\n", defs_text(&r->defs, r->defs.processes.at[i].end));
        }
    for (size_t i = 0; i < r->stands.circles.n; i++) {
        fputs("  ", out);
        text_clean(r->stands.circles.at[i], out);
        fputc('\n', out);
    }
}
