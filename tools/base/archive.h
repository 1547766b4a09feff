/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An archive that is read: from what a user names to definitions and events. What cannot be read at
 * all ends the process with a line that names it; where a part cannot, `trouble` says why, and the
 * rest is read.
 */
#ifndef TOOLS_BASE_ARCHIVE_H
#define TOOLS_BASE_ARCHIVE_H

#include <otf2/otf2.h>

#include "tools/base/defs.h"

struct archive {
    const char *path; /* of the anchor file */
    OTF2_Reader *reader;
    const struct defs *defs;
    const char *trouble; /* the first; NULL: none */
    bool has_stopped;    /* for that */
    uint64_t n_events;   /* that were read */
    bool has_progress;   /* shown while they are; archive_open() sets it */
    /* Of several that read parts of it: whose location is whose, and which part this is; NULL: all.
     */
    const uint32_t *part_of;
    uint32_t part;
    OTF2_GlobalEvtReader *events; /* while they are read; NULL: there are none */
};

/* Opens the archive `path` (a directory, or its .otf2 file) and reads its definitions. */
void archive_open(struct archive *a, const char *path, struct defs *defs);

/* The line for what was read in part, since `trouble`; `done`: what was done with that part. */
void archive_say_part(const char *path, const char *trouble, const char *done);

/* The events of all locations, in the order of time. */
void archive_read(struct archive *a, const OTF2_GlobalEvtReaderCallbacks *callbacks, void *user);

/*
 * The same in steps: `most` more of them; how many there were. Fewer are left when it is less. A
 * part that cannot be read is in trouble.
 */
void archive_begin(struct archive *a, const OTF2_GlobalEvtReaderCallbacks *callbacks, void *user);
uint64_t archive_step(struct archive *a, uint64_t most);
void archive_end(struct archive *a);
uint64_t archive_events(const struct archive *a); /* as its definitions have it */

/* A reader of its own for one of several parts, which may be read at the same time. */
void archive_open_part(struct archive *a, const struct archive *whole, const struct defs *defs,
                       const uint32_t *part_of, uint32_t part);

/*
 * The events of one location after the other, in place of archive_read(): once archive_select(),
 * and of each location its definitions, which say how ids and times are meant, before its events.
 * Events are read from behind `position` of them until `progress`, which is told how many were read
 * (0: that was the end), is false. NULL, or why a part cannot be read. Several threads may do that,
 * each with an archive of its own.
 */
void archive_select(struct archive *a);
const char *archive_definitions(struct archive *a, const struct location *location);
const char *archive_location(struct archive *a, const struct location *location,
                             const OTF2_EvtReaderCallbacks *callbacks, uint64_t position,
                             bool (*progress)(void *user, uint64_t n), void *user);

/*
 * Which locations a user names: `list` has their numbers or names, or names of their processes, by
 * commas; NULL: all. One that is not there is wrong use. By location; to be freed.
 */
bool *archive_choice(const struct archive *a, const char *list);

void archive_close(struct archive *a);

/* A text of the anchor file, which is never freed; "": it has none. */
char *archive_text(const struct archive *a, OTF2_ErrorCode (*get)(OTF2_Reader *, char **));

/* A property that says more than "0"; NULL: there is none, or it does not. Never freed. */
const char *archive_property(const struct archive *a, const char *name);

#endif
