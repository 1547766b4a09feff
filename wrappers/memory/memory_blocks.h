/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorded blocks, from the call that takes a block to the call that gives the block back. Each
 * of both calls makes a record of the gauge of memory. Attributes of the record name the block, and
 * the place where the program took the block.
 *
 * The return of a block while nothing can be recorded, as in a pause, is recorded before the next
 * record of a block. A child of fork() knows no blocks of its parent.
 */
#ifndef MEMORY_BLOCKS_H
#define MEMORY_BLOCKS_H

#include "wrappers/memory/memory_link.h"

/* Before the first block: the number of frames to record of the stacks of calls that take
 * blocks. */
void memory_blocks_start(uint32_t frames);

/* A process without further records, such as a child of fork(), begins with its memory. */
void memory_process_begins(void);

/* As memory_recorder says. Any thread, also in signal handlers. */
bool memory_blocks_took(const void *p, const struct memory_block *block);
bool memory_blocks_gave(const void *p, struct memory_block *block);

#endif
