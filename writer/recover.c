/* SPDX-License-Identifier: BSD-3-Clause */
/* Going on with the events of a dead process: include/otf2x/otf2x.h. */
#include <errno.h>
#include <string.h>

#include <otf2x/otf2x.h>

#include "format/error.h"
#include "format/memory.h"
#include "writer/archive_state.h"
#include "writer/chunk.h"
#include "writer/evt_writer.h"
#include "writer/file.h"

OTF2_ErrorCode OTF2X_EvtWriter_SetCursor(OTF2_EvtWriter *writer, struct otf2_evt_cursor *place)
{
    if (!writer || !place)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no writer, or no place for its cursor");
    if (writer->cursor->chunk)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "the writer has events already");
    *place = *writer->cursor;
    writer->cursor = place;
    writer->stream.cursor = place;
    writer->stream.is_durable = true;
    return OTF2_SUCCESS;
}

/* The number of the last record in the file's last whole chunk, and its time. */
static OTF2_ErrorCode read_last(OTF2_EvtWriter *w, uint64_t *n_chunks,
                                struct otf2_chunk_content *last)
{
    char path[4096];
    uint64_t bytes = 0;
    struct otf2_stream *s = &w->stream;
    if (!otf2_archive_file(s->archive, s->type, s->location, path, sizeof path))
        return OTF2_ERROR(OTF2_ERROR_ENAMETOOLONG, "%s: path too long", s->archive->path);
    int err = otf2_file_size(s->archive->files, path, &bytes);
    *n_chunks = bytes / s->chunk_bytes;
    if (err == -ENOENT || (!err && !bytes))
        return OTF2_SUCCESS;
    if (!err && bytes % s->chunk_bytes)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "%s: ends inside a chunk", path);
    uint8_t *chunk = err ? NULL : otf2_mem_new(s->chunk_bytes);
    if (chunk)
        err =
            otf2_file_read(s->archive->files, path, bytes - s->chunk_bytes, chunk, s->chunk_bytes);
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (err)
        error = OTF2_ERROR(otf2_error_from_errno(-err), "%s: cannot read", path);
    else if (!chunk)
        error = OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a chunk");
    else if (!otf2_chunk_walk(chunk, s->chunk_bytes, last))
        error = OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "%s: its last chunk is damaged", path);
    otf2_mem_free(chunk);
    return error;
}

static OTF2_ErrorCode adopt(OTF2_EvtWriter *writer, const void *chunk, uint64_t used)
{
    uint64_t n_chunks = 0;
    struct otf2_chunk_content walk = {0};
    if (writer->stream.held.is_used)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "there is nothing to adopt in a container");
    OTF2_ErrorCode error = read_last(writer, &n_chunks, &walk);
    if (error)
        return error;
    if (used) {
        uint64_t before = walk.last;
        if (!otf2_chunk_walk(chunk, used, &walk) || walk.first != before + 1)
            return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "the chunk is damaged");
    }
    error = otf2_stream_adopt(&writer->stream, n_chunks, chunk, used);
    if (error)
        return error;
    writer->cursor->time = walk.time;
    writer->cursor->events = walk.last;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2X_EvtWriter_Adopt(OTF2_EvtWriter *writer, const void *chunk, uint64_t used)
{
    if (!writer || (used && !chunk) || used > writer->stream.chunk_bytes)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no writer, or no chunk");
    if (writer->cursor->chunk || writer->stream.n_filed)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "the writer has events already");
    if (writer->stream.blocks.is_used)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "the archive is compressed");
    OTF2_ErrorCode error = adopt(writer, chunk, used);
    writer->stream.is_refused = error != OTF2_SUCCESS;
    return error;
}

OTF2_ErrorCode OTF2X_EvtWriter_Recycle(OTF2_EvtWriter *writer, bool is_written, void **chunk)
{
    if (!writer || !chunk)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no writer, or no place for the chunk");
    return otf2_stream_recycle(&writer->stream, is_written, chunk);
}

OTF2_ErrorCode OTF2X_SealChunk(void *chunk, uint64_t chunk_bytes, uint64_t used, uint64_t *last)
{
    struct otf2_chunk_content walk = {0};
    if (!chunk || !last || used > chunk_bytes)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no chunk, or more used than it has");
    if (!otf2_chunk_walk(chunk, used, &walk))
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "the chunk is damaged");
    otf2_chunk_put_last(chunk, walk.last);
    memset((char *)chunk + used, 0, chunk_bytes - used);
    *last = walk.last;
    return OTF2_SUCCESS;
}
