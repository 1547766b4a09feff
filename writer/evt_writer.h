/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WRITER_EVT_WRITER_H
#define WRITER_EVT_WRITER_H

#include "writer/registry.h"
#include "writer/stream.h"

/* A place to go back to. It counts only as long as nothing was flushed since. */
struct otf2_rewind_point {
    uint32_t id;
    uint32_t chunk; /* in the stream's memory */
    uint64_t used;
    uint64_t n_filed;
    uint64_t events;
    OTF2_TimeStamp time;
};

struct OTF2_EvtWriter_struct {
    struct otf2_evt_cursor *cursor; /* own, or the caller's: OTF2X_EvtWriter_SetCursor */
    struct otf2_node node;
    bool is_listed; /* in the archive's registry */
    struct otf2_stream stream;
    struct otf2_evt_cursor own;
    void *user_data;
    struct otf2_rewind_point *points;
    uint32_t n_points;
    uint32_t room;
};

/* NULL after an error was reported. Not in the archive's registry yet. */
OTF2_EvtWriter *otf2_evt_writer_open(OTF2_Archive *archive, OTF2_LocationRef location);

/* What it holds is written, the writer is released; it is out of the registry already. */
OTF2_ErrorCode otf2_evt_writer_close(OTF2_EvtWriter *w);

#endif
