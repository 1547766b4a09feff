/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_sites.h"

#include <stdlib.h>

#include "tools/report/topics/report.h"

static void add(struct report *r, struct map *index_of, uint32_t index)
{
    struct sites *s = &r->sites;
    const struct node *node = &r->profile.nodes.at[index];
    uint32_t at = map_index(index_of, node->region, node->site, s->all.n);
    if (at == s->all.n)
        *LIST_ADD(&s->all) =
            (struct site_sum){.site = node->site, .region = node->region, .min = UINT64_MAX};
    struct site_sum *sum = &s->all.at[at];
    sum->calls += node->calls;
    sum->self += node->self;
    sum->durations += node->total;
    sum->min = node->min < sum->min ? node->min : sum->min;
    sum->max = node->max > sum->max ? node->max : sum->max;
    for (enum wait why = 0; why < WAITS; why++)
        sum->waits[why] += sums_waited(r, index, why);
}

static void add_line(struct report *r, struct map *index_of, const struct node *node)
{
    struct sites *s = &r->sites;
    if (!node->samples || node->site == NIL || !r->defs.sites.at[node->site].line)
        return;
    uint32_t at = map_index(index_of, node->site, 0, s->lines.n);
    if (at == s->lines.n)
        *LIST_ADD(&s->lines) = (struct line_sum){.site = node->site};
    struct line_sum *sum = &s->lines.at[at];
    sum->samples += node->samples;
    sum->self += node->self;
    sum->is_time |= node->sampled != 0;
}

/* Regions of which no site is known are not of those that have some. */
void sites_make(struct report *r)
{
    struct map index_of = {0}, line_of = {0};
    size_t room = 0;
    bool *has_sites = list_grow(NULL, &room, r->defs.regions.n + 1, sizeof *has_sites);
    for (size_t i = 0; i < r->profile.nodes.n; i++)
        if (r->profile.nodes.at[i].calls && r->profile.nodes.at[i].site != NIL)
            has_sites[r->profile.nodes.at[i].region] = true;
    for (uint32_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (!r->is_selected[node->location])
            continue;
        r->sums.samples += node->samples;
        if (!node->calls)
            add_line(r, &line_of, node);
        else if (has_sites[node->region])
            add(r, &index_of, i);
    }
    free(has_sites);
    free(index_of.slots);
    free(line_of.slots);
}

static uint64_t own(const struct site_sum *sum)
{
    uint64_t waited = 0;
    for (unsigned why = 0; why < WAIT_THREAD; why++)
        waited += sum->waits[why];
    return sum->self > waited ? sum->self - waited : 0;
}

uint32_t sites_most(const struct report *r, uint32_t region)
{
    const struct site_sum *most = NULL;
    for (size_t i = 0; i < r->sites.all.n; i++) {
        const struct site_sum *sum = &r->sites.all.at[i];
        if (sum->region == region && (!most || own(sum) > own(most)))
            most = sum;
    }
    return most ? most->site : NIL;
}

const struct line_sum *lines_most(const struct report *r, uint32_t region)
{
    const struct line_sum *most = NULL;
    for (size_t i = 0; i < r->sites.lines.n; i++) {
        const struct line_sum *sum = &r->sites.lines.at[i];
        if (r->defs.sites.at[sum->site].region == region && (!most || sum->samples > most->samples))
            most = sum;
    }
    return most;
}
