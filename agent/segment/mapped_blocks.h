/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The blocks of the segment file (session/segment.h), mapped in steps. A block gets its space on
 * the disk piece by piece, each piece before the first access. So a process or a thread with few
 * records takes little space, and a full disk is an error and never SIGBUS. Kernels before Linux
 * 5.14 need a descriptor for each piece; on such kernels all blocks but the first get their space
 * as a whole.
 *
 * For agent/segment/buffer.c alone, and under its lock. Numbers of blocks are as in the file.
 */
#ifndef SPUR_MAPPED_BLOCKS_H
#define SPUR_MAPPED_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "session/segment.h"

/* Space of a block when the block is handed out. */
enum { SPUR_BLOCK_FIRST_BYTES = 4 << 10 };

/*
 * Create the file, and map it. The header has its space. Block 0 counts as if space were allocated
 * up to SPUR_SLOTS_OFFSET. 0 or -errno.
 */
int spur_blocks_open(const char *dir, uint64_t block_bytes);
void spur_blocks_forget(void);

const char *spur_blocks_path(void);
/* Size of the mapped part of the file. */
uint64_t spur_blocks_bytes(void);

/* Space for a stretch of block 0 that spur_block_reach() does not count. 0 or -errno. */
int spur_blocks_space(uint64_t at, uint64_t bytes);

/* The first byte of a block; NULL: no block has the number. */
char *spur_block_at(uint32_t block);
/* The number of the block at an address; 0: no block. */
uint32_t spur_block_of(const void *at);

/*
 * 0: no block, see spur_blocks_error(). A fresh block is zero, a recycled block is not. `is_many`:
 * the block is for a thread that has filled a block before. Then the block begins with more space
 * if more space is cheap.
 */
uint32_t spur_block_take(bool is_many);
void spur_block_give(uint32_t block);

/* The bytes of the block that have space. */
uint64_t spur_block_space(uint32_t block);
/* False: no space up to `end`, a place within the block. */
bool spur_block_reach(uint32_t block, uint64_t end);
/* Get space for the next piece, up to `end` at least, if the disk has room. Returns the bytes of
 * the block that have space. */
uint64_t spur_block_widen(uint32_t block, uint64_t end);

/*
 * Give the space of the block back to the file system, if doing so now costs no more than at the
 * end: afterwards the bytes of the block are zero, without space. Otherwise nothing happens.
 */
void spur_block_drop(uint32_t block);

/* Why the last block or piece could not be had, -errno; 0: the last request succeeded. */
int spur_blocks_error(void);

/* Map `count` blocks ahead: taking one later needs no descriptor. Once. */
void spur_blocks_prepare(uint32_t count);

/* A private copy takes the place of each mapping; gathered events end at `gathered_end`. */
void spur_blocks_part(uint64_t gathered_end);

#endif
