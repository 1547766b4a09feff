/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The blocks of a compressed .def, .evt or .snap file. Pure functions over the bytes of a file,
 * without knowledge of zlib (format/zcodec.h).
 *
 * A block is a header of 20 bytes and `compressed` bytes of data. A block holds a chunk; of the
 * last chunk only the used part. The second byte of the end of file, for which a full last chunk
 * has no room, is a separate block. So no block is larger than a chunk. The contents of the data:
 * format/zcodec.h.
 *
 * OTF2 1.x and 2.x meant the same but filled each block up to `uncompressed` bytes, with rubbish,
 * and allowed the last block a byte more than a chunk. Both forms are read.
 */
#ifndef FORMAT_ZBLOCK_H
#define FORMAT_ZBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OTF2_ZBLOCK_HEADER_BYTES = 20 };

struct otf2_zblock {
    uint32_t compressed;
    uint32_t uncompressed;
    uint32_t previous; /* `compressed` of the block before; 0 in the first */
};

/* Writes a header; returns the end of the header. */
uint8_t *otf2_zblock_put(uint8_t *p, const struct otf2_zblock *block);

/* Reads the header at `p`. */
struct otf2_zblock otf2_zblock_get(const uint8_t *p);

/* Whether a file with these first bytes consists of blocks; a plain file does not. */
bool otf2_zblock_begins(const uint8_t *bytes, size_t n);

/*
 * A walk through a file, block by block. Set size, chunk_bytes and either bytes or `header`, and
 * the rest to zero.
 */
struct otf2_zwalk {
    const uint8_t *bytes; /* the whole file; NULL: only headers are read, by the function */
    bool (*header)(void *from, uint64_t at, uint8_t bytes[OTF2_ZBLOCK_HEADER_BYTES]);
    void *from;
    size_t size;
    uint64_t chunk_bytes;
    size_t block_at; /* begin of the present block; after a fault, the place of the fault */
    size_t next_at;
    uint64_t unpacked; /* size of the plain file up to the end of this block */
    uint32_t previous;
};

/*
 * The next block of a file that is not at the end (next_at < size), and in *data the block's data,
 * borrowed; without bytes *data is NULL, and the data begin behind the header, at block_at. Returns
 * NULL, or the fault, in words. A returned block lies within the file. The unpacked size is at most
 * a chunk and one byte, and no more than zlib could have packed into the data. So the memory taken
 * for a block is in proportion to the file.
 */
const char *otf2_zwalk_next(struct otf2_zwalk *walk, struct otf2_zblock *block,
                            const uint8_t **data);

#endif
