/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The blocks that are recorded, from the call that takes them to the one that gives them back. Each
 * of both makes a record of the gauge of memory, whose attributes say which block it is, and where
 * the program took it.
 *
 * A block that is given back while nothing can be recorded, as in a pause, is recorded before the
 * next one. A child of fork() knows no blocks of its parent.
 */
#ifndef MEMORY_BLOCKS_H
#define MEMORY_BLOCKS_H

#include "wrappers/memory/memory_link.h"

/* Before the first block: of the stacks of calls that take blocks so many frames are recorded. */
void memory_blocks_start(uint32_t frames);

/* A process that records nothing else, such as a child of fork(), begins with its memory. */
void memory_process_begins(void);

/* As memory_recorder says. Any thread, also in signal handlers. */
bool memory_blocks_took(const void *p, const struct memory_block *block);
bool memory_blocks_gave(const void *p, struct memory_block *block);

#endif
