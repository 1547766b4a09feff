/* SPDX-License-Identifier: BSD-3-Clause */
/* What kinds of regions there are, for their colours. */
#ifndef TOOLS_VIEW_REGIONS_H
#define TOOLS_VIEW_REGIONS_H

#include "tools/view/view.h"

const char *view_region_group(const struct defs *d, uint32_t region);

/* Fills view->waits and view->region_of. */
void view_regions_make(struct view *v);

/* NULL: there is no such collective operation. */
const char *view_op_name(uint32_t value);

#endif
