/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a number belongs in a list that is sorted by it. */
#ifndef SPUR_BISECT_H
#define SPUR_BISECT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of `n` items of `size` bytes, each of which begins with its number: how many are up to `number`.
 */
static inline size_t spur_bisect(const void *items, size_t n, size_t size, uint64_t number)
{
    size_t low = 0;
    while (low < n) {
        size_t middle = low + (n - low) / 2;
        uint64_t found;
        memcpy(&found, (const char *)items + middle * size, sizeof found);
        if (found <= number)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

#endif
