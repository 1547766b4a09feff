/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The beginning of a location of which only the newest chunks were kept (SPUR_FLUSH=ring). What was
 * open when the first of them was begun need not have been noted: it is what the kept events close,
 * and below that, as deep as it was then, what is still open at the end. Where it cannot be told
 * (nested deeper than a slot remembers, and never left) a region is undefined.
 */
#ifndef SPUR_FINISH_RING_H
#define SPUR_FINISH_RING_H

#include "finish/events/finish_out.h"

/* Where the kept chunks lie, the oldest first. */
struct finish_chunks {
    const char *path;
    uint64_t n;
    uint64_t *at;   /* offsets in the file */
    uint64_t bytes; /* of the last chunk; all others are whole */
    uint64_t depth; /* of what was open before the first one; of the chunks of a slot */
    uint8_t *block; /* f->block_bytes, to work with */
};

/*
 * Write the file `out` of the location `id` anew: first what was open, by synthesised events that
 * `mark` marks, then the chunks but the last, with new numbers. The last one stays in
 * chunks->block, with its number; *used are its bytes. The process's `slot`, or NULL if the last
 * chunk is the end of a closed file. Sets t->dropped. 0 or -errno.
 */
int finish_ring(struct finish *f, struct finish_process *p, struct finish_thread *t, uint64_t id,
                struct finish_out *out, const struct finish_chunks *chunks,
                const struct spur_slot *slot, uint64_t *used);

#endif
