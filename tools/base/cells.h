/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells of a table, of a report as of an export. The type of a C expression
 * decides the kind of its cell: ROW(t, name, 3u, 0.5) adds a text, a whole
 * number and a real number.
 */
#ifndef TOOLS_BASE_CELLS_H
#define TOOLS_BASE_CELLS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct cell {
    enum { NOTHING, WHOLE, REAL, TEXT, CELLS_END } kind;
    union {
        const char *text; /* borrowed */
        uint64_t whole;
        double real;
    };
};

static const struct cell nothing = {.kind = NOTHING};

static inline struct cell cell_of_text(const char *text)
{
    return text ? (struct cell){.kind = TEXT, .text = text} : nothing;
}

static inline struct cell cell_of_whole(uint64_t whole)
{
    return (struct cell){.kind = WHOLE, .whole = whole};
}

static inline struct cell cell_of_real(double real)
{
    return isfinite(real) ? (struct cell){.kind = REAL, .real = real} : nothing;
}

static inline struct cell cell_of_cell(struct cell cell)
{
    return cell;
}

/* No text, or no finite number: nothing. */
#define cell(x)                                                                                    \
    _Generic((x),                                                                                  \
        char *: cell_of_text,                                                                      \
        const char *: cell_of_text,                                                                \
        double: cell_of_real,                                                                      \
        struct cell: cell_of_cell,                                                                 \
        default: cell_of_whole)(x)

static inline struct cell cell_unless(uint64_t whole, uint64_t none)
{
    return whole == none ? nothing : cell(whole);
}

#define CELLS_1(x) cell(x)
#define CELLS_2(x, ...) cell(x), CELLS_1(__VA_ARGS__)
#define CELLS_3(x, ...) cell(x), CELLS_2(__VA_ARGS__)
#define CELLS_4(x, ...) cell(x), CELLS_3(__VA_ARGS__)
#define CELLS_5(x, ...) cell(x), CELLS_4(__VA_ARGS__)
#define CELLS_6(x, ...) cell(x), CELLS_5(__VA_ARGS__)
#define CELLS_7(x, ...) cell(x), CELLS_6(__VA_ARGS__)
#define CELLS_8(x, ...) cell(x), CELLS_7(__VA_ARGS__)
#define CELLS_9(x, ...) cell(x), CELLS_8(__VA_ARGS__)
#define CELLS_10(x, ...) cell(x), CELLS_9(__VA_ARGS__)
#define CELLS_11(x, ...) cell(x), CELLS_10(__VA_ARGS__)
#define CELLS_12(x, ...) cell(x), CELLS_11(__VA_ARGS__)
#define CELLS_13(x, ...) cell(x), CELLS_12(__VA_ARGS__)
#define CELLS_14(x, ...) cell(x), CELLS_13(__VA_ARGS__)
#define CELLS_15(x, ...) cell(x), CELLS_14(__VA_ARGS__)
#define CELLS_16(x, ...) cell(x), CELLS_15(__VA_ARGS__)
#define CELLS_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, picked, ...) picked
#define CELLS_OF(...)                                                                              \
    CELLS_PICK(__VA_ARGS__, CELLS_16, CELLS_15, CELLS_14, CELLS_13, CELLS_12, CELLS_11, CELLS_10,  \
               CELLS_9, CELLS_8, CELLS_7, CELLS_6, CELLS_5, CELLS_4, CELLS_3, CELLS_2, CELLS_1, )  \
    (__VA_ARGS__)

/* An array of up to 16 cells, with CELLS_END behind them. */
#define CELLS(...) ((const struct cell[]){CELLS_OF(__VA_ARGS__), {.kind = CELLS_END}})

#endif
