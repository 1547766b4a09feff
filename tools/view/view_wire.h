/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a part has found as bytes, for workers that are processes: its rows, and what is joined. The
 * bytes are for the same program on the same kind of processor.
 */
#ifndef TOOLS_VIEW_WIRE_H
#define TOOLS_VIEW_WIRE_H

#include "tools/engine/engine.h"
#include "tools/view/view_part.h"

void view_wire_put(const struct view_part *p, struct engine_bytes *to);

/* Makes a part of bytes, for view_part_join(); its rows are put into those of the view. */
void view_wire_get(struct view_part *p, struct view *v, const void *bytes);

#endif
