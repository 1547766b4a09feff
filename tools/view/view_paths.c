/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_paths.h"

enum { PATHS_MAX = 200000, DEPTH_MAX = 250 };

static uint32_t add(struct view_paths *p, uint32_t parent, uint32_t region, enum path_kind kind)
{
    uint16_t depth = parent == NIL ? 0 : (uint16_t)(p->all.at[parent].depth + 1);
    uint32_t index = (uint32_t)p->all.n;
    *LIST_ADD(&p->all) = (struct view_path){parent, region, NIL, depth, (uint8_t)kind};
    return index;
}

uint32_t view_paths_root(struct view_paths *p, uint32_t region, enum path_kind kind)
{
    uint64_t key = (uint64_t)kind << 32 | region;
    uint32_t index = map_find(&p->child_of, NIL, key);
    if (index == NIL) {
        index = add(p, NIL, region, kind);
        map_set(&p->child_of, NIL, key, index);
    }
    return index;
}

uint32_t view_paths_child(struct view_paths *p, uint32_t parent, uint32_t region)
{
    uint32_t child = p->all.at[parent].recent;
    if (child != NIL && p->all.at[child].region == region)
        return child;
    child = map_find(&p->child_of, parent, region);
    if (child == NIL) {
        if (p->all.n >= PATHS_MAX || p->all.at[parent].depth >= DEPTH_MAX)
            return parent;
        child = add(p, parent, region, (enum path_kind)p->all.at[parent].kind);
        map_set(&p->child_of, parent, region, child);
    }
    p->all.at[parent].recent = child;
    return child;
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
        path = view_paths_child(p, path, chain[n - 1]);
    *known(p, context) = path + 1;
    return path;
}
