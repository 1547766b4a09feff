/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The blocks of the segment file (session/segment.h), mapped in steps. A block gets its space on
 * the disk piece by piece, each before it is touched: a process or a thread that records little
 * takes little, and a full disk is an error and never SIGBUS. Kernels before Linux 5.14 need a
 * descriptor for that; there all blocks but the first get their space as a whole.
 *
 * For agent/segment/buffer.c alone, and under its lock. Numbers of blocks are as in the file.
 */
#ifndef SPUR_MAPPED_BLOCKS_H
#define SPUR_MAPPED_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "session/segment.h"

/* Space that a block has when it is handed out. */
enum { SPUR_BLOCK_FIRST_BYTES = 4 << 10 };

/*
 * Create the file, and map it. The header has its space. Block 0 counts as if it had space up to
 * SPUR_SLOTS_OFFSET. 0 or -errno.
 */
int spur_blocks_open(const char *dir, uint64_t block_bytes);
void spur_blocks_forget(void);

const char *spur_blocks_path(void);
/* Of the file, as it is mapped. */
uint64_t spur_blocks_bytes(void);

/* Space for a stretch of block 0 that spur_block_reach() does not know. 0 or -errno. */
int spur_blocks_space(uint64_t at, uint64_t bytes);

/* Its first byte; NULL: there is no such block. */
char *spur_block_at(uint32_t block);
/* The other way; 0: it is no block. */
uint32_t spur_block_of(const void *at);

/*
 * 0: there is none, see spur_blocks_error(). A fresh block is zero, a recycled one is not.
 * `is_many`: it is for a thread that has filled one. It begins with more space if that is cheap.
 */
uint32_t spur_block_take(bool is_many);
void spur_block_give(uint32_t block);

/* So many bytes have their space. */
uint64_t spur_block_space(uint32_t block);
/* False: there is no space up to `end`, which is in the block. */
bool spur_block_reach(uint32_t block, uint64_t end);
/* The next piece, up to `end` at least, if there is space for it. Returns the space it has. */
uint64_t spur_block_widen(uint32_t block, uint64_t end);

/*
 * The file system gets the space of the block back, if that costs no more than doing so at the end:
 * its bytes are zero then, and it has no space. Else nothing happens.
 */
void spur_block_drop(uint32_t block);

/* Why the last block or piece was not there, -errno; 0: the last one was. */
int spur_blocks_error(void);

/* Map so many blocks ahead that are had without a descriptor. Once. */
void spur_blocks_prepare(uint32_t count);

/* A private copy takes the place of each mapping; what is gathered ends at `gathered_end`. */
void spur_blocks_part(uint64_t gathered_end);

#endif
