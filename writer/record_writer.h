/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the writers of definitions, snapshots, markers and thumbnails share: they put records by
 * descriptor (format/record.h) into a stream. One thread at a time uses a writer.
 */
#ifndef WRITER_RECORD_WRITER_H
#define WRITER_RECORD_WRITER_H

#include "format/record.h"
#include "writer/registry.h"
#include "writer/stream.h"

struct otf2_record_writer {
    struct otf2_node node; /* first, so that a node is its writer */
    struct otf2_stream stream;
    struct otf2_evt_cursor cursor; /* `events`: the number of records */
};

struct OTF2_DefWriter_struct {
    struct otf2_record_writer base;
};
struct OTF2_GlobalDefWriter_struct {
    struct otf2_record_writer base;
};
struct OTF2_SnapWriter_struct {
    struct otf2_record_writer base;
};
struct OTF2_MarkerWriter_struct {
    struct otf2_record_writer base;
};
struct OTF2_ThumbWriter_struct {
    struct otf2_record_writer base;
};

/*
 * A writer, to be released by otf2_record_writer_close. NULL after an error was reported.
 *   location  of local files, the number of a thumbnail, else OTF2_UNDEFINED_LOCATION.
 */
struct otf2_record_writer *otf2_record_writer_open(OTF2_Archive *archive, OTF2_FileType type,
                                                   OTF2_LocationRef location);
OTF2_ErrorCode otf2_record_writer_close(struct otf2_record_writer *w);

/*
 * Write *data, a struct of the record. OTF2_ERROR_INVALID_ARGUMENT for a NULL text, map, or array
 * that has members.
 */
OTF2_ErrorCode otf2_record_put(struct otf2_record_writer *w, const struct otf2_record *rec,
                               const void *data);
/* The same into a timed file. */
OTF2_ErrorCode otf2_record_put_at(struct otf2_record_writer *w, const struct otf2_record *rec,
                                  const void *data, OTF2_AttributeList *attributes,
                                  OTF2_TimeStamp time);

#endif
