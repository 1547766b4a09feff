/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows in the order of the tree: hosts, in them processes, those that another one of the host has
 * started behind it, and in them locations. Groups are stretches of rows: hosts, when there are
 * several, and processes with those that they have started.
 */
#ifndef TOOLS_VIEW_TREE_H
#define TOOLS_VIEW_TREE_H

#include "tools/view/view.h"

void view_tree_make(struct view *v);

/* Gives groups of several rows their cells. */
void view_tree_sum(struct view *v);

#endif
