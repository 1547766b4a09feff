/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of spur view. */
#ifndef TOOLS_VIEW_OPTIONS_H
#define TOOLS_VIEW_OPTIONS_H

#include "tools/view/view.h"

/* Ends the process on --help (status 0) and on wrong use (one line, status 2). */
void view_options_read(struct view_wish *wish, int argc, char **argv);

#endif
