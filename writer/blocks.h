/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of a stream's chunks into a compressed file: a block (format/zblock.h) for each write,
 * one behind the other. Only three numbers are kept between writes, so that any number of writers
 * needs the memory of a single writer. Functions return 0 or -errno, as in writer/file.h.
 */
#ifndef WRITER_BLOCKS_H
#define WRITER_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/file.h"

struct otf2_blocks_end {
    uint64_t at;       /* size of the file */
    uint32_t previous; /* compressed size of the last block */
};

struct otf2_blocks {
    bool is_used;
    struct otf2_blocks_end filed;
    struct otf2_blocks_end agreed; /* with the program's consent */
};

/*
 * Write the parts as a single block, or as many blocks as chunks are needed. A failure changes
 * nothing.
 */
int otf2_blocks_write(struct otf2_blocks *b, const OTF2X_FileCallbacks *files, const char *path,
                      uint64_t chunk_bytes, const struct otf2_bytes *parts, size_t n);

/* All blocks now in the file may stay. */
void otf2_blocks_agree(struct otf2_blocks *b);

/* Cut off the blocks that may not stay. */
void otf2_blocks_cut(struct otf2_blocks *b, const OTF2X_FileCallbacks *files, const char *path);

/*
 * Put the end of file behind the last record of the last block, since no chunk will follow. If the
 * write fails, the file is left unchanged.
 */
void otf2_blocks_end_early(struct otf2_blocks *b, const OTF2X_FileCallbacks *files,
                           const char *path, uint64_t chunk_bytes);

#endif
