/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One chunked file for reading, plain or compressed, through a window of memory.
 *
 * The file is not kept open and not mapped: an archive may have more locations than a process may
 * have descriptors, and a file that somebody cuts while it is read must be an error, not SIGBUS.
 * A window is no larger than the file, so memory stays in proportion to it.
 *
 * One thread at a time uses a file.
 */
#ifndef READER_CHUNKS_H
#define READER_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_GeneralDefinitions.h>

struct otf2_block_index; /* where each chunk lies in a compressed file */
struct otf2_pieces;      /* where the bytes lie in a container */

struct otf2_chunks {
    char *path;
    uint64_t file_bytes;  /* on disk when it was opened */
    uint64_t chunk_bytes; /* of all chunks but the last */
    uint64_t n_chunks;    /* at least 1 */
    uint64_t last_bytes;  /* of the last chunk, unpacked */
    uint8_t *window;      /* OTF2_DEF_SLACK zeroes stand behind its bytes */
    uint64_t window_room;
    uint64_t window_most;  /* room for a plain file's bytes, but for a record that needs more */
    uint64_t window_chunk; /* what it holds: bytes [window_at, + window_bytes) of that chunk */
    uint64_t window_at;
    uint64_t window_bytes;
    struct otf2_block_index *blocks;  /* NULL: a plain file */
    const struct otf2_pieces *pieces; /* NULL: a file of its own */
};

/*
 * Prepares to read a file; `path` is copied. Errors are reported here and leave nothing to close:
 * those of errno (no such file, no permission), OTF2_ERROR_INVALID_DATA for an empty file or one
 * whose blocks are malformed, OTF2_ERROR_INVALID_SIZE_GIVEN for a chunk size out of range. Nothing
 * of a plain file is read yet.
 */
OTF2_ErrorCode otf2_chunks_open(struct otf2_chunks *f, const char *path, uint64_t chunk_bytes,
                                OTF2_Compression compression);

/*
 * The same for bytes in a container, which are not compressed. `path` is the file's name in
 * messages; the pieces must live as long as this.
 */
OTF2_ErrorCode otf2_chunks_open_pieces(struct otf2_chunks *f, const char *path,
                                       const struct otf2_pieces *pieces, uint64_t chunk_bytes);

void otf2_chunks_close(struct otf2_chunks *f);

/* Of that many files that are read in turns, each with a window: all together get 512 MiB. */
void otf2_chunks_share(struct otf2_chunks *f, uint64_t n_files);

/* Bytes of chunk k < n_chunks. */
static inline uint64_t otf2_chunks_size(const struct otf2_chunks *f, uint64_t k)
{
    return k + 1 < f->n_chunks ? f->chunk_bytes : f->last_bytes;
}

/*
 * Makes bytes [at, at + want) of chunk k available, fewer where the chunk ends, usually more:
 * *bytes and *n say where and how many. They stay until the next call. Errors are reported here.
 */
OTF2_ErrorCode otf2_chunks_get(struct otf2_chunks *f, uint64_t k, uint64_t at, uint64_t want,
                               const uint8_t **bytes, uint64_t *n);

#endif
