/* SPDX-License-Identifier: BSD-3-Clause */
/* The global snapshot reader, for those who call its callbacks; as global_evt_reader.h. */
#ifndef READER_GLOBAL_SNAP_READER_H
#define READER_GLOBAL_SNAP_READER_H

#include "reader/callbacks.h"
#include "reader/merge.h"

struct otf2_global_snap_source {
    OTF2_SnapReader *snap; /* NULL: the program has closed it */
    bool is_live;          /* it is at a record */
};

struct OTF2_GlobalSnapReader_struct {
    OTF2_GlobalSnapReaderCallbacks callbacks;
    void *user_data;
    struct otf2_global_snap_source *sources; /* by the locations' ids */
    uint64_t n;
    bool is_begun;   /* the sources are at their first records */
    bool has_failed; /* `error` of a source, which was reported, is still to be returned */
    OTF2_ErrorCode error;
    struct otf2_merge merge;
};

#endif
