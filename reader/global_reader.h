/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A global reader, for those who call its callbacks. It reads the locations whose readers were open
 * when it was opened, merged by time, and closes these in the end. There are two, for events and
 * for snapshots; global_reader_functions.h has what they do alike.
 */
#ifndef READER_GLOBAL_READER_H
#define READER_GLOBAL_READER_H

#include "reader/callbacks.h"
#include "reader/merge.h"

#define GLOBAL_READER(Kind, kind)                                                                  \
    struct otf2_global_##kind##_source {                                                           \
        OTF2_##Kind##Reader *reader; /* NULL: the program has closed it */                         \
        bool is_live;                /* it is at a record */                                       \
    };                                                                                             \
    struct OTF2_Global##Kind##Reader_struct {                                                      \
        OTF2_Global##Kind##ReaderCallbacks callbacks;                                              \
        void *user_data;                                                                           \
        struct otf2_global_##kind##_source *sources; /* by the locations' ids */                   \
        uint64_t n;                                                                                \
        bool is_begun;   /* the sources are at their first records */                              \
        bool has_failed; /* `error` of a source, which was reported, is still to be returned */    \
        OTF2_ErrorCode error;                                                                      \
        struct otf2_merge merge;                                                                   \
    };

GLOBAL_READER(Evt, evt)
GLOBAL_READER(Snap, snap)
#undef GLOBAL_READER

#endif
