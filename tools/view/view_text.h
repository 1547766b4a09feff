/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture in a terminal: a line for each location or group of them, a column for each stretch
 * of time. A letter and a colour stand for the region that took most of the stretch.
 */
#ifndef TOOLS_VIEW_TEXT_H
#define TOOLS_VIEW_TEXT_H

#include "tools/view/view_part.h"

/* How many stretches of time there is room for. */
uint32_t view_text_columns(const struct view *v);

void view_text_write(const struct view *v, const struct view_part *p, FILE *out);

#endif
