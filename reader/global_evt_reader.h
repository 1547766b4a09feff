/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The global event reader, for those who call its callbacks. It reads the locations whose event
 * readers were open when it was opened, and closes these in the end.
 */
#ifndef READER_GLOBAL_EVT_READER_H
#define READER_GLOBAL_EVT_READER_H

#include "reader/callbacks.h"
#include "reader/merge.h"

struct otf2_global_evt_source {
    OTF2_EvtReader *evt; /* NULL: the program has closed it */
    bool is_live;        /* it is at an event */
};

struct OTF2_GlobalEvtReader_struct {
    OTF2_GlobalEvtReaderCallbacks callbacks;
    void *user_data;
    struct otf2_global_evt_source *sources; /* by the locations' ids */
    uint64_t n;
    bool is_begun;   /* the sources are at their first events */
    bool has_failed; /* `error` of a source, which was reported, is still to be returned */
    OTF2_ErrorCode error;
    struct otf2_merge merge;
};

#endif
