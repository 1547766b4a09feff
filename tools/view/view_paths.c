/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_paths.h"

enum { PATHS_MAX = 200000, DEPTH_MAX = 250 };

static uint32_t add(struct view_paths *p, uint32_t parent, uint32_t region, enum path_kind kind)
{
    uint64_t above = parent == NIL ? 0 : p->all.at[parent].hash;
    uint64_t hash = (above ^ region ^ (uint64_t)kind << 32) * 0x9e3779b97f4a7c15u;
    uint16_t depth = parent == NIL ? 0 : (uint16_t)(p->all.at[parent].depth + 1);
    uint32_t index = (uint32_t)p->all.n;
    *LIST_ADD(&p->all) = (struct view_path){.parent = parent,
                                            .region = region,
                                            .hash = hash ^ hash >> 32,
                                            .recent = NIL,
                                            .depth = depth,
                                            .kind = (uint8_t)kind};
    return index;
}

static uint64_t key_of(uint32_t region, enum path_kind kind)
{
    return (uint64_t)kind << 32 | region;
}

uint32_t view_paths_root(struct view_paths *p, uint32_t region, enum path_kind kind)
{
    uint32_t index = map_index(&p->child_of, NIL, key_of(region, kind), p->all.n);
    return index == p->all.n ? add(p, NIL, region, kind) : index;
}

static uint32_t root_of(const struct view_paths *p, uint32_t path)
{
    while (p->all.at[path].parent != NIL)
        path = p->all.at[path].parent;
    return path;
}

uint32_t view_paths_child(struct view_paths *p, uint32_t parent, uint32_t region,
                          enum path_kind kind)
{
    uint32_t child = p->all.at[parent].recent;
    if (child != NIL && p->all.at[child].region == region && p->all.at[child].kind == kind)
        return child;
    if (p->all.at[parent].depth >= DEPTH_MAX)
        return view_paths_child(p, p->all.at[parent].parent, region, kind);
    child = map_find(&p->child_of, parent, key_of(region, kind));
    if (child == NIL) {
        if (p->all.n >= PATHS_MAX && p->all.at[parent].parent != NIL)
            return view_paths_child(p, root_of(p, parent), region, kind);
        child = add(p, parent, region, kind);
        map_set(&p->child_of, parent, key_of(region, kind), child);
    }
    p->all.at[parent].recent = child;
    return child;
}

uint32_t view_paths_call(struct view_paths *p, const struct defs *d, uint32_t parent,
                         uint32_t around, uint32_t context, enum path_kind kind)
{
    uint32_t chain[DEPTH_MAX];
    unsigned n = 0;
    uint32_t path = map_find(&p->call_of, parent, key_of(context, kind));
    if (path != NIL)
        return path;
    for (uint32_t c = d->contexts.at[context].parent;
         c != NIL && d->contexts.at[c].region != around && n < DEPTH_MAX;
         c = d->contexts.at[c].parent)
        chain[n++] = d->contexts.at[c].region;
    path = parent;
    while (n)
        path = view_paths_child(p, path, chain[--n], PATH_AROUND);
    path = view_paths_child(p, path, d->contexts.at[context].region, kind);
    map_set(&p->call_of, parent, key_of(context, kind), path);
    return path;
}

static uint32_t *known(struct view_paths *p, size_t context)
{
    while (p->of_context.n <= context)
        *LIST_ADD(&p->of_context) = 0;
    return &p->of_context.at[context];
}

uint32_t view_paths_context(struct view_paths *p, const struct defs *d, uint32_t context)
{
    uint32_t chain[DEPTH_MAX];
    unsigned n = 0;
    if (context == NIL)
        return NIL;
    if (*known(p, context))
        return *known(p, context) - 1;
    /* Those at the outer end of a deeper stack are left out. */
    for (uint32_t c = context; c != NIL && n < DEPTH_MAX; c = d->contexts.at[c].parent)
        chain[n++] = d->contexts.at[c].region;
    uint32_t path = view_paths_root(p, chain[n - 1], PATH_STACK);
    while (--n)
        path = view_paths_child(p, path, chain[n - 1], PATH_STACK);
    *known(p, context) = path + 1;
    return path;
}
