/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A number in a field of a record, which is one, four or eight bytes wide; mostly that is a
 * constant of each use. A plain copy of so many bytes of a wider number is right for one byte order
 * only.
 */
#ifndef FORMAT_CELL_H
#define FORMAT_CELL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The lowest bytes of a number. */
static inline __attribute__((always_inline)) void otf2_cell_store(void *cell, size_t bytes,
                                                                  uint64_t v)
{
    uint8_t u8 = (uint8_t)v;
    uint32_t u32 = (uint32_t)v;
    memcpy(cell, bytes == 1 ? (void *)&u8 : bytes == 4 ? (void *)&u32 : (void *)&v, bytes);
}

static inline __attribute__((always_inline)) uint64_t otf2_cell_load(const void *cell, size_t bytes)
{
    uint8_t u8;
    uint32_t u32;
    uint64_t u64;
    if (bytes == sizeof u8) {
        memcpy(&u8, cell, sizeof u8);
        return u8;
    }
    if (bytes == sizeof u32) {
        memcpy(&u32, cell, sizeof u32);
        return u32;
    }
    memcpy(&u64, cell, sizeof u64);
    return u64;
}

#endif
