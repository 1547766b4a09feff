/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The snapshots of one location, and how they get to the program. There are few of them, so that
 * their records are decoded by the descriptors. Nothing is translated.
 */
#ifndef READER_SNAP_READER_H
#define READER_SNAP_READER_H

#include "reader/callbacks.h"
#include "reader/reader.h"
#include "reader/timed.h"

enum otf2_snap_step {
    OTF2_SNAP_DELIVERED,
    OTF2_SNAP_INTERRUPTED, /* delivered as well */
    OTF2_SNAP_ENDED,
    OTF2_SNAP_FAILED /* the stream's error is to be returned */
};

struct OTF2_SnapReader_struct {
    struct otf2_timed stream;
    OTF2_LocationRef id;
    OTF2_AttributeList attributes; /* of the record that is being delivered */
    struct otf2_location *location;
    OTF2_GlobalSnapReader *global; /* that reads these records; NULL: none */
    uint64_t source;               /* its number there */
    void *scratch;                 /* for the arrays of records */
    size_t scratch_bytes;
    void *user_data;
    OTF2_SnapReaderCallbacks callbacks;
};

/* Delivers the next record; `g` is NULL for the location's own callbacks. */
enum otf2_snap_step otf2_snap_step(OTF2_SnapReader *s, OTF2_GlobalSnapReader *g);

/* Goes to the next record: OTF2_SNAP_DELIVERED when there is one. */
enum otf2_snap_step otf2_snap_find(OTF2_SnapReader *s);

/* Out of the merge, without a word to the program. */
void otf2_global_snap_reader_forget(OTF2_GlobalSnapReader *g, OTF2_SnapReader *local);

#endif
