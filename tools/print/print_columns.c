/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_columns.h"

#include <stdio.h>

#include "tools/print/print_definitions.h"
#include "tools/print/print_enums.h"
#include "tools/print/print_options.h"
#include "tools/print/print_ranks.h"
#include "tools/print/print_special.h"
#include "tools/print/print_values.h"

struct shape event_shapes[OTF2_EVTS];
struct shape snap_shapes[OTF2_SNAPS];
struct shape definition_shapes[OTF2_DEFS];

struct label {
    const char *record; /* NULL: any */
    const char *attribute;
    const char *text;
    void (*special)(const void *record);
    uint8_t style;
};

#define TITLE(Name, title)
#define LABEL(attribute, text, style) {NULL, #attribute, text, NULL, STYLE_##style},
#define ONLY(Record, attribute, text, style) {#Record, #attribute, text, NULL, STYLE_##style},
#define SPECIAL(Record, attribute, text, function)                                                 \
    {#Record, #attribute, text, function, STYLE_SPECIAL},
#define BEHIND(Record, attribute, other)
static const struct label labels[] = {
#include "tools/print/print_labels.def"
};
#undef TITLE
#undef LABEL
#undef ONLY
#undef SPECIAL
#undef BEHIND

/* Title, or what comes behind what, by record. */
#define TITLE(Name, title) {#Name, NULL, title},
#define LABEL(attribute, text, style)
#define ONLY(Record, attribute, text, style)
#define SPECIAL(Record, attribute, text, function)
#define BEHIND(Record, attribute, other) {#Record, #attribute, #other},
static const struct {
    const char *record, *attribute, *text;
} exceptions[] = {
#include "tools/print/print_labels.def"
};
#undef TITLE
#undef LABEL
#undef ONLY
#undef SPECIAL
#undef BEHIND

#define EVENT(Name, NAME, ...) #NAME,
#define SNAP EVENT
#define SHARED_DEF EVENT
#define GLOBAL_DEF EVENT
#define LOCAL_DEF EVENT
static const char *const event_titles[] = {
#include <otf2/otf2_events.def>
};
static const char *const snap_titles[] = {
#include <otf2/otf2_snaps.def>
};
static const char *const definition_titles[] = {
#include <otf2/otf2_defs.def>
};
#undef EVENT
#undef SNAP
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF

static const struct label *find_label(const char *record, const char *attribute)
{
    const struct label *found = NULL;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        const struct label *label = &labels[i];
        if (strcmp(label->attribute, attribute) != 0)
            continue;
        if (label->record && !strcmp(label->record, record))
            return label;
        if (!label->record)
            found = label;
    }
    return found;
}

static enum column_style style_of(const struct otf2_kind_info *kind)
{
    switch (kind->shown) {
    case OTF2_SHOWN_TIME:
        return STYLE_TIME;
    case OTF2_SHOWN_VALUE:
        return STYLE_VALUE;
    case OTF2_SHOWN_ENUM:
        return kind->detail == OTF2_ENUM_Paradigm ? STYLE_PARADIGM : STYLE_ENUM;
    case OTF2_SHOWN_REF:
        return STYLE_REFERENCE;
    default:
        return kind->wire == OTF2_WIRE_IVAR64 ? STYLE_SIGNED : STYLE_UNSIGNED;
    }
}

static struct column column_of(const struct otf2_field *field)
{
    const struct otf2_kind_info *kind = &otf2_kinds[field->kind];
    return (struct column){.offset = field->offset,
                           .size = kind->size,
                           .style = (uint8_t)style_of(kind),
                           .detail = kind->detail};
}

/* The communicator, window or type that explains this column. */
static void find_base(const struct otf2_record *record, struct column *column)
{
    for (unsigned i = 0; i < record->nfields; i++) {
        unsigned kind = record->fields[i].kind;
        bool wanted = column->style == STYLE_VALUE
                          ? kind == OTF2_KIND_TYPE
                          : kind == OTF2_KIND_COMM || kind == OTF2_KIND_RMA_WIN;
        if (!wanted)
            continue;
        column->base = record->fields[i].offset;
        column->is_of_window = kind == OTF2_KIND_RMA_WIN;
    }
}

/* Since 3.2 the undefined value of an event's number is shown as UNDEFINED. */
static enum column_style style_in(const struct otf2_record *record, const struct column *column,
                                  enum column_style wanted)
{
    bool is_number = column->style == STYLE_UNSIGNED || column->style == STYLE_SIGNED;
    bool is_of_event = record->place == OTF2_PLACE_EVENTS || record->place == OTF2_PLACE_SNAPSHOTS;
    if (wanted == STYLE_BY_KIND && is_number && is_of_event && column->size >= sizeof(uint32_t))
        wanted = STYLE_POSSIBLE;
    if ((wanted == STYLE_POSSIBLE || wanted == STYLE_GENERATION) && options.as_3_0)
        wanted = STYLE_NUMBER;
    if (wanted == STYLE_POSSIBLE && column->style == STYLE_SIGNED)
        wanted = STYLE_OPTIONAL;
    return wanted == STYLE_BY_KIND || wanted == STYLE_NUMBER ? column->style : wanted;
}

static struct column make_column(const struct otf2_record *record, const struct otf2_field *field,
                                 const struct label *label, bool is_first)
{
    char before[64];
    struct column column = column_of(field);
    int n;
    if (label->style == STYLE_SPECIAL)
        n = snprintf(before, sizeof before, "%s", label->text);
    else
        n = snprintf(before, sizeof before, "%s%s: ", is_first ? "" : ", ", label->text);
    column.before = text_copy(before, (size_t)n);
    column.special = label->special;
    column.style = (uint8_t)style_in(record, &column, label->style);
    find_base(record, &column);
    return column;
}

