/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The drawing of the system tree as otf2-print 3.2 draws it: a table for each node, with domains,
 * properties, ranks and metrics. Names stand there as they are: `&` and `<` are not escaped.
 */
#ifndef PRINT_GRAPH_H
#define PRINT_GRAPH_H

#include <stdio.h>

#include "format/record.h"

/* Takes what belongs to the drawing. */
void graph_add(enum otf2_def_index record, const void *data);
/* When all definitions are read: writes the drawing. */
void graph_write(FILE *file);

#endif
