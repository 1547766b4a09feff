/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The beginning of a location of which only the newest chunks were kept (SPUR_FLUSH=ring). The
 * regions open at the begin of the first kept chunk need not have been noted. The stack at this
 * time is built from the kept events: on top the regions that the kept events leave without an
 * enter; below, up to the noted depth, the regions still open at the end. A region is undefined if
 * both sources fail (nested deeper than a slot remembers, and never left).
 */
#ifndef SPUR_FINISH_RING_H
#define SPUR_FINISH_RING_H

#include "finish/events/finish_out.h"

/* The places of the kept chunks, the oldest first. */
struct finish_chunks {
    const char *path;
    uint64_t n;
    uint64_t *at;   /* offsets in the file */
    uint64_t bytes; /* of the last chunk; all others are whole */
    uint64_t depth; /* number of items open before the first chunk; of the chunks of a slot */
    uint8_t *block; /* f->block_bytes, to work with */
};

/*
 * Write the file `out` of the location `id` anew: first the open regions, by events marked as
 * synthesised, then all chunks but the last, with new numbers. The last chunk stays in
 * chunks->block, with its number; *used is its size in bytes. `slot`: the slot of the thread, or
 * NULL if the last chunk is the end of a closed file. Sets t->dropped. 0 or -errno.
 */
int finish_ring(struct finish *f, struct finish_process *p, struct finish_thread *t, uint64_t id,
                struct finish_out *out, const struct finish_chunks *chunks,
                const struct spur_slot *slot, uint64_t *used);

#endif
