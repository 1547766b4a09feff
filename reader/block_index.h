/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where each chunk lies in a compressed file. Made by reading the headers of its blocks only; the
 * memory that it takes is in proportion to the file. Belongs to the file that is read
 * (reader/chunk_window.h).
 */
#ifndef READER_BLOCK_INDEX_H
#define READER_BLOCK_INDEX_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>

struct otf2_block {
    uint64_t at; /* of its data in the file */
    uint32_t compressed;
    uint32_t uncompressed;
};

struct otf2_block_index {
    uint64_t n;
    uint64_t room;
    struct otf2_block *blocks;
};

/*
 * Walks an open file of `file_bytes`. NULL: it is malformed, cannot be read, or there is no memory,
 * which was reported as *error.
 */
struct otf2_block_index *otf2_block_index_new(int fd, const char *path, uint64_t file_bytes,
                                              uint64_t chunk_bytes, OTF2_ErrorCode *error);

void otf2_block_index_free(struct otf2_block_index *index); /* NULL is allowed */

#endif
