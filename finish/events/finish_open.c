/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/events/finish_open.h"

#include "finish/state/finish_chunk.h"

enum { NESTING_MAX = 1 << 16 };

static void follow(void *data, const struct finish_chunk *chunk, const uint8_t *at)
{
    struct finish_open *open = data;
    (void)at;
    if (chunk->opens) {
        if (open->depth < SPUR_SLOT_REGIONS)
            open->region[open->depth] = chunk->word;
        open->depth += open->depth < NESTING_MAX;
    } else if (chunk->closes) {
        open->depth -= open->depth > 0;
    }
}

void finish_open_follow(struct finish_open *open, const uint8_t *chunk, uint64_t n)
{
    struct finish_chunk walked;
    open->depth = open->depth < NESTING_MAX ? open->depth : NESTING_MAX;
    (void)finish_chunk_walk(chunk, n, &walked, open, follow);
}
