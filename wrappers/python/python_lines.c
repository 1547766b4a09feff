/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/python/python_lines.h"

#include <stdbool.h>

/* What is left of a table. */
struct table {
    const uint8_t *at, *end;
};

/* Of what a table says: instructions up to `end`, with or without a line. */
struct lines {
    int64_t end;
    int64_t line; /* that it counts from */
    bool has_line;
};

static uint8_t next(struct table *table)
{
    return table->at < table->end ? *table->at++ : 0;
}

/* ---- 3.8, 3.9: pairs of bytes, how far it is to the instruction where another line begins ---- */

static int64_t line_by_steps(struct table *table, int64_t line, int32_t offset)
{
    int64_t address = 0;
    while (table->at < table->end) {
        address += next(table);
        if (address > offset)
            break;
        line += (int8_t)next(table);
    }
    return line;
}

/* ---- 3.10: pairs of bytes, how long a range of instructions is, and its line ---- */

static void read_range(struct table *table, struct lines *lines)
{
    enum { NO_LINE = -128 };
    lines->end += next(table);
    int8_t more = (int8_t)next(table);
    lines->has_line = more != NO_LINE;
    lines->line += lines->has_line ? more : 0;
}

/* ---- from 3.11 on: entries that begin with a byte of which the highest bit is set ---- */

static int64_t read_signed(struct table *table)
{
    enum { BITS = 6, MORE = 1 << BITS, MOST = 30 };
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = next(table);
        value |= (uint64_t)(byte & (MORE - 1)) << shift;
        shift += BITS;
    } while (byte & MORE && shift < MOST);
    return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

static void read_entry(struct table *table, struct lines *lines)
{
    enum { LENGTH = 7, KIND = 15, KIND_SHIFT = 3, HEAD = 0x80, UNIT = 2 };
    enum { FIRST_ON_LINE = 10, LINE_ALONE = 13, LONG = 14, NONE = 15 };
    uint8_t head = next(table);
    int kind = head >> KIND_SHIFT & KIND;
    lines->end += (int64_t)UNIT * ((head & LENGTH) + 1);
    lines->has_line = kind != NONE;
    if (kind == LINE_ALONE || kind == LONG)
        lines->line += read_signed(table);
    else if (kind >= FIRST_ON_LINE && kind != NONE)
        lines->line += kind - FIRST_ON_LINE;
    while (table->at < table->end && !(*table->at & HEAD))
        table->at++; /* columns */
}

/* ---- all ---- */

uint32_t python_line(enum python_lines form, const void *table, size_t bytes, uint32_t begin,
                     int32_t offset)
{
    struct table left = {table, (const uint8_t *)table + bytes};
    struct lines lines = {.line = begin, .has_line = true};
    if (form == PYTHON_STEPS) {
        lines.line = line_by_steps(&left, begin, offset);
    } else if (offset >= 0) {
        lines.has_line = false;
        while (lines.end <= offset && left.at < left.end) {
            if (form == PYTHON_RANGES)
                read_range(&left, &lines);
            else
                read_entry(&left, &lines);
        }
        lines.has_line = lines.has_line && lines.end > offset;
    }
    return lines.has_line && lines.line > 0 && lines.line <= INT32_MAX ? (uint32_t)lines.line : 0;
}
