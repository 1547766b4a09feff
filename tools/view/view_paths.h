/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call paths: a region, and the parent path from which the region was called. The number of the
 * parent is smaller. A root has no parent.
 */
#ifndef TOOLS_VIEW_PATHS_H
#define TOOLS_VIEW_PATHS_H

#include "tools/view/view.h"

enum path_kind {
    PATH_CALL,   /* a region that was entered and left */
    PATH_STACK,  /* a function on call stacks of samples */
    PATH_AROUND, /* a function on call stacks of calls */
    PATH_ALONE,  /* a barrier of a team of one thread: no waiting */
};

struct view_path {
    uint32_t parent; /* NIL: a root */
    uint32_t region;
    uint64_t hash;   /* of the path's regions, not of their numbers */
    uint32_t recent; /* the last child that was asked for; NIL: no child yet */
    uint16_t depth;
    uint8_t kind; /* enum path_kind */
};

struct view_paths {
    LIST(struct view_path) all;
    struct map child_of;
    LIST(uint32_t) of_context; /* index plus 1 */
    struct map call_of;        /* (path, context and kind): see view_paths_call */
};

/*
 * The path of a region that is called from another path. The last region of the path is always the
 * called region. So the figures of a region depend neither on the depth nor on the number of paths.
 * A path that is too deep leaves out the regions between the limit and the last region. A path
 * beyond the greatest number of paths leaves out all regions between the root and the last region.
 */
uint32_t view_paths_child(struct view_paths *p, uint32_t parent, uint32_t region,
                          enum path_kind kind);

/*
 * The path of a call that was entered with a call stack (`context`), from the path `parent`, whose
 * region is `around`. The functions of the stack between the two regions are part of the path.
 */
uint32_t view_paths_call(struct view_paths *p, const struct defs *d, uint32_t parent,
                         uint32_t around, uint32_t context, enum path_kind kind);

uint32_t view_paths_root(struct view_paths *p, uint32_t region, enum path_kind kind);

/* The path of a calling context. NIL: there is no such context. */
uint32_t view_paths_context(struct view_paths *p, const struct defs *d, uint32_t context);

#endif
