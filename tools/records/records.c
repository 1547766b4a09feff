/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints docs/records.md: the reference page is the tables, not a second description of them. */
#include <stdio.h>
#include <string.h>

#include <otf2/otf2_foreach.h>

struct kind {
    const char *name;
    const char *wire;
    const char *shown;
    const char *detail;
};

static const struct kind kinds[] = {
#define KIND(NAME, c_type, wire, shown, detail) {#NAME, #wire, #shown, #detail},
#include <otf2/otf2_kinds.def>
#undef KIND
};

struct cell {
    const char *kind;
    const char *name;
};

struct row {
    const char *name;
    const char *doc;
    int id, major, minor;
    struct cell cells[17]; /* the last one is empty */
};

#define CELL(Row, kind, name) {#kind, #name},
#define ROW(Name, id, major, minor, ...)                                                           \
    {#Name, OTF2_DOC(__VA_ARGS__), id, major, minor, {OTF2_SEQ(CELL, Name, __VA_ARGS__){0, 0}}},

static const struct row events[] = {
#define EVENT(Name, NAME, id, major, minor, ...) ROW(Name, id, major, minor, __VA_ARGS__)
#include <otf2/otf2_events.def>
#undef EVENT
};

static const struct row global_defs[] = {
#define SHARED_DEF(Name, NAME, id, major, minor, ...) ROW(Name, id, major, minor, __VA_ARGS__)
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
};

static const struct row local_defs[] = {
#define SHARED_DEF(...)
#define GLOBAL_DEF(...)
#define LOCAL_DEF(Name, NAME, id, major, minor, ...) ROW(Name, id, major, minor, __VA_ARGS__)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
};

static const struct row snaps[] = {
#define SNAP(Name, NAME, id, major, minor, ...) ROW(Name, id, major, minor, __VA_ARGS__)
#include <otf2/otf2_snaps.def>
#undef SNAP
};

static const struct row markers[] = {
#define MARKER(Name, NAME, id, major, minor, ...) ROW(Name, id, major, minor, __VA_ARGS__)
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
};

static const struct row thumbs[] = {
#define MARKER(...)
#define THUMB(Name, NAME, id, major, minor, ...) ROW(Name, id, major, minor, __VA_ARGS__)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
};

#define STEP(Row, since, name) {#since, #name},
static const struct row layouts[] = {
#define LAYOUT(Name, ...)                                                                          \
    {#Name, OTF2_DOC(__VA_ARGS__), 0, 0, 0, {OTF2_SEQ(STEP, Name, __VA_ARGS__){0, 0}}},
#include <otf2/otf2_layouts.def>
#undef LAYOUT
};

static struct unit {
    const char *attribute;
    const char *unit;
    int is_used;
} units[] = {
#define UNIT(attribute, unit) {#attribute, unit, 0},
#include "tools/records/units.def"
#undef UNIT
};
static const size_t n_units = sizeof units / sizeof units[0];

static struct unit *unit_of(const char *attribute)
{
    for (size_t i = 0; i < n_units; i++)
        if (strcmp(units[i].attribute, attribute) == 0)
            return &units[i];
    return NULL;
}

/* A unit of an attribute that no record has is a mistake in the table. */
static int units_are_used(void)
{
    for (size_t i = 0; i < n_units; i++)
        if (!units[i].is_used) {
            fprintf(stderr, "units.def: no record has the attribute %s\n", units[i].attribute);
            return 0;
        }
    return 1;
}

static const struct kind *kind_of(const char *name)
{
    const struct kind *kind = kinds;
    while (strcmp(kind->name, name) != 0)
        kind++;
    return kind;
}

static const struct row *layout_of(const char *name)
{
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (strcmp(layouts[i].name, name) == 0)
            return &layouts[i];
    return NULL;
}

static void print_cell(const struct cell *cell)
{
    const struct kind *kind = kind_of(cell->kind);
    printf("`%s` %s", cell->name, kind->wire);
    if (strncmp(kind->shown, "ARRAY", 5) == 0)
        printf("[]");
    if (strcmp(kind->detail, "_") != 0)
        printf(" %s", kind->detail);
    struct unit *unit = unit_of(cell->name);
    if (unit) {
        unit->is_used = 1;
        printf(" (%s)", unit->unit);
    }
}

static void print_layout(const struct row *layout)
{
    const char *comma = "";
    printf(" |\n| | | | On disk:");
    for (const struct cell *c = layout->cells; c->name; c++) {
        printf("%s %s", comma, c->name);
        if (strcmp(c->kind, "0") == 0)
            printf(" (obsolete)");
        else if (strcmp(c->kind, layout->cells[0].kind) != 0)
            printf(" (%c.%c)", c->kind[0], c->kind[1]);
        comma = ",";
    }
}

static void print_table(const char *title, const struct row *rows, size_t n)
{
    printf("\n## %s\n\n| id | record | since | attributes |\n|---:|---|---|---|\n", title);
    for (size_t i = 0; i < n; i++) {
        const struct row *row = &rows[i];
        const struct row *layout =
            strcmp(title, "Global definitions") ? NULL : layout_of(row->name);
        printf("| %d | **%s** %s | %d.%d | ", row->id, row->name, row->doc, row->major, row->minor);
        for (const struct cell *c = row->cells; c->name; c++) {
            print_cell(c);
            printf("%s", c[1].name ? ", " : "");
        }
        if (layout)
            print_layout(layout);
        printf(" |\n");
    }
}

/* An enumeration's own row, which has no printed name, and those of its values behind it. */
static const struct {
    const char *name;
    const char *text;
    const char *since; /* of a value that OTF2 3.0 has not, else empty */
    unsigned number;
    int is_value;
} enum_rows[] = {
#define ENUM(Name, c_type, values, where, doc) {#Name, doc, "", 0, 0},
#define SINCE(printed, since, ...) #since
#define VALUE(Name, CONSTANT, number, ...)                                                         \
    {#Name, OTF2_DOC(__VA_ARGS__), SINCE(__VA_ARGS__, , ), number, 1},
#define ALIAS(Name, CONSTANT, number)
#define ENUM_END(Name, c_type)
#include <otf2/otf2_enums.def>
#undef ENUM
#undef VALUE
#undef ALIAS
#undef ENUM_END
};

static void print_enums(void)
{
    enum { VALUES_A_ROW = 24 };
    size_t values = 0;
    printf("\n## Enumerations\n\n| name | meaning | values |\n|---|---|---|");
    for (size_t i = 0; i < sizeof enum_rows / sizeof enum_rows[0]; i++) {
        if (enum_rows[i].is_value) {
            const char *row = values && values % VALUES_A_ROW == 0 ? " |\n| | |" : "";
            printf("%s `%s` %u", row, enum_rows[i].text, enum_rows[i].number);
            if (*enum_rows[i].since)
                printf(" (%s)", enum_rows[i].since);
            values++;
        } else {
            printf("%s\n| **%s** | %s |", i ? " |" : "", enum_rows[i].name, enum_rows[i].text);
            values = 0;
        }
    }
    printf(" |\n");
}

#define PRINT(title, rows) print_table(title, rows, sizeof(rows) / sizeof(rows)[0])

int main(void)
{
    printf(
        "# The records of OTF2 3.2\n\n"
        "`otf2-records` prints this page from the tables in `include/otf2`; a test compares the "
        "two.\n\n"
        "Attributes here are the fields of records. [Attributes and properties](marks.md) lists "
        "the "
        "additional\n"
        "attributes, parameters and properties by which spur describes a recording, such as the "
        "call site of a\n"
        "call.\n\n"
        "Attributes are in the order of the API. This is also the order on disk, except where "
        "\"On\n"
        "disk\" gives another one. Each attribute has an encoding:\n\n"
        "| encoding | bytes |\n"
        "|---|---|\n"
        "| U8 | one byte |\n"
        "| VAR32, VAR64 | a length, and as many bytes; IVAR64: the same for signed numbers |\n"
        "| FIXED64, DOUBLE | eight bytes |\n"
        "| TEXT | bytes that end with a zero |\n"
        "| VALUE | as the type before it says |\n"
        "| `[]` | as many as the number before it says; neighbouring arrays are interleaved |\n\n"
        "After the encoding stands the definition or enumeration that a number refers to. "
        "Parentheses\n"
        "contain the unit. The column \"since\" has the version of OTF2 that introduced a record; "
        "values of\nenumerations that are newer than 3.0 have their version in parentheses.\n");
    PRINT("Events", events);
    PRINT("Global definitions", global_defs);
    printf("\nDefinitions with an id of 10 or more can also be local definitions.\n");
    PRINT("Local definitions", local_defs);
    PRINT("Snapshots", snaps);
    PRINT("Markers", markers);
    PRINT("Thumbnails", thumbs);
    print_enums();
    return units_are_used() ? 0 : 1;
}
