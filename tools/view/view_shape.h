/* SPDX-License-Identifier: BSD-3-Clause */
/* How much is shown of an archive, and how finely. */
#ifndef TOOLS_VIEW_SHAPE_H
#define TOOLS_VIEW_SHAPE_H

#include "tools/view/view_part.h"

/* Which locations; before the rows are made. */
void view_shape_choose(struct view *v);

/* Buckets for the page, or for columns of a terminal; and what is shown as it was. */
void view_shape_page(struct view *v);
void view_shape_text(struct view *v, uint32_t columns);

/* Whether the trace is longer, or much shorter, than the definitions say: then they are corrected.
 */
bool view_shape_correct(struct view *v, const struct view_part *p);

#endif
