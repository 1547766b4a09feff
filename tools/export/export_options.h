/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of spur export. */
#ifndef TOOLS_EXPORT_OPTIONS_H
#define TOOLS_EXPORT_OPTIONS_H

#include "tools/export/export_formats.h"

/* Ends the process on --help (status 0) and on wrong use (one line, status 2). */
struct wish export_options(char **words);

#endif
