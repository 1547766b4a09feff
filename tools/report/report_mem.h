/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Growing lists and maps from numbers to numbers. A command that has no memory left says so and
 * ends, so nothing here fails. What is kept to the end of the process is not given back one by one.
 */
#ifndef TOOLS_REPORT_MEM_H
#define TOOLS_REPORT_MEM_H

#include <stddef.h>
#include <stdint.h>

#define NIL UINT32_MAX /* no index */

/* Prints one line, "spur: ...", and ends the process with status 1. */
_Noreturn void report_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An array with room for `need` items of `bytes` each; new ones are zero. */
void *report_grow(void *items, size_t *room, size_t need, size_t bytes);

/* A copy that is never freed. */
char *report_copy(const char *text);
char *report_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

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
                      : report_grow((list)->at, &(list)->room, (list)->n + 1, sizeof *(list)->at), \
     &(list)->at[(list)->n++])

/* From two numbers to one that is not NIL. */
struct map {
    struct map_slot *slots;
    size_t n;
    size_t room; /* a power of two, or 0 */
};

uint32_t map_find(const struct map *map, uint64_t a, uint64_t b); /* NIL: not there */
void map_set(struct map *map, uint64_t a, uint64_t b, uint32_t value);
void map_remove(struct map *map, uint64_t a, uint64_t b);

#endif
