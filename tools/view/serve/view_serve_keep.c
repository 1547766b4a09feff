/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/serve/view_serve_keep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/digest.h"
#include "tools/view/view_page.h"

struct state {
    uint64_t start;
    uint64_t length;
    uint64_t duration;
    uint32_t rest;
    uint32_t n_paths;
    uint32_t n_rows;
    uint32_t has_gaps;
};

struct path {
    uint32_t parent;
    uint32_t region;
    uint32_t kind;
};

/* ---- writing ---- */

static void put(struct cache *cache, const char *name, const void *items, size_t bytes)
{
    cache_begin(cache, name);
    if (bytes)
        cache_put(cache, items, bytes);
}

static void put_paths(struct cache *cache, const struct view_part *p)
{
    cache_begin(cache, "paths");
    for (size_t i = 0; i < p->paths.all.n; i++) {
        const struct view_path *path = &p->paths.all.at[i];
        struct path kept = {path->parent, path->region, path->kind};
        cache_put(cache, &kept, sizeof kept);
    }
}

/* By their ids: those that no definition has were numbered as they occurred. */
static void put_definitions(struct cache *cache, const struct defs *d)
{
    cache_begin(cache, "regions");
    for (size_t i = 0; i < d->regions.n; i++)
        cache_put(cache, &d->regions.at[i].id, sizeof d->regions.at[i].id);
    cache_begin(cache, "comms");
    for (size_t i = 0; i < d->comms.n; i++)
        cache_put(cache, &d->comms.at[i].id, sizeof d->comms.at[i].id);
}

void serve_keep_save(struct cache *cache, const struct view *v, const struct view_part *p,
                     const struct view_numbers *numbers)
{
    struct state state = {.start = v->start,
                          .length = v->length,
                          .duration = v->duration,
                          .rest = numbers->rest,
                          .n_paths = (uint32_t)numbers->paths.n,
                          .n_rows = (uint32_t)v->rows.n,
                          .has_gaps = v->has_gaps};
    put(cache, "state", &state, sizeof state);
    put_definitions(cache, p->defs);
    put_paths(cache, p);
    put(cache, "region numbers", numbers->region, p->defs->regions.n * sizeof(uint32_t));
    put(cache, "path numbers", numbers->path, p->paths.all.n * sizeof(uint32_t));
    put(cache, "comm numbers", numbers->comm, p->defs->comms.n * sizeof(uint32_t));
    cache_begin(cache, "metrics");
    for (size_t i = 0; i < p->counters.curves.n; i++) {
        const struct view_curve *curve = &p->counters.curves.at[i];
        uint64_t key = (uint64_t)curve->row << 32 | curve->member;
        cache_put(cache, &key, sizeof key);
    }
}

/* ---- reading ---- */

/* Items of a section into a list of them. */
#define LOAD(cache, name, list)                                                                    \
    load(cache, name, (void **)&(list)->at, sizeof(list)->at[0], &(list)->n, &(list)->room)

static bool load(const struct cache *cache, const char *name, void **items, size_t bytes, size_t *n,
                 size_t *room)
{
    struct cache_part part;
    if (!cache_find(cache, name, &part) || part.n_bytes % bytes)
        return false;
    *items = malloc(part.n_bytes ? part.n_bytes : 1);
    *n = *room = part.n_bytes / bytes;
    return *items && cache_read(cache, part, 0, *items, part.n_bytes);
}

static bool load_definitions(const struct cache *cache, struct defs *d)
{
    LIST(uint64_t) regions = {0};
    LIST(uint64_t) comms = {0};
    bool is_well = LOAD(cache, "regions", &regions) && LOAD(cache, "comms", &comms) &&
                   regions.n >= d->regions.n && comms.n >= d->comms.n;
    for (size_t i = d->regions.n; is_well && i < regions.n; i++)
        is_well = defs_region(d, regions.at[i]) == i;
    for (size_t i = d->comms.n; is_well && i < comms.n; i++)
        is_well = defs_comm(d, comms.at[i]) == i;
    free(regions.at);
    free(comms.at);
    return is_well;
}

