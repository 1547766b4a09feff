/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of the waits of a line: by their ends. */
#ifndef TOOLS_REPORT_CAUSES_ORDER_H
#define TOOLS_REPORT_CAUSES_ORDER_H

#include "tools/report/causes/causes_lines.h"

/*
 * Sorts them. They are almost in order: mostly, a location waits for one thing after the other. But
 * what each worker has told stands behind what the one before has. `room` is for half of them.
 */
void order_sort(struct release *waits, size_t n, struct release *room);

#endif
