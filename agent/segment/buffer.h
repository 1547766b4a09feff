/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The segment file of this process while it lives: blocks for events, slots for threads. Layout in
 * session/segment.h. Thread-safe; grows by allocated and mapped steps, never shrinks. Mappings are
 * not inherited by recording: a child of fork() calls spur_buffer_forget() and opens its own.
 */
#ifndef SPUR_BUFFER_H
#define SPUR_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/segment.h"

/* Create `segment` in the process directory `dir`. 0 or -errno. */
int spur_buffer_open(const char *dir, uint64_t block_bytes);
void spur_buffer_forget(void);

/*
 * In a child of fork(), made by a handler in the middle of a record: the child completes the record
 * in a copy of the mapping, since the file is the parent's.
 */
void spur_buffer_part(void);

/*
 * While files can still be opened: map blocks, to be handed out when files can be opened no longer.
 * The blocks take no space until they are handed out. Once.
 */
void spur_buffer_prepare(void);

/*
 * All is closed, and other processes may cut the file at any time. Threads that go on are still in
 * calls about which they wrote to their slots, and they will note there the end of the call. In
 * place of the slots such threads find private memory, all zero. The content of the file stays.
 */
void spur_buffer_leave(void);
/* Only the header and the gathered events are still needed: the disk gets the rest back. */
void spur_buffer_release(void);

/* Is there space for `bytes` gathered bytes? False: the disk is full. */
bool spur_buffer_gathers(uint64_t bytes);

/* The header; NULL before spur_buffer_open(). Borrowed. */
struct spur_segment *spur_buffer_segment(void);

/* A slot of the thread in state LIVE, all else zero; NULL when the disk is full. */
struct spur_slot *spur_buffer_slot_new(uint32_t thread);
void spur_buffer_slot_free(struct spur_slot *slot);

/*
 * A block for the events of `slot`, listed in the slot; NULL when the slot holds `limit` blocks
 * already or the disk is full. A fresh block is zero, a recycled block is not: the cursor tells the
 * valid part.
 */
void *spur_buffer_block_new(struct spur_slot *slot, uint32_t limit);
/*
 * The bytes of a block that have space: at least `at_least`, unless the disk is full; UINT64_MAX:
 * all. To be asked again when more bytes are needed.
 */
uint64_t spur_buffer_room(const void *block, uint64_t at_least);
/* The slot's oldest block becomes the newest. The slot has blocks; later no more are added. */
void spur_buffer_rotate(struct spur_slot *slot);

/* Why the last request got no block, -errno; 0: the slot has as many blocks as it may. */
int spur_buffer_error(void);

/*
 * The events of a block of the slot are in the thread's file, and the process ends: the space of
 * the block may go. Finishing takes a block of zeros for moved.
 */
void spur_buffer_block_drop(struct spur_slot *slot, const void *at);

/* All blocks of the slot go back. */
void spur_buffer_blocks_free(struct spur_slot *slot);

#endif
