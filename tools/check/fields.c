/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tables say of the fields of a record: references, typed values, enumerations. */
#include <stddef.h>
#include <string.h>

#include "format/cell.h"
#include "tools/check/check.h"

/* References that may be undefined; all others have to lead somewhere. */
static const struct {
    const struct otf2_record *record;
    const char *field;
} optional[] = {
    {&otf2_defs[OTF2_DEF_Attribute], "description"},
    {&otf2_defs[OTF2_DEF_SystemTreeNode], "parent"},
    {&otf2_defs[OTF2_DEF_LocationGroup], "creatingLocationGroup"},
    {&otf2_defs[OTF2_DEF_Region], "description"},
    {&otf2_defs[OTF2_DEF_Region], "sourceFile"},
    {&otf2_defs[OTF2_DEF_Callsite], "enteredRegion"},
    {&otf2_defs[OTF2_DEF_Callsite], "leftRegion"},
    {&otf2_defs[OTF2_DEF_Callpath], "parent"},
    {&otf2_defs[OTF2_DEF_Group], "name"},
    {&otf2_defs[OTF2_DEF_MetricMember], "description"},
    {&otf2_defs[OTF2_DEF_MetricMember], "unit"},
    {&otf2_defs[OTF2_DEF_Comm], "name"},
    {&otf2_defs[OTF2_DEF_Comm], "parent"},
    {&otf2_defs[OTF2_DEF_RmaWin], "name"},
    {&otf2_defs[OTF2_DEF_CartDimension], "name"},
    {&otf2_defs[OTF2_DEF_CartTopology], "name"},
    {&otf2_defs[OTF2_DEF_CallingContext], "sourceCodeLocation"},
    {&otf2_defs[OTF2_DEF_CallingContext], "parent"},
    {&otf2_defs[OTF2_DEF_IoRegularFile], "scope"},
    {&otf2_defs[OTF2_DEF_IoDirectory], "scope"},
    {&otf2_defs[OTF2_DEF_IoHandle], "file"},
    {&otf2_defs[OTF2_DEF_IoHandle], "comm"},
    {&otf2_defs[OTF2_DEF_IoHandle], "parent"},
    {&otf2_defs[OTF2_DEF_InterComm], "name"},
    {&otf2_defs[OTF2_DEF_InterComm], "commonCommunicator"},
};

static bool may_be_undefined(const struct otf2_record *record, const char *field)
{
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
        if (optional[i].record == record && strcmp(optional[i].field, field) == 0)
            return true;
    return false;
}

/* ---- typed values ---- */

/* References only: the kinds of definition are in the table by their names. */
enum {
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref) VALUE_REF_##NAME = VALUE_REF_(ref),
#define VALUE_REF_(ref) VALUE_REF_IS_##ref
#define VALUE_REF_IS__ (-1)
#define MAPPING(NAME, Name) VALUE_REF_IS_##Name = OTF2_REF_##Name,
#include <otf2/otf2_mappings.def>
#undef MAPPING
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
    VALUE_REFS_END_
};

static const struct value_type {
    int ref; /* enum otf2_ref or -1 */
    unsigned char bytes;
    bool is_known;
} value_types[256] = {
    [OTF2_TYPE_NONE] = {-1, 8, false},
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref)                                          \
    [OTF2_TYPE_##NAME] = {VALUE_REF_##NAME, sizeof(c_type), true},
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
};

bool type_is_known(OTF2_Type type)
{
    return value_types[type].is_known;
}

bool type_refers(OTF2_Type type, enum otf2_ref *ref, unsigned *bytes)
{
    const struct value_type *info = &value_types[type];
    if (!info->is_known || info->ref < 0)
        return false;
    *ref = (enum otf2_ref)info->ref;
    *bytes = info->bytes;
    return true;
}

uint64_t typed_reference(OTF2_Type type, OTF2_AttributeValue value)
{
    return value_types[type].bytes == 8 ? value.uint64 : value.uint32;
}

static bool is_undefined(uint64_t id, size_t bytes)
{
    return id == (bytes == 8 ? UINT64_MAX : bytes == 4 ? UINT32_MAX : UINT8_MAX);
}

/* ---- enumerations ---- */

/* Values below 256 as bits, flags as their union. */
static struct known_enum {
    uint64_t bits[4];
    uint64_t flags;
} known_enums[OTF2_ENUMS];

void enums_prepare(void)
{
    for (size_t which = 0; which < OTF2_ENUMS; which++) {
        const struct otf2_enum_info *info = &otf2_enums[which];
        struct known_enum *known = &known_enums[which];
        for (size_t i = 0; i < info->nvalues; i++) {
            uint32_t number = info->values[i].number;
            known->flags |= number;
            if (info->values[i].printed && number < 256)
                known->bits[number / 64] |= UINT64_C(1) << number % 64;
        }
    }
}

bool enum_is_known(enum otf2_enum which, uint64_t value)
{
    const struct known_enum *known = &known_enums[which];
    if (otf2_enums[which].is_flags)
        return !(value & ~known->flags);
    return value < 256 && known->bits[value / 64] >> value % 64 & 1;
}

/* ---- fields ---- */

