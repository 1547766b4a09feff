/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Growing lists. Without memory a command prints an error and ends, so no function here fails.
 * Memory kept to the end of the process is not freed item by item.
 */
#ifndef TOOLS_BASE_LIST_H
#define TOOLS_BASE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "tools/base/fail.h"

#define NIL UINT32_MAX /* no index */

/* An array with room for `need` items of `bytes` each; new items are zero. */
void *list_grow(void *items, size_t *room, size_t need, size_t bytes);
/*
 * The same, but new items are not initialised: for large items that are set where they are added.
 */
void *list_room(void *items, size_t *room, size_t need, size_t bytes);

#define LIST(type)                                                                                 \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t n;                                                                                  \
        size_t room;                                                                               \
    }

/* Room for one more item, which is zero; the list's items may move. */
#define LIST_ADD(list)                                                                             \
    ((list)->at = (list)->n < (list)->room                                                         \
                      ? (list)->at                                                                 \
                      : list_grow((list)->at, &(list)->room, (list)->n + 1, sizeof *(list)->at),   \
     &(list)->at[(list)->n++])

/* By a comparison as for qsort(), which may not be given an empty list's NULL. */
#define LIST_SORT(list, by) list_sort((list)->at, (list)->n, sizeof *(list)->at, (by))
void list_sort(void *items, size_t n, size_t bytes, int (*by)(const void *, const void *));

/* In a comparison: decides the order, unless x and y are equal. */
#define ORDER(x, y)                                                                                \
    if ((x) != (y))                                                                                \
    return (x) < (y) ? -1 : 1

/* A comparison of two uint64_t. */
int list_by_number(const void *x, const void *y);

#endif
