/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_numbers.h"

#include <stdlib.h>
#include <string.h>

enum { REGIONS_MAX = 20000 };

struct sorted {
    uint64_t value;
    uint64_t id;
    uint32_t index;
};

/* The greatest first, what is equal by its id. */
static int by_value(const void *x, const void *y)
{
    const struct sorted *p = x;
    const struct sorted *q = y;
    ORDER(q->value, p->value);
    return (p->id > q->id) - (p->id < q->id);
}

static uint32_t *unknown(size_t n)
{
    size_t room = 0;
    uint32_t *list = list_grow(NULL, &room, n ? n : 1, sizeof *list);
    memset(list, 0xff, n * sizeof *list);
    return list;
}

/* ---- paths that occur ---- */

static void use(const struct view_part *p, bool *used, uint32_t path)
{
    for (; path != NIL && !used[path]; path = p->paths.all.at[path].parent)
        used[path] = true;
}

static bool *used_paths(const struct view_part *p)
{
    size_t room = 0;
    bool *used = list_grow(NULL, &room, p->paths.all.n, sizeof *used);
    for (size_t i = 0; i < p->sums.all.n; i++)
        use(p, used, p->sums.all.at[i].b);
    for (size_t i = 0; i < p->exact.calls.n; i++)
        use(p, used, p->exact.calls.at[i].path);
    for (size_t i = 0; i < p->exact.samples.n; i++)
        use(p, used, p->exact.samples.at[i].path);
    return used;
}

/* ---- regions ---- */

static uint64_t id_of(const struct view_part *p, uint32_t region)
{
    return region < REGIONS_OWN ? region : REGIONS_OWN + p->defs->regions.at[region].id;
}

static void number_regions(struct view_numbers *n, const struct view_part *p, const bool *used)
{
    size_t room = 0;
    size_t all = p->defs->regions.n;
    struct sorted *sorted = list_grow(NULL, &room, all, sizeof *sorted);
    size_t kept = 0;
    bool has_rest = false;
    uint32_t *at = unknown(all);
    for (size_t i = 0; i < p->paths.all.n; i++) {
        uint32_t region = p->paths.all.at[i].region;
        has_rest |= used[i] && region == NIL;
        if (!used[i] || region == NIL || at[region] != NIL)
            continue;
        at[region] = (uint32_t)kept;
        sorted[kept++] = (struct sorted){0, id_of(p, region), region};
    }
    for (size_t i = 0; i < p->sums.all.n; i++) {
        uint32_t region = p->paths.all.at[p->sums.all.at[i].b].region;
        if (region != NIL)
            sorted[at[region]].value += p->sums.all.at[i].value;
    }
    qsort(sorted, kept, sizeof *sorted, by_value);
    n->region = at;
    memset(at, 0xff, all * sizeof *at);
    for (uint32_t i = 0; i < kept && i < REGIONS_MAX; i++) {
        at[sorted[i].index] = i;
        *LIST_ADD(&n->regions) = sorted[i].index;
    }
    n->rest = (uint32_t)n->regions.n;
    for (size_t i = REGIONS_MAX; i < kept; i++)
        at[sorted[i].index] = n->rest;
    if (has_rest || kept > REGIONS_MAX)
        *LIST_ADD(&n->regions) = NIL;
    free(sorted);
}

/* ---- paths ---- */

struct path_place {
    uint32_t depth;
    uint32_t parent; /* number */
    uint32_t region; /* number */
    uint32_t index;
    uint8_t kind;
};

static int by_place(const void *x, const void *y)
{
    const struct path_place *p = x;
    const struct path_place *q = y;
    ORDER(p->parent, q->parent);
    ORDER(p->kind, q->kind);
    ORDER(p->region, q->region);
    return (p->index > q->index) - (p->index < q->index);
}

static int by_depth(const void *x, const void *y)
{
    const struct path_place *p = x;
    const struct path_place *q = y;
    return (p->depth > q->depth) - (p->depth < q->depth);
}

/* Depth by depth, so that callers have smaller numbers and are known. */
static void number_paths(struct view_numbers *n, const struct view_part *p, const bool *used)
{
    size_t room = 0;
    size_t kept = 0;
    size_t all = p->paths.all.n;
    struct path_place *places = list_grow(NULL, &room, all, sizeof *places);
    n->path = unknown(all);
    for (uint32_t i = 0; i < all; i++) {
        const struct view_path *path = &p->paths.all.at[i];
        if (used[i])
            places[kept++] =
                (struct path_place){path->depth, path->parent, view_numbers_region(n, path->region),
                                    i, path->kind};
    }
    qsort(places, kept, sizeof *places, by_depth);
    for (size_t from = 0, to = 0; from < kept; from = to) {
        for (to = from; to < kept && places[to].depth == places[from].depth; to++)
            if (places[to].parent != NIL)
                places[to].parent = n->path[places[to].parent];
        qsort(&places[from], to - from, sizeof *places, by_place);
        for (size_t i = from; i < to; i++) {
            n->path[places[i].index] = (uint32_t)i;
            *LIST_ADD(&n->paths) = places[i].index;
        }
    }
    free(places);
}

/* ---- communicators ---- */

static void number_comms(struct view_numbers *n, const struct view_part *p)
{
    size_t room = 0;
    size_t all = p->defs->comms.n;
    struct sorted *sorted = list_grow(NULL, &room, all ? all : 1, sizeof *sorted);
    size_t kept = 0;
    n->comm = unknown(all);
    if (p->view->wish.is_served) /* windows may have any of them */
        memset(n->comm, 0, all * sizeof *n->comm);
    for (size_t i = 0; i < p->exact.messages.n; i++)
        n->comm[p->exact.messages.at[i].comm] = 0;
    for (size_t i = 0; i < p->exact.collectives.n; i++)
        n->comm[p->exact.collectives.at[i].comm] = 0;
    for (uint32_t i = 0; i < all; i++)
        if (n->comm[i] != NIL)
            sorted[kept++] = (struct sorted){0, p->defs->comms.at[i].id, i};
    qsort(sorted, kept, sizeof *sorted, by_value);
    for (uint32_t i = 0; i < kept; i++) {
        n->comm[sorted[i].index] = i;
        *LIST_ADD(&n->comms) = sorted[i].index;
    }
    free(sorted);
}

void view_numbers_make(struct view_numbers *n, const struct view_part *p)
{
    bool *used = used_paths(p);
    *n = (struct view_numbers){0};
    number_regions(n, p, used);
    number_paths(n, p, used);
    number_comms(n, p);
    free(used);
}

void view_numbers_free(struct view_numbers *n)
{
    free(n->regions.at);
    free(n->region);
    free(n->paths.at);
    free(n->path);
    free(n->comms.at);
    free(n->comm);
}
