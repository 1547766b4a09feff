/* SPDX-License-Identifier: BSD-3-Clause */
/* The calling contexts of the archive. */
#ifndef SPUR_FINISH_CONTEXTS_H
#define SPUR_FINISH_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The contexts of the archive, by id, as far as distances depend on them. */
struct finish_contexts {
    struct finish_context {
        uint32_t parent; /* a smaller id, or undefined */
        uint32_t region;
        uint32_t depth; /* 1 at the root */
    } * at;
    size_t n, room;
};

bool finish_contexts_add(struct finish_contexts *contexts, uint32_t parent, uint32_t region,
                         uint32_t depth);
void finish_contexts_free(struct finish_contexts *contexts);

#endif