bool record_defines(const struct otf2_record *record, enum otf2_ref *ref)
{
    if (!record->nfields || strcmp(record->fields[0].name, "self") != 0)
        return false;
    *ref = (enum otf2_ref)otf2_kinds[record->fields[0].kind].detail;
    return true;
}

struct visitor {
    void (*visit)(struct check *c, const struct reference *r, void *context);
    struct check *c;
    void *context;
};

static void visit(const struct visitor *v, const struct otf2_record *record, const char *field,
                  enum otf2_ref ref, const void *at, size_t bytes)
{
    struct reference r = {.field = field, .ref = ref, .id = otf2_cell_load(at, bytes)};
    r.is_undefined = is_undefined(r.id, bytes);
    r.may_be_undefined = r.is_undefined && may_be_undefined(record, field);
    v->visit(v->c, &r, v->context);
}

static void visit_value(const struct visitor *v, const struct otf2_record *record,
                        const char *field, OTF2_Type type, const OTF2_AttributeValue *value)
{
    enum otf2_ref ref;
    unsigned bytes;
    if (type_refers(type, &ref, &bytes)) {
        uint64_t id = typed_reference(type, *value);
        uint32_t narrow = (uint32_t)id;
        visit(v, record, field, ref, bytes == 8 ? (const void *)&id : &narrow, bytes);
    }
}

/* What the fields before one say about it. */
struct field_state {
    uint64_t count;
    OTF2_Type type;
    const OTF2_Type *types;
};

static void visit_array(const struct visitor *v, const struct otf2_record *record,
                        const struct otf2_field *f, const void *slot, const struct field_state *now)
{
    const struct otf2_kind_info *kind = &otf2_kinds[f->kind];
    const char *elements;
    memcpy(&elements, slot, sizeof elements);
    for (uint64_t i = 0; i < now->count; i++) {
        if (kind->shown == OTF2_SHOWN_ARRAY_REF)
            visit(v, record, f->name, (enum otf2_ref)kind->detail, elements + i * kind->size,
                  kind->size);
        else if (kind->shown == OTF2_SHOWN_ARRAY_VALUE && now->types)
            visit_value(v, record, f->name, now->types[i],
                        (const void *)(elements + i * kind->size));
    }
}

void each_reference(const struct otf2_record *record, const void *data,
                    void (*call)(struct check *c, const struct reference *r, void *context),
                    struct check *c, void *context)
{
    struct visitor v = {call, c, context};
    struct field_state now = {0};
    enum otf2_ref own;
    for (unsigned i = record_defines(record, &own); i < record->nfields; i++) {
        const struct otf2_field *f = &record->fields[i];
        const struct otf2_kind_info *kind = &otf2_kinds[f->kind];
        const char *slot = (const char *)data + f->offset;
        if (kind->shown == OTF2_SHOWN_COUNT)
            now.count = otf2_cell_load(slot, kind->size);
        else if (f->kind == OTF2_KIND_TYPE)
            now.type = (OTF2_Type)*slot;
        else if (f->kind == OTF2_KIND_TYPE_ARRAY)
            memcpy(&now.types, slot, sizeof now.types);
        else if (kind->shown == OTF2_SHOWN_REF)
            visit(&v, record, f->name, (enum otf2_ref)kind->detail, slot, kind->size);
        else if (kind->shown == OTF2_SHOWN_VALUE)
            visit_value(&v, record, f->name, now.type, (const void *)slot);
        else if (kind->shown >= OTF2_SHOWN_ARRAY_NUMBER)
            visit_array(&v, record, f, slot, &now);
    }
}

static void check_enum(struct check *c, const struct otf2_record *record,
                       const struct otf2_field *f, uint64_t value, struct place where)
{
    enum otf2_enum which = (enum otf2_enum)otf2_kinds[f->kind].detail;
    if (which == OTF2_ENUM_Type ? !type_is_known((OTF2_Type)value) : false)
        found(c->verdict, RULE_VALUE_TYPE, where, "%s has %s %llu", record->name, f->name,
              (unsigned long long)value);
    else if (!enum_is_known(which, value))
        found(c->verdict, RULE_ENUM_UNKNOWN, where, "%s has %s %llu", record->name, f->name,
              (unsigned long long)value);
}

void check_enums(struct check *c, const struct otf2_record *record, const void *data,
                 struct place where)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < record->nfields; i++) {
        const struct otf2_field *f = &record->fields[i];
        const struct otf2_kind_info *kind = &otf2_kinds[f->kind];
        const char *slot = (const char *)data + f->offset;
        if (kind->shown == OTF2_SHOWN_COUNT) {
            count = otf2_cell_load(slot, kind->size);
        } else if (kind->shown == OTF2_SHOWN_ENUM) {
            check_enum(c, record, f, otf2_cell_load(slot, kind->size), where);
        } else if (kind->shown == OTF2_SHOWN_ARRAY_ENUM) {
            const char *elements;
            memcpy(&elements, slot, sizeof elements);
            for (uint64_t k = 0; k < count; k++)
                check_enum(c, record, f, otf2_cell_load(elements + k * kind->size, kind->size),
                           where);
        }
    }
}