/* In the order of print: the fields of the record, but for those that come later. */
static unsigned order_fields(const struct otf2_record *record, const struct otf2_field **fields)
{
    unsigned n = 0;
    const struct otf2_field *late = NULL;
    const char *behind = "";
    for (unsigned i = 0; i < record->nfields; i++) {
        const struct otf2_field *field = &record->fields[i];
        bool is_late = false;
        for (size_t e = 0; e < sizeof exceptions / sizeof exceptions[0]; e++)
            if (exceptions[e].attribute && !strcmp(exceptions[e].record, record->name) &&
                !strcmp(exceptions[e].attribute, field->name)) {
                is_late = true;
                behind = exceptions[e].text;
            }
        if (is_late)
            late = field;
        else
            fields[n++] = field;
        if (late && !strcmp(field->name, behind))
            fields[n++] = late;
    }
    return n;
}

static void make_shape(struct shape *shape, const struct otf2_record *record, const char *title,
                       int width)
{
    char padded[64];
    const struct otf2_field *fields[MOST_COLUMNS];
    struct column columns[MOST_COLUMNS];
    for (size_t e = 0; e < sizeof exceptions / sizeof exceptions[0]; e++)
        if (!exceptions[e].attribute && !strcmp(exceptions[e].record, record->name))
            title = exceptions[e].text;
    shape->title = text_copy(padded, (size_t)snprintf(padded, sizeof padded, "%-*s", width, title));
    shape->time = -1;
    shape->is_of_3_0 = record->major < 3 || (record->major == 3 && !record->minor);
    unsigned n = order_fields(record, fields);
    for (unsigned i = 0; i < n; i++) {
        const struct otf2_field *field = fields[i];
        const struct label *label = find_label(record->name, field->name);
        if (!strcmp(field->name, "self") || (label && label->special == put_paradigm_itself)) {
            shape->has_id = true;
            shape->id = column_of(field);
        }
        if (!strcmp(field->name, "origEventTime"))
            shape->time = field->offset;
        if (i == 1 && shape->time == 0)
            shape->skip = field->offset;
        if (label) {
            columns[shape->ncolumns] = make_column(record, field, label, !shape->ncolumns);
            shape->ncolumns++;
        }
    }
    struct column *copy = need_memory(MOST_COLUMNS * sizeof *copy);
    memcpy(copy, columns, shape->ncolumns * sizeof *copy);
    shape->columns = copy;
}

void columns_init(void)
{
    for (unsigned i = 0; i < OTF2_EVTS; i++)
        make_shape(&event_shapes[i], &otf2_events[i], event_titles[i], EVENT_TITLE);
    for (unsigned i = 0; i < OTF2_SNAPS; i++)
        make_shape(&snap_shapes[i], &otf2_snaps[i], snap_titles[i], EVENT_TITLE);
    for (unsigned i = 0; i < OTF2_DEFS; i++)
        make_shape(&definition_shapes[i], &otf2_defs[i], definition_titles[i], DEFINITION_TITLE);
}

static void put_optional(const struct column *column, uint64_t value)
{
    bool is_wide = column->size > sizeof(uint32_t);
    bool is_signed = column->style == STYLE_OPTIONAL && is_wide;
    uint64_t undefined = is_signed ? (uint64_t)OTF2_UNDEFINED_INT64
                         : is_wide ? OTF2_UNDEFINED_UINT64
                                   : OTF2_UNDEFINED_UINT32;
    if (value == undefined)
        put_string("UNDEFINED");
    else if (!value && column->style == STYLE_GENERATION)
        put_enum(OTF2_ENUM_TaskGenerationNumber, OTF2_TASK_GENERATION_NUMBER_IMPLICIT);
    else if (is_signed)
        put_signed((int64_t)value);
    else
        put_unsigned(value);
}

static void put_column(const struct shape *shape, const struct column *column, const void *record,
                       OTF2_LocationRef location)
{
    uint64_t value = column_value(record, column->offset, column->size);
    switch ((enum column_style)column->style) {
    case STYLE_REFERENCE:
        put_reference(column->detail, value);
        break;
    case STYLE_BY_KIND:
    case STYLE_NUMBER:
    case STYLE_UNSIGNED:
        put_unsigned(value);
        break;
    case STYLE_SIGNED:
        put_signed((int64_t)value);
        break;
    case STYLE_ENUM:
        put_enum(column->detail, (uint32_t)value);
        break;
    case STYLE_RANK:
    case STYLE_ROOT:
        put_rank(location, column_value(record, column->base, sizeof(uint32_t)), (uint32_t)value,
                 column->is_of_window, column->style == STYLE_ROOT);
        break;
    case STYLE_TIME:
        put_time(value, 0);
        break;
    case STYLE_PARADIGM:
        put_paradigm((OTF2_Paradigm)value);
        break;
    case STYLE_OPTIONAL:
    case STYLE_POSSIBLE:
    case STYLE_GENERATION:
        put_optional(column, value);
        break;
    case STYLE_VALUE:
        put_value((OTF2_Type)column_value(record, column->base, sizeof(OTF2_Type)),
                  (OTF2_AttributeValue){.uint64 = value});
        break;
    case STYLE_SPECIAL:
        column->special((const char *)record + shape->skip);
        break;
    }
}

void put_columns(const struct shape *shape, const void *record, OTF2_LocationRef location)
{
    const struct column *end = shape->columns + shape->ncolumns;
    for (const struct column *column = shape->columns; column < end; column++) {
        put_text(column->before);
        put_column(shape, column, record, location);
    }
}
