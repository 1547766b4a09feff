/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of spur marker: the texts, the markers of an archive, and the places that markers may
 * refer to.
 */
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
    uint64_t place; /* id of a definition; the kind: see scope */
    char *text;
    struct marker *next; /* of the same definition, in the order of the file */
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

/* All markers of the present archive, by group and then by category. */
struct markers {
    LIST(struct definition *) definitions;
    void *by_self; /* for tsearch(3) */
    void *by_name;
};

/*
 * Reads the markers of an archive; false: not all were read. The library has reported the reason.
 */
bool markers_read(struct markers *markers, OTF2_Reader *reader);

/*
 * Replaces the markers of the archive, leaving out the markers of removed definitions. False: a
 * failure, already reported by the library.
 */
bool markers_write(const struct markers *markers, OTF2_Reader *reader);

/* A new definition, NULL: the name is taken. */
struct definition *markers_define(struct markers *markers, OTF2_MarkerRef self, const char *group,
                                  const char *category, OTF2_MarkerSeverity severity);

/* An unused id for a definition. */
OTF2_MarkerRef markers_free_self(const struct markers *markers);

/* Adds a copy of a marker to a definition, or removes all markers of the definition. */
void markers_add(struct definition *definition, const struct marker *marker);
void markers_clear(struct definition *definition);

/* By group and then by category: the order of printing and writing. */
void markers_sort(struct markers *markers);

void markers_free(struct markers *markers);

/* ---- marker_places.c ---- */

/*
 * The places that a marker may refer to: the time span of the archive, and its definitions of the
 * markable kinds.
 */
struct places;

/* Reads the places; NULL: the archive's global definitions cannot be read, already reported. */
struct places *places_read(OTF2_Reader *reader);
void places_free(struct places *places);

/* Ends the program if the marker refers to something that the archive does not have. */
void places_check(const struct places *places, const struct marker *marker);

#endif
