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

/*
 * What tells how ids and times of a location are meant, once before its events. NULL, or why it
 * cannot be read. A location may have none.
 */
const char *view_archive_definitions(OTF2_Reader *reader, const struct location *location);

/*
 * Reads a location from behind so many events, until `progress`, which is told how many were read
 * (0: that was the end), is false. NULL, or why that was not possible.
 */
const char *view_archive_events(OTF2_Reader *reader, const struct location *location,
                                const OTF2_EvtReaderCallbacks *callbacks, uint64_t position,
                                bool (*progress)(void *user, uint64_t n), void *user);

void view_archive_close(OTF2_Reader *reader);

#endif
