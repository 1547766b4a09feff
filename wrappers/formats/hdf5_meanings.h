/* SPDX-License-Identifier: BSD-3-Clause */
/* What the rows of hdf5_calls.def mean: statements before and behind the real call. */
#ifndef HDF5_MEANINGS_H
#define HDF5_MEANINGS_H

#include "wrappers/formats/hdf5_emit.h"

/* clang-format off */
#define OPENS(path) hdf5_opens(&frame, path);
#define OPENED(path, flags, is_new) hdf5_opened(&frame, ret, path, flags, is_new);
#define REOPENS(file) struct hdf5_opening opening_ = hdf5_reopens(&frame, file);
#define REOPENED(file) hdf5_reopened(&frame, &opening_, ret);
#define DELETED(path) hdf5_deleted(&frame, path, ret);

#define OPENS_SET(loc, name) struct hdf5_opening opening_ = hdf5_opens_set(&frame, loc, name);
#define SET_OPENED(is_new) hdf5_set_opened(&frame, &opening_, ret, is_new);

#define CLOSES(id) const bool is_last_ = hdf5_closes(&frame, id);
#define CLOSED(id) hdf5_closed(&frame, id, is_last_ && ret >= 0);

#define MOVES_CHUNK(mode, set, transfer, bytes) \
    hdf5_moves(&frame, OTF2_IO_OPERATION_MODE_##mode, set, bytes, transfer);
#define MOVES(mode, set, type, memory, space, transfer) \
    MOVES_CHUNK(mode, set, transfer, \
                frame.loc ? hdf5_bytes(&frame, set, type, memory, space) : 0)
/*
 * H5Dread_chunk2(): *size is the room, and afterwards the bytes of the chunk, which is not read if the
 * room was too small. Without memory the call only asks for the size.
 */
#define ASKS_CHUNK(set, transfer, data, size) \
    const size_t room_ = size ? *size : 0; \
    if (data) { \
        hdf5_moves(&frame, OTF2_IO_OPERATION_MODE_READ, set, OTF2_UNDEFINED_UINT64, transfer); \
    } else { \
        hdf5_works(&frame, set); \
    }
#define CHUNK_ASKED(size) \
    if (ret >= 0 && size) \
        frame.operation.bytes = *size <= room_ ? *size : 0; \
    hdf5_moved(&frame, ret);
#define MOVES_MANY(mode, n, sets, types, memories, spaces, transfer) \
    struct hdf5_many many_ = hdf5_moves_many( \
        &frame, OTF2_IO_OPERATION_MODE_##mode, \
        &(struct hdf5_transfers){n, sets, types, memories, spaces, transfer});
#define MOVED_MANY hdf5_moved_many(&frame, &many_, ret);
#define FLUSHES(object) hdf5_flushes(&frame, object);
#define MOVED hdf5_moved(&frame, ret);
#define WORKS(object) hdf5_works(&frame, object);
#define RAN (void)format_ran(&frame);

#define STARTS(events) hdf5_starts(&frame, events);
#define WAITS(events, ends) const struct hdf5_waiting waiting_ = hdf5_waits(&frame, events, ends);
#define WAITED(not_cancelled) hdf5_waited(&frame, &waiting_, not_cancelled, ret);
/* clang-format on */

#endif
