/* SPDX-License-Identifier: BSD-3-Clause */
/* links: tools-base */
/* Numbers of an archive, and of what is computed of them, are the same on each processor. */
#include <criterion/criterion.h>
#include <math.h>

#include "tools/base/quantity.h"

Test(quantity, whole)
{
    static const struct {
        double from;
        uint64_t to;
    } rows[] = {{0.0, 0},
                {0.999, 0},
                {1.0, 1},
                {9007199254740993.0, 9007199254740992},
                {0x1p63, UINT64_C(1) << 63},
                {0x1.fffffffffffffp63, UINT64_MAX - 2047},
                {0x1p64, UINT64_MAX},
                {1e300, UINT64_MAX},
                {INFINITY, UINT64_MAX},
                {-0.5, 0},
                {-1.0, 0},
                {-1e300, 0},
                {-INFINITY, 0},
                {NAN, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        volatile double from = rows[i].from; /* the compiler shall not do it */
        cr_assert_eq(quantity_whole(from), rows[i].to, "%g", rows[i].from);
    }
}

Test(quantity, share)
{
    static const struct {
        uint64_t all, part, whole, share;
    } rows[] = {{10, 1, 3, 3},
                {7, 0, 9, 0},
                {UINT64_MAX, 1, 1, UINT64_MAX},
                {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 1},
                {1000000000, UINT64_MAX, UINT64_MAX, 1000000000},
                {UINT64_C(6148914691236517205), 3, 9, UINT64_C(2049638230412172401)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(quantity_share(rows[i].all, rows[i].part, rows[i].whole), rows[i].share, "%zu",
                     i);
}
