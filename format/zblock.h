/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The blocks of a compressed .def, .evt or .snap file. Pure functions over its bytes; they know
 * nothing of zlib (format/zcodec.h).
 *
 * A block is a header of 20 bytes and `compressed` bytes of data. It holds one chunk, the last one
 * as far as it is used; the end of file's second byte, for which a full last chunk has no room, is
 * a block of its own. So no block is larger than a chunk. What the data is: format/zcodec.h.
 *
 * OTF2 1.x and 2.x meant the same but filled each block up to `uncompressed` bytes, with rubbish,
 * and let the last one have a byte more than a chunk. Both forms are read.
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

/* Writes a header; returns its end. */
uint8_t *otf2_zblock_put(uint8_t *p, const struct otf2_zblock *block);

/* Reads the header that begins there. */
struct otf2_zblock otf2_zblock_get(const uint8_t *p);

/* Whether a file that begins with these bytes consists of blocks; a plain one does not. */
bool otf2_zblock_begins(const uint8_t *bytes, size_t n);

/*
 * A file that is walked block by block. Set size, chunk_bytes and either bytes or `header`, and the
 * rest to zero.
 */
struct otf2_zwalk {
    const uint8_t *bytes; /* the whole file; NULL: only headers are read, by the function */
    bool (*header)(void *from, uint64_t at, uint8_t bytes[OTF2_ZBLOCK_HEADER_BYTES]);
    void *from;
    size_t size;
    uint64_t chunk_bytes;
    size_t block_at; /* where the block that was got begins; after a fault, where the fault is */
    size_t next_at;
    uint64_t unpacked; /* size of the plain file up to the end of this block */
    uint32_t previous;
};

/*
 * The next block of a file that is not at its end (next_at < size), and in *data its data,
 * borrowed; without bytes *data is NULL, and the data begin behind the header, at block_at. Returns
 * NULL, or what is wrong, in words. A block that is returned lies within the file. Its size when
 * unpacked is at most a chunk and one byte, and no more than zlib could have made its data of. So
 * the memory that is taken for it is in proportion to the file.
 */
const char *otf2_zwalk_next(struct otf2_zwalk *walk, struct otf2_zblock *block,
                            const uint8_t **data);

#endif
