/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/snap_reader.h"

#define READER_KIND Snap
#define IS_REFUSED(location) false
#define READER_FIELD snap
#define TIME_OF(reader) ((reader)->stream.time)
#include "reader/global_reader_functions.h"

/* The key of what a source has next, after a step of it. */
static uint64_t look(OTF2_GlobalSnapReader *g, uint64_t i, enum otf2_snap_step step)
{
    OTF2_SnapReader *s = g->sources[i].reader;
    if (step <= OTF2_SNAP_INTERRUPTED)
        step = otf2_snap_find(s);
    if (step == OTF2_SNAP_DELIVERED)
        return otf2_merge_key(&g->merge, s->stream.time, i);
    return end_source(g, i, step == OTF2_SNAP_FAILED);
}

static void begin(OTF2_GlobalSnapReader *g)
{
    for (uint64_t i = 0; i < g->n; i++) {
        if (!g->sources[i].reader)
            continue;
        g->sources[i].is_live = true;
        look(g, i, OTF2_SNAP_DELIVERED);
    }
    g->is_begun = true;
}

OTF2_ErrorCode OTF2_GlobalSnapReader_ReadSnapshots(OTF2_GlobalSnapReader *reader,
                                                   uint64_t recordsToRead, uint64_t *recordsRead)
{
    if (!reader || !recordsRead)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    enum otf2_snap_step end = OTF2_SNAP_DELIVERED;
    uint64_t n = 0;
    while (n < recordsToRead && end == OTF2_SNAP_DELIVERED && settle(reader) &&
           !reader->has_failed) {
        uint64_t i = otf2_merge_source(&reader->merge, reader->merge.winner);
        end = otf2_snap_step(reader->sources[i].reader, reader);
        n += end <= OTF2_SNAP_INTERRUPTED;
        otf2_merge_replace(&reader->merge, i, look(reader, i, end));
    }
    *recordsRead = n;
    return result_of(reader, recordsToRead > 0, end == OTF2_SNAP_INTERRUPTED);
}
