/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The only door to memory of the whole library. mem_libc.c puts it on the heap; a program that must
 * not use its host's heap links its own pair instead. Any thread, any time.
 */
#ifndef FORMAT_MEM_H
#define FORMAT_MEM_H

#include <stddef.h>
#include <string.h>

/* Zeroed memory, aligned for any type; NULL when there is none. */
void *otf2_mem_new(size_t bytes);

/* Gives back what otf2_mem_new returned; NULL is allowed. */
void otf2_mem_free(void *mem);

/* A copy of a text; NULL when there is no memory. */
static inline char *otf2_text_new(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = otf2_mem_new(bytes);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

#endif
