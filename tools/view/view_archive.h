/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens an archive, and reads the events of a location by callbacks of its own. */
#ifndef TOOLS_VIEW_ARCHIVE_H
#define TOOLS_VIEW_ARCHIVE_H

#include "tools/view/view.h"

/* The anchor file of what a user names an archive by. Ends the process when there is none. */
const char *view_anchor(const char *path);

/* With its definitions, into `defs`. Ends the process when that cannot be done. */
OTF2_Reader *view_archive_open(const char *anchor, struct defs *defs);

/* Before the first location is read. */
void view_archive_select(OTF2_Reader *reader, const struct defs *defs);

/* Reads a location to its end. NULL, or why that was not possible. */
const char *view_archive_read(OTF2_Reader *reader, const struct location *location,
                              const OTF2_EvtReaderCallbacks *callbacks, void *user,
                              void (*progress)(void *user, uint64_t n));

void view_archive_close(OTF2_Reader *reader);

#endif
