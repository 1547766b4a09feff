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
 * In a child of fork() that a handler has made in the middle of a record: it goes on with that in a
 * copy, since the file is the parent's.
 */
void spur_buffer_part(void);

/*
 * As long as files can be opened: map blocks that later ones are taken of when they cannot. They
 * take no space before. Once.
 */
void spur_buffer_prepare(void);

/*
 * All is closed, and others may cut the file at any time. Threads that go on are still in calls
 * that they have said something of in their slots, and say there that it is over: they find memory
 * of their own, zero, where the slots were. What the file holds stays.
 */
void spur_buffer_leave(void);
/* Nothing but the header and what is gathered is needed any more: the disk gets the rest back. */
void spur_buffer_release(void);

/* Is there space for so many gathered bytes? False: the disk is full. */
bool spur_buffer_gathers(uint64_t bytes);

/* The header; NULL before spur_buffer_open(). Borrowed. */
struct spur_segment *spur_buffer_segment(void);

/* A slot of the thread in state LIVE, all else zero; NULL when the disk is full. */
struct spur_slot *spur_buffer_slot_new(uint32_t thread);
void spur_buffer_slot_free(struct spur_slot *slot);

/*
 * A block for the events of `slot`, listed there; NULL when the slot holds `limit` blocks already
 * or the disk is full. A fresh block is zero, a recycled one is not: the cursor tells what is
 * valid.
 */
void *spur_buffer_block_new(struct spur_slot *slot, uint32_t limit);
/*
 * How many bytes of a block have space: at least so many, unless the disk is full; UINT64_MAX: all.
 * It is asked again when these do not do.
 */
uint64_t spur_buffer_room(const void *block, uint64_t at_least);
/* The oldest block of the slot, which has some, becomes its newest; no more are added then. */
void spur_buffer_rotate(struct spur_slot *slot);

/* Why there was no block the last time, -errno; 0: the slot has as many as it may. */
int spur_buffer_error(void);

/*
 * The events of a block of the slot are in the thread's file, and the process ends: its space may
 * go. Finishing takes what is zero then for moved.
 */
void spur_buffer_block_drop(struct spur_slot *slot, const void *at);

/* All blocks of the slot go back. */
void spur_buffer_blocks_free(struct spur_slot *slot);

#endif
