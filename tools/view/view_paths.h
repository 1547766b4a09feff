/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call paths: a region, and the path that it was called from, which has a smaller number. Roots
 * have none.
 */
#ifndef TOOLS_VIEW_PATHS_H
#define TOOLS_VIEW_PATHS_H

#include "tools/view/view.h"

enum path_kind {
    PATH_CALL,   /* it was entered and left */
    PATH_STACK,  /* it was seen on call stacks, of samples */
    PATH_AROUND, /* and of calls that were entered with theirs */
    PATH_ALONE,  /* a barrier of a team of one thread, which waits for nobody */
};

struct view_path {
    uint32_t parent; /* NIL: a root */
    uint32_t region;
    uint64_t hash;   /* of its regions: the same however paths are numbered */
    uint32_t recent; /* the child that was asked for last; NIL: none yet */
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
 * The path of a region that is called from another path. It always ends with this region, so that
 * numbers of regions depend neither on the depth nor on the number of paths: a path that would be
 * too deep leaves out what is between the limit and its region, one too many all below its root.
 */
uint32_t view_paths_child(struct view_paths *p, uint32_t parent, uint32_t region,
                          enum path_kind kind);

/*
 * The path of a call that was entered with its call stack, a context, from a path whose region is
 * `around`: in between are the functions that the stack has there.
 */
uint32_t view_paths_call(struct view_paths *p, const struct defs *d, uint32_t parent,
                         uint32_t around, uint32_t context, enum path_kind kind);

uint32_t view_paths_root(struct view_paths *p, uint32_t region, enum path_kind kind);

/* The path of a calling context. NIL: there is no such context. */
uint32_t view_paths_context(struct view_paths *p, const struct defs *d, uint32_t context);

#endif
