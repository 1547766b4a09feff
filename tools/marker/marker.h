/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of spur marker: its texts, the markers of an archive, and the places they may be at. */
#ifndef MARKER_MARKER_H
#define MARKER_MARKER_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/options.h"

#define PROGRAM "spur marker"

/* ---- marker_list.c ---- */

struct marker {
    OTF2_TimeStamp timestamp;
    OTF2_TimeStamp duration;
    OTF2_MarkerScope scope;
    uint64_t place; /* the id of what the scope says */
    char *text;
    struct marker *next; /* of its definition, as they stand in the file */
};

struct definition {
    OTF2_MarkerRef self;
    char *group;
    char *category;
    OTF2_MarkerSeverity severity;
    bool is_removed;
    struct marker *first;
    struct marker **end;
};

/* All markers of the archive that is being worked on, by group and then by category. */
struct markers {
    LIST(struct definition *) definitions;
    void *by_self; /* for tsearch(3) */
    void *by_name;
};

/* Reads the markers of an archive; false: not all of them, which the library has reported. */
bool markers_read(struct markers *markers, OTF2_Reader *reader);

/*
 * Writes them, those whose definition is removed excepted, in place of what the archive has. False
 * when that failed, which the library has reported.
 */
bool markers_write(const struct markers *markers, OTF2_Reader *reader);

/* A new definition, NULL when there is one of this name. */
struct definition *markers_define(struct markers *markers, OTF2_MarkerRef self, const char *group,
                                  const char *category, OTF2_MarkerSeverity severity);

/* An id that no definition has. */
OTF2_MarkerRef markers_free_self(const struct markers *markers);

/* Adds a copy of this marker to a definition, or removes all that it has. */
void markers_add(struct definition *definition, const struct marker *marker);
void markers_clear(struct definition *definition);

/* By group and then by category, as they are printed and written. */
void markers_sort(struct markers *markers);

void markers_free(struct markers *markers);

/* ---- marker_places.c ---- */

/* What may be marked: a span of time, and the definitions of some kinds. */
struct places;

/* Reads it; NULL when the archive's global definitions cannot be read, which has been reported. */
struct places *places_read(OTF2_Reader *reader);
void places_free(struct places *places);

/* Ends it when the marker is about something that the archive does not have. */
void places_check(const struct places *places, const struct marker *marker);

#endif
