/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of the memory of a process, behind the last of its events. */
#ifndef CHECK_MEMORY_LAST_H
#define CHECK_MEMORY_LAST_H

#include <stdint.h>

#include "tools/base/node_table.h"

/* What the attributes of a value of memory say of a block. */
enum memory_said {
    MEMORY_SAID_TAKEN,
    MEMORY_SAID_TAKEN_AT,
    MEMORY_SAID_GIVEN,
    MEMORY_SAID_GIVEN_AT,
    MEMORY_SAID
};
#define NO_MEMORY_ATTRIBUTE UINT64_MAX

/* What is held of the heap, and what is mapped past it: each with the most until then. */
enum { MEMORY_KINDS = 2 };

struct memory {
    uint64_t said[MEMORY_SAID];  /* of the event behind */
    unsigned is_said;            /* bits 1 << said */
    uint64_t peak[MEMORY_KINDS]; /* the last one */
    uint64_t held[MEMORY_KINDS]; /* likewise */
    uint64_t in_blocks;          /* bytes of all of them */
    struct table blocks;
};

#endif
