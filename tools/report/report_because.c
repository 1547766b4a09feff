/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report_because.h"

#include <string.h>

#include "tools/report/report_findings.h"
#include "tools/report/report_words.h"
#include "tools/report/topics/report.h"

static bool is_node(const void *user, uint32_t node)
{
    return *(const uint32_t *)user == node;
}

struct because because_of_node(struct report *r, uint32_t node)
{
    return causes_most(r, is_node, &node);
}

struct of_region {
    const struct report *r;
    uint32_t region;
};

static bool is_of_region(const void *user, uint32_t node)
{
    const struct of_region *of = user;
    return of->r->profile.nodes.at[node].region == of->region;
}

struct because because_of_region(struct report *r, uint32_t region)
{
    return causes_most(r, is_of_region, &(struct of_region){r, region});
}

static const char *at_site(const struct report *r, uint32_t site)
{
    return site == NIL ? "" : make_text(" at %s", defs_site_name(&r->defs, site));
}

/* Where its first function is defined. */
static const char *path_of(const struct report *r, const struct cause *cause)
{
    const char *path = cause->path ? cause->path : defs_region_name(&r->defs, cause->region);
    const struct region *head = &r->defs.regions.at[cause->path ? cause->head : cause->region];
    const char *file = defs_text(&r->defs, head->file);
    const char *last = strrchr(file, '/');
    if (head->is_call || !*file || !head->line || strchr(path, '@'))
        return make_text("`%s`", path);
    return make_text("`%s` (%s:%u)", path, last ? last + 1 : file, head->line);
}

const char *because_what(const struct report *r, const struct cause *cause)
{
    if (cause->region == NIL)
        return "its start";
    const char *name = cause->region == REGION_PROGRAM ? "its own code" : path_of(r, cause);
    if (cause->call == NIL)
        return make_text("%s%s", name, at_site(r, cause->site));
    return make_text("%s after %s%s", name, defs_region_name(&r->defs, cause->call),
                     at_site(r, cause->site));
}

/* How much longer than the others; "" when it is not. */
static const char *how_much(const struct report *r, const struct cause *cause)
{
    static const double least = 1.05, most = 100.0;
    const double own = (double)cause->own, others = cause->others;
    if (!cause->own || others < 0.0 || own < least * others)
        return "";
    if (own > most * others)
        return make_text(" (%s, the other ranks take hardly any time there)", words_time(r, own));
    return make_text(" (%s, %.1f times the mean of the other ranks)", words_time(r, own),
                     own / others);
}

const char *because_text(const struct report *r, const struct because *because, double waited)
{
    static const double least = 0.05; /* of the waiting */
    const struct cause *cause = because->cause;
    if (!cause || because->ticks < least * waited)
        return "";
    double gain = cause_gain(cause);
    const char *gains =
        gain > 0.0 ? make_text("; a remedy gains up to %s", words_time(r, gain)) : "";
    return make_text(" The main cause (%.0f %%) is %s: %s%s%s (--by causes).",
                     100.0 * because->ticks / waited, defs_process_name(&r->defs, cause->process),
                     because_what(r, cause), how_much(r, cause), gains);
}

static bool is_within(const void *user, uint32_t node)
{
    const struct report *r = user;
    enum region_meaning meaning =
        (enum region_meaning)r->defs.regions.at[r->profile.nodes.at[node].region].meaning;
    return meaning != REGION_MPI_BEGIN && meaning != REGION_MPI_END;
}

const char *because_of_all(struct report *r, uint64_t cpus)
{
    double waited = 0.0;
    for (uint32_t i = 0; i < r->profile.nodes.n; i++)
        for (enum wait why = WAIT_SENDER; why <= WAIT_COLLECTIVE && is_within(r, i); why++)
            waited += (double)profile_waited(&r->profile, i, why);
    struct because because = causes_most(r, is_within, r);
    if (!findings_is_worth_it(r, waited) || !*because_text(r, &because, waited))
        return "";
    return make_text(" With %s the ranks wait %s for each other (%s of all time).%s",
                     words_plural(cpus, "CPU"), words_time(r, waited), words_percent(r, waited),
                     because_text(r, &because, waited));
}
