/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that the ranks of a host can look at, so that they need no messages for it. A rank has one
 * file of memory (memfd), in which each piece of this memory has a place. The others open that file
 * by the rank's number in /proc, and map what they want to see. Where they cannot (another host, or
 * processes that see different /proc), messages are left.
 *
 * Threads see each other's memory anyway: this is for ranks. Where a rank has several threads, each
 * of them is a worker with a file of its own, and its memory is for this thread to change and to
 * free.
 */
#ifndef TOOLS_ENGINE_COMMON_H
#define TOOLS_ENGINE_COMMON_H

#include "tools/engine/engine.h"

enum { COMMON_LEAST = 1 << 16 /* bytes: smaller pieces cost more than they save */ };

/*
 * Zeros, at the beginning of a page. `old`, of this memory or NULL, grows to `bytes`; what it holds
 * stays, and it may move. `most`: the bytes that it may ever have, the same each time. NULL: this
 * system gives no such memory, and `old` is as it was.
 */
void *common_grow(void *old, size_t bytes, size_t most);

/* What is other memory is free()d. What others may look at they keep. */
void common_free(void *memory);

/* Where a piece of this memory is. COMMON_NOWHERE: it is other memory. */
#define COMMON_NOWHERE UINT64_MAX
uint64_t common_place(const void *memory);

/*
 * In meet(), once, by all workers: finds out who looks at whose memory. Until then nobody does.
 * What a rank has may not change any more once it has told the place.
 */
void common_meet(struct engine *engine);

/* Whether a worker and this one look at each other's memory. */
bool common_is_seen(unsigned worker);

/*
 * The first of the workers that see each other's memory, of which this worker is one: what comes as
 * a message comes to the first one, for all of them.
 */
unsigned common_leader(unsigned worker);

/* A piece of a worker that is seen, at its place; to read. It is there until the process ends. */
void *common_view(unsigned worker, uint64_t place, size_t bytes);

#endif
