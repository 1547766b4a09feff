/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a path to events. What cannot be read at all ends the process with a line that names it; if
 * events cannot be read to their end, x->trouble says why.
 */
#ifndef TOOLS_EXPORT_ARCHIVE_H
#define TOOLS_EXPORT_ARCHIVE_H

#include <otf2/otf2.h>

#include "tools/export/export.h"

/* Opens the archive x->wish.path, DIR or its .otf2 file, and reads its definitions. */
OTF2_Reader *archive_open(struct export *x);

/* Reads all events through the callbacks of export_pass.h, and closes it. */
void archive_read(struct export *x, OTF2_Reader *reader);

#endif
