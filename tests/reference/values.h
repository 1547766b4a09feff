/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values for the cells of the record tables: pseudo-random, the same in every run, with a liking
 * for the edges of their types. ARGUMENT turns the cells of a row into arguments.
 */
#ifndef REFERENCE_VALUES_H
#define REFERENCE_VALUES_H

#include "common.h"
#include "shown.h"

#include <otf2/otf2_records.h>

enum { ROOM = 1500 };

/* ---- values ---- */

static uint64_t seed;

static inline uint64_t any(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed >> 20;
}

/* 0, 2^k - 1, 2^k, 2^k + 1, all bits, and what lies between. */
static inline uint64_t edge(void)
{
    uint64_t power = UINT64_C(1) << any() % 64;
    switch (any() % 6) {
    case 0:
        return power - 1;
    case 1:
        return power;
    case 2:
        return power + 1;
    case 3:
        return 0;
    case 4:
        return UINT64_MAX - any() % 3;
    default:
        return any() >> any() % 40;
    }
}

static uint64_t numbers[ROOM];
static char texts[8][70000];

static inline void fill(void)
{
    for (size_t i = 0; i < ROOM; i++)
        numbers[i] = edge();
    for (size_t i = 0; i < 8; i++) {
        size_t length = i < 4 ? any() % 300 : i < 7 ? i : 60000;
        memset(texts[i], 'a' + (int)i, length);
        texts[i][length] = '\0';
    }
}

static const OTF2_IdMap *map;

static inline void make(void *to, size_t size, enum shown shown)
{
    uint64_t number = edge();
    const void *pointer = numbers;
    if (shown == COUNT) {
        number = any() % 4 ? any() % 30 : any() % (size == 1 ? 256 : ROOM);
        memcpy(to, &number, size);
    } else if (shown == TEXT) {
        pointer = texts[any() % (any() % 10 ? 7 : 8)];
        memcpy(to, &pointer, size);
    } else if (shown == IDMAP) {
        memcpy(to, &map, size);
    } else if (shown >= ARRAY_NUMBER) {
        memcpy(to, &pointer, size);
    } else {
        memcpy(to, &number, size);
    }
}

#define KIND(NAME, c_type, wire, shown, detail)                                                    \
    __attribute__((unused)) static otf2_t_##NAME make_##NAME(void)                                 \
    {                                                                                              \
        otf2_t_##NAME value;                                                                       \
        make(&value, sizeof value, shown);                                                         \
        return value;                                                                              \
    }
#include <otf2/otf2_kinds.def>
#undef KIND

#define ARGUMENT(Row, kind, name) , make_##kind()

static inline void fill_list(OTF2_AttributeList *list)
{
    unsigned n = any() % 3 ? 0 : any() % 5 ? any() % 4 : any() % 40;
    for (unsigned i = 0; i < n; i++) {
        OTF2_AttributeValue value;
        make(&value, sizeof value, NUMBER);
        OTF2_AttributeList_AddAttribute(list, i ? i * 37 : UINT32_MAX - 1, (OTF2_Type)(any() % 28),
                                        value);
    }
}

#endif