static bool load_paths(const struct cache *cache, struct view_part *p)
{
    LIST(struct path) paths = {0};
    bool is_well = LOAD(cache, "paths", &paths);
    for (size_t i = 0; is_well && i < paths.n; i++) {
        const struct path *path = &paths.at[i];
        is_well = (path->region == NIL || path->region < p->defs->regions.n) &&
                  (path->parent == NIL || path->parent < i);
        if (is_well && path->parent == NIL)
            is_well = view_paths_root(&p->paths, path->region, (enum path_kind)path->kind) == i;
        else if (is_well)
            is_well = view_paths_child(&p->paths, path->parent, path->region,
                                       (enum path_kind)path->kind) == i;
    }
    free(paths.at);
    return is_well;
}

bool serve_keep_load(const struct cache *cache, struct view *v, struct view_part *p,
                     struct serve_numbers *numbers)
{
    struct state state;
    struct cache_part part;
    if (!cache_find(cache, "state", &part) || !cache_read(cache, part, 0, &state, sizeof state) ||
        state.n_rows != v->rows.n || !load_definitions(cache, p->defs) || !load_paths(cache, p))
        return false;
    v->start = state.start;
    v->length = state.length;
    v->duration = state.duration;
    v->has_gaps = state.has_gaps;
    numbers->rest = state.rest;
    numbers->n_paths = state.n_paths;
    return LOAD(cache, "region numbers", &numbers->region) &&
           LOAD(cache, "path numbers", &numbers->path) &&
           LOAD(cache, "comm numbers", &numbers->comm) && LOAD(cache, "metrics", &numbers->metrics);
}

/* ---- numbers ---- */

static uint32_t *extended(const uint32_t *numbers, size_t n, size_t all, uint32_t others)
{
    size_t room = 0;
    uint32_t *list = list_grow(NULL, &room, all ? all : 1, sizeof *list);
    for (size_t i = 0; i < all; i++)
        list[i] = i < n && numbers[i] != NIL ? numbers[i] : others;
    return list;
}

void serve_numbers_extend(struct view_numbers *to, const struct serve_numbers *from,
                          const struct view_part *p)
{
    *to = (struct view_numbers){
        .region = extended(from->region.at, from->region.n, p->defs->regions.n, from->rest),
        .rest = from->rest,
        .path = extended(from->path.at, from->path.n, p->paths.all.n, NIL),
        .comm = extended(from->comm.at, from->comm.n, p->defs->comms.n, NIL),
    };
}

uint32_t serve_numbers_metric(const struct serve_numbers *n, uint32_t row, uint32_t member)
{
    /* They are sorted. */
    uint64_t key = (uint64_t)row << 32 | member;
    size_t low = 0;
    size_t end = n->metrics.n;
    while (low < end) {
        size_t middle = low + (end - low) / 2;
        if (n->metrics.at[middle] < key)
            low = middle + 1;
        else
            end = middle;
    }
    return low < n->metrics.n && n->metrics.at[low] == key ? (uint32_t)low : NIL;
}

void serve_numbers_free(struct serve_numbers *n)
{
    free(n->region.at);
    free(n->path.at);
    free(n->comm.at);
    free(n->metrics.at);
}

/* ---- of what ---- */

/* Another page is made by another spur, and for another wish. */
char *serve_key(const struct view *v)
{
    const char *const parts[] = {view_page_head, view_page_middle, view_page_tail};
    uint64_t page = DIGEST_BEGIN;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        page = digest_add(page, parts[i], strlen(parts[i]) + 1);
    char *maker = make_text("spur %s %016" PRIx64 " %a %a %d %u %d %s", SPUR_VERSION, page,
                            v->wish.from, v->wish.to, v->wish.has_window, v->wish.finding,
                            v->wish.has_no_findings, v->wish.locations ? v->wish.locations : "");
    char *key = cache_key(v->path, maker);
    free(maker);
    return key;
}
