/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An archive under analysis: from the user's name for the archive to definitions and events. If
 * nothing can be read at all, the process ends with a line that names the file. If a part is
 * unreadable, `trouble` gives the reason, and the rest is read.
 */
#ifndef TOOLS_BASE_ARCHIVE_H
#define TOOLS_BASE_ARCHIVE_H

#include <otf2/otf2.h>

#include "tools/base/defs.h"

struct archive {
    const char *path; /* path of the anchor file */
    OTF2_Reader *reader;
    const struct defs *defs;
    const char *trouble; /* the first trouble; NULL: no trouble */
    bool has_stopped;    /* reading has stopped because of trouble */
    uint64_t n_events;   /* events read so far */
    bool has_progress;   /* progress is shown while events are read; archive_open() sets this */
    /*
     * For readers of a part: the part of each location, and the number of the own part; NULL: all
     * locations.
     */
    const uint32_t *part_of;
    uint32_t part;
    OTF2_GlobalEvtReader *events; /* open while events are read; NULL: not open, or no events */
};

/* Opens the archive `path` (a directory, or its .otf2 file) and reads the definitions. */
void archive_open(struct archive *a, const char *path, struct defs *defs);

/*
 * Prints the line about an archive that was read only in part, because of `trouble`. `done`: the
 * work done with the part.
 */
void archive_say_part(const char *path, const char *trouble, const char *done);

/* Reads the events of all locations, in the order of time. */
void archive_read(struct archive *a, const OTF2_GlobalEvtReaderCallbacks *callbacks, void *user);

/*
 * The same in steps. A step reads at most `most` more events and returns their number; a smaller
 * number means the end. An unreadable part causes `trouble`.
 */
void archive_begin(struct archive *a, const OTF2_GlobalEvtReaderCallbacks *callbacks, void *user);
uint64_t archive_step(struct archive *a, uint64_t most);
void archive_end(struct archive *a);
uint64_t archive_events(const struct archive *a); /* according to the definitions */

/* A reader of its own for a part of the archive. Several parts may be read at the same time. */
void archive_open_part(struct archive *a, const struct archive *whole, const struct defs *defs,
                       const uint32_t *part_of, uint32_t part);

/*
 * The events of each location separately, in place of archive_read(). First comes archive_select(),
 * once. Then come, for each location, the local definitions, with the meaning of its ids and times,
 * and after them the location's events. `position` events are skipped. After each step `progress`
 * is told how many events were read (0: that was the end); reading stops when `progress` returns
 * false. Result: NULL, or the reason why a part cannot be read. Several threads may read at the
 * same time, each with an archive of its own.
 */
void archive_select(struct archive *a);
const char *archive_definitions(struct archive *a, const struct location *location);
const char *archive_location(struct archive *a, const struct location *location,
                             const OTF2_EvtReaderCallbacks *callbacks, uint64_t position,
                             bool (*progress)(void *user, uint64_t n), void *user);

/*
 * The locations chosen by a user. `list` has numbers or names of locations, or names of their
 * processes, separated by commas; NULL: all locations. An unknown location is wrong use. Indexed by
 * location; to be freed.
 */
bool *archive_choice(const struct archive *a, const char *list);

void archive_close(struct archive *a);

/* A text of the anchor file, never freed; "": the anchor file has no such text. */
char *archive_text(const struct archive *a, OTF2_ErrorCode (*get)(OTF2_Reader *, char **));

/* A property with a value other than "0"; NULL: the property is missing, or "0". Never freed. */
const char *archive_property(const struct archive *a, const char *name);

#endif
