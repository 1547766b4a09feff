/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-python-lines */
/*
 * Tables of lines as versions of Python make them for one function: two blank lines, `def f(n):`, a
 * loop, an `if`, 140 blank lines, `with n: n(i)`, and a `return` of two lines. What they mean is
 * what PyCode_Addr2Line() of these versions says.
 */
#include <criterion/criterion.h>

#include "wrappers/python/python_lines.h"

enum { BEGIN = 2, RUNS_MAX = 12 };

static const uint8_t of_3_9[] = {0, 1, 12, 1, 4, 127, 0, 14, 6, 1, 40, 1, 2, 1, 2, 255};
static const uint8_t of_3_10[] = {12, 1,   4, 1,   0, 127, 6, 14, 10, 1,
                                  28, 255, 2, 128, 2, 2,   2, 1,  4,  255};
static const uint8_t of_3_13[] = {128, 0,   220, 13, 18, 144, 49,  142, 88,  136, 1,   223, 11, 12,
                                  136, 49,  242, 90, 4,  0,   18,  19,  217, 16,  17,  144, 33, 148,
                                  4,   247, 3,   0,  18, 19,  145, 17,  241, 93,  4,   0,   14, 22,
                                  240, 96,  4,   0,  13, 14,  216, 12,  13,  241, 3,   1,   13, 14,
                                  240, 0,   1,   5,  15, 247, 5,   0,   18,  19,  150, 17,  250};

static const struct {
    enum python_lines form;
    const uint8_t *table;
    size_t bytes;
    int32_t end;
    struct {
        int32_t offset;
        uint32_t line;
    } from[RUNS_MAX]; /* the last one has no line, or the offset 0 */
} tables[] = {
    {PYTHON_STEPS,
     of_3_9,
     sizeof of_3_9,
     70,
     {{0, 3}, {12, 4}, {16, 145}, {22, 146}, {62, 147}, {64, 148}, {66, 147}}},
    {PYTHON_RANGES,
     of_3_10,
     sizeof of_3_10,
     70,
     {{0, 3}, {12, 4}, {16, 145}, {22, 146}, {32, 145}, {60, 0}, {62, 147}, {64, 148}, {66, 147}}},
    {PYTHON_ENTRIES,
     of_3_13,
     sizeof of_3_13,
     140,
     {{0, 2},
      {2, 3},
      {30, 4},
      {48, 145},
      {54, 146},
      {70, 145},
      {90, 3},
      {94, 147},
      {96, 148},
      {98, 147},
      {104, 145},
      {134, 0}}},
};

Test(python_lines, instructions_are_on_the_lines_that_python_says)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        int run = 0;
        for (int32_t offset = 0; offset < tables[i].end; offset += 2) {
            if (run + 1 < RUNS_MAX && tables[i].from[run + 1].offset == offset && offset)
                run++;
            cr_assert_eq(python_line(tables[i].form, tables[i].table, tables[i].bytes, BEGIN,
                                     offset),
                         tables[i].from[run].line, "table %zu, instruction at %d", i, offset);
        }
        cr_assert_eq(python_line(tables[i].form, tables[i].table, tables[i].bytes, BEGIN, -1),
                     BEGIN, "before the first instruction");
    }
}

/* What is read of one may be its beginning, or no table at all. */
Test(python_lines, tables_that_are_cut_or_none)
{
    static uint8_t noise[64];
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (size_t bytes = 0; bytes < tables[i].bytes; bytes++)
            cr_assert(python_line(tables[i].form, tables[i].table, bytes, BEGIN, 66) < 1000);
    for (int byte = 0; byte < 256; byte++) {
        memset(noise, byte, sizeof noise);
        for (int form = PYTHON_STEPS; form <= PYTHON_ENTRIES; form++)
            cr_assert(python_line((enum python_lines)form, noise, sizeof noise, UINT32_MAX,
                                  1 << 20) <= INT32_MAX);
    }
}
