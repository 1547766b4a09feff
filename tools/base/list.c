/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/list.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"

void *list_room(void *items, size_t *room, size_t need, size_t bytes)
{
    if (need <= *room)
        return items;
    size_t more = *room < 8 ? 8 : *room + *room / 2;
    if (more < need)
        more = need;
    size_t size;
    void *grown = NULL;
    if (!__builtin_mul_overflow(more, bytes, &size))
        grown = realloc(items, size);
    if (!grown)
        fail("no memory");
    *room = more;
    return grown;
}

void *list_grow(void *items, size_t *room, size_t need, size_t bytes)
{
    size_t before = *room;
    char *grown = list_room(items, room, need, bytes);
    if (*room > before)
        memset(grown + before * bytes, 0, (*room - before) * bytes);
    return grown;
}

void list_sort(void *items, size_t n, size_t bytes, int (*by)(const void *, const void *))
{
    if (n)
        qsort(items, n, bytes, by);
}

int list_by_number(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x;
    uint64_t b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}
