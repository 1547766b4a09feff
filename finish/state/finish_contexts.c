/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/state/finish_contexts.h"

#include <string.h>

#include "base/mem.h"

bool finish_contexts_add(struct finish_contexts *contexts, uint32_t parent, uint32_t region,
                         uint32_t depth)
{
    enum { FIRST_ROOM = 256 };
    if (contexts->n == contexts->room) {
        size_t room = contexts->room ? 2 * contexts->room : FIRST_ROOM;
        struct finish_context *more = spur_mem_new(room * sizeof *more);
        if (!more)
            return false;
        if (contexts->n)
            memcpy(more, contexts->at, contexts->n * sizeof *more);
        spur_mem_free(contexts->at, contexts->room * sizeof *more);
        contexts->at = more;
        contexts->room = room;
    }
    contexts->at[contexts->n++] = (struct finish_context){parent, region, depth};
    return true;
}

void finish_contexts_free(struct finish_contexts *contexts)
{
    spur_mem_free(contexts->at, contexts->room * sizeof *contexts->at);
    *contexts = (struct finish_contexts){0};
}
