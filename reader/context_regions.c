/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/context_regions.h"

#include <stdlib.h>
#include <string.h>

#include "format/memory.h"

static bool grow(struct otf2_context_regions *c)
{
    enum { FIRST = 64 };
    size_t room = c->room ? 2 * c->room : FIRST;
    struct otf2_context_region *pairs = otf2_mem_new(room * sizeof *pairs);
    if (!pairs)
        return false;
    if (c->n)
        memcpy(pairs, c->pairs, c->n * sizeof *pairs);
    otf2_mem_free(c->pairs);
    c->pairs = pairs;
    c->room = room;
    return true;
}

bool otf2_context_regions_add(struct otf2_context_regions *c, OTF2_CallingContextRef context,
                              OTF2_RegionRef region)
{
    if (c->n == c->room && !grow(c))
        return false;
    c->is_unsorted |= c->n && c->pairs[c->n - 1].context > context;
    c->pairs[c->n++] = (struct otf2_context_region){context, region};
    return true;
}

struct numbered {
    struct otf2_context_region pair;
    size_t number;
};

static int by_context(const void *a, const void *b)
{
    const struct numbered *x = a;
    const struct numbered *y = b;
    if (x->pair.context != y->pair.context)
        return x->pair.context < y->pair.context ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

bool otf2_context_regions_sort(struct otf2_context_regions *c)
{
    if (!c->is_unsorted)
        return true;
    struct numbered *all = otf2_mem_new(c->n * sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < c->n; i++)
        all[i] = (struct numbered){c->pairs[i], i};
    qsort(all, c->n, sizeof *all, by_context);
    for (size_t i = 0; i < c->n; i++)
        c->pairs[i] = all[i].pair;
    otf2_mem_free(all);
    c->is_unsorted = false;
    return true;
}

bool otf2_context_regions_find(const struct otf2_context_regions *c, OTF2_CallingContextRef context,
                               OTF2_RegionRef *region)
{
    size_t low = 0;
    size_t high = c->n;
    /* The first pair of a greater context: most often that behind the context's number. */
    if (context < high && c->pairs[context].context == context)
        low = (size_t)context + 1;
    if (low && (low == high || c->pairs[low].context > context))
        high = low;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->pairs[middle].context <= context)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || c->pairs[low - 1].context != context)
        return false;
    *region = c->pairs[low - 1].region;
    return true;
}

void otf2_context_regions_fini(struct otf2_context_regions *c)
{
    otf2_mem_free(c->pairs);
    *c = (struct otf2_context_regions){0};
}
