/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How each record is printed, made of the record tables and print_labels.def once at the start: a
 * title, an id for definitions, and columns.
 */
#ifndef PRINT_COLUMNS_H
#define PRINT_COLUMNS_H

#include "format/cell.h"
#include "format/record.h"
#include "tools/print/print_output.h"

enum { EVENT_TITLE = 33, DEFINITION_TITLE = 28, MOST_COLUMNS = 16 };

enum column_style {
    STYLE_BY_KIND,
    STYLE_RANK,
    STYLE_ROOT,
    STYLE_OPTIONAL,
    STYLE_NUMBER,
    STYLE_POSSIBLE,
    STYLE_GENERATION,
    STYLE_UNSIGNED,
    STYLE_SIGNED,
    STYLE_TIME,
    STYLE_ENUM,
    STYLE_PARADIGM,
    STYLE_REFERENCE,
    STYLE_VALUE,
    STYLE_SPECIAL
};

struct column {
    struct text before;
    void (*special)(const void *record);
    uint16_t offset;
    uint16_t base; /* of a rank: offset of communicator or window; of a value: of the type */
    uint8_t size;
    uint8_t style;
    uint8_t detail;    /* enum otf2_enum or enum otf2_ref */
    bool is_of_window; /* a rank */
};

struct shape {
    struct text title; /* padded */
    const struct column *columns;
    struct column id; /* place of the id in a definition, if has_id */
    int time;         /* of a snapshot: offset of the shown time, or -1 */
    uint16_t skip;    /* of a snapshot: begin of the attributes that the event has as well */
    uint8_t ncolumns;
    bool has_id;
    bool is_of_3_0; /* the record is there since OTF2 3.0 or before */
};

extern struct shape event_shapes[OTF2_EVTS];
extern struct shape snap_shapes[OTF2_SNAPS];
extern struct shape definition_shapes[OTF2_DEFS];

void columns_init(void);

static inline uint64_t column_value(const void *record, unsigned offset, unsigned size)
{
    return otf2_cell_load((const char *)record + offset, size);
}

/* "Label: value, ..." of a record of `location`, or of a definition. */
void put_columns(const struct shape *shape, const void *record, OTF2_LocationRef location);

#endif
