/* SPDX-License-Identifier: BSD-3-Clause */
/* The OTF2 library's memory inside a traced process: the agent's arenas. */
#include <stdint.h>

#include "base/mem.h"

/* Declared by the library; its size is not passed to otf2_mem_free(), so it is kept in front. */
void *otf2_mem_new(size_t bytes);
void otf2_mem_free(void *mem);

enum { HEADER = 16 };

void *otf2_mem_new(size_t bytes)
{
    if (bytes > SIZE_MAX - HEADER)
        return NULL;
    size_t *block = spur_mem_new(bytes + HEADER);
    if (!block)
        return NULL;
    *block = bytes + HEADER;
    return (char *)block + HEADER;
}

void otf2_mem_free(void *mem)
{
    if (!mem)
        return;
    size_t *block = (size_t *)(void *)((char *)mem - HEADER);
    spur_mem_free(block, *block);
}
