/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that the ranks of a host read from each other directly, without messages. Each rank has a
 * file of memory (memfd), and each piece of common memory has a place in the file. Another rank
 * opens the file through the rank's number in /proc, and maps the pieces to be read. Ranks on
 * different hosts, and processes that see a different /proc, cannot do so: they use messages.
 *
 * Threads see each other's memory anyway: common memory is for ranks. Where a rank has several
 * threads, each thread is a worker with a file of its own. Only the same thread may change and free
 * the memory of its file.
 */
#ifndef TOOLS_ENGINE_COMMON_H
#define TOOLS_ENGINE_COMMON_H

#include "tools/engine/engine.h"

enum { COMMON_LEAST = 1 << 16 /* bytes: sharing smaller pieces costs more time than messages */ };

/*
 * Returns memory at the beginning of a page, filled with zeros. `old`, a piece of common memory or
 * NULL, grows to `bytes`: its content stays, and its address may change. `most`: the limit of the
 * piece's bytes for ever, the same in each call. NULL: the system gives no common memory, and `old`
 * is unchanged.
 */
void *common_grow(void *old, size_t bytes, size_t most);

/*
 * Memory from malloc() is free()d. The content of a piece stays for workers that have mapped the
 * piece.
 */
void common_free(void *memory);

/* The place of a piece in the file of memory. COMMON_NOWHERE: the piece is no common memory. */
#define COMMON_NOWHERE UINT64_MAX
uint64_t common_place(const void *memory);

/*
 * In meet(), once, by all workers: finds out which workers can see each other's memory. Until then
 * no worker sees any. Once a rank has told the place of a piece, the rank may not change the piece
 * any more.
 */
void common_meet(struct engine *engine);

/* Whether the given worker and the calling worker see each other's memory. */
bool common_is_seen(unsigned worker);

/*
 * The leader of a worker: the first worker of the group in which all workers see each other's
 * memory. A message for the whole group goes to the leader.
 */
unsigned common_leader(unsigned worker);

/*
 * A piece of a visible worker's memory, by its place; read only. The piece stays mapped until the
 * process ends.
 */
void *common_view(unsigned worker, uint64_t place, size_t bytes);

#endif
