/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/causes/causes_order.h"

#include <string.h>

enum { FEW = 32 }; /* waits, that are sorted by putting each where it belongs */

static bool ends_before(const struct release *x, const struct release *y)
{
    if (x->end != y->end)
        return x->end < y->end;
    if (x->begin != y->begin)
        return x->begin < y->begin;
    return x->other != y->other ? x->other < y->other : x->node < y->node;
}

static void sort_few(struct release *waits, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct release moved = waits[i];
        size_t at = i;
        for (; at && ends_before(&moved, &waits[at - 1]); at--)
            waits[at] = waits[at - 1];
        waits[at] = moved;
    }
}

/* Two parts that are in order become one; `early` has room for the first one. */
static void merge_waits(struct release *waits, size_t n_early, size_t n, struct release *early)
{
    size_t i = 0;
    size_t late = n_early;
    memcpy(early, waits, n_early * sizeof *early);
    for (size_t at = 0; i < n_early; at++)
        waits[at] = late < n && ends_before(&waits[late], &early[i]) ? waits[late++] : early[i++];
}

void order_sort(struct release *waits, size_t n, struct release *room)
{
    size_t half = n / 2;
    if (n <= FEW) {
        sort_few(waits, n);
        return;
    }
    order_sort(waits, half, room);
    order_sort(waits + half, n - half, room);
    if (ends_before(&waits[half], &waits[half - 1]))
        merge_waits(waits, half, n, room);
}
