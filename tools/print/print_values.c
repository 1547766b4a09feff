/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_values.h"

#include "tools/print/print_definitions.h"
#include "tools/print/print_enums.h"

enum { ATTRIBUTE_COLUMN = 71 };

uint64_t time_origin;

void put_time(OTF2_TimeStamp time, unsigned width)
{
    if (time == OTF2_UNDEFINED_TIMESTAMP) {
        static const char undefined[] = "UNDEFINED";
        if (width > sizeof undefined - 1)
            put_blanks(width - (sizeof undefined - 1));
        put_string(undefined);
    } else if (time >= time_origin) {
        put_padded(time - time_origin, width);
    } else {
        uint64_t before = time_origin - time;
        unsigned length = 1;
        for (uint64_t rest = before; rest; rest /= 10)
            length++;
        if (width > length)
            put_blanks(width - length);
        put_char('-');
        put_unsigned(before);
    }
}

/* How a type is printed: by the encoding it has on disk, or as a reference. */
#define OTF2_REF__ (-1)
#define PUT_U8(ref, member) put_unsigned(value.member)
#define PUT_U16 PUT_U8
#define PUT_VAR32(ref, member)                                                                     \
    ((ref) < 0 ? put_unsigned(value.member) : put_reference((unsigned)(ref), value.member))
#define PUT_VAR64 PUT_VAR32
#define PUT_I8(ref, member) put_signed(value.member)
#define PUT_I16 PUT_I8
#define PUT_IVAR32 PUT_I8
#define PUT_IVAR64 PUT_I8
#define PUT_FLOAT(ref, member) put_real((double)value.member)
#define PUT_DOUBLE PUT_FLOAT

void put_value(OTF2_Type type, OTF2_AttributeValue value)
{
    switch (type) {
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref)                                          \
    case OTF2_TYPE_##NAME:                                                                         \
        PUT_##wire(OTF2_REF_##ref, member);                                                        \
        break;
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
    default:
        put_unsigned(value.uint64);
        break;
    }
}

int value_reference(OTF2_Type type)
{
    static const int kinds[] = {
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref) [OTF2_TYPE_##NAME] = OTF2_REF_##ref,
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
    };
    return type && type < sizeof kinds / sizeof kinds[0] ? kinds[type] : -1;
}

void put_attributes(const OTF2_AttributeList *list)
{
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);
    if (!n)
        return;
    put_blanks(ATTRIBUTE_COLUMN);
    put_string("ADDITIONAL ATTRIBUTES: ");
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef attribute = OTF2_UNDEFINED_ATTRIBUTE;
        OTF2_Type type = OTF2_TYPE_NONE;
        OTF2_AttributeValue value = {0};
        OTF2_AttributeList_GetAttributeByIndex(list, i, &attribute, &type, &value);
        put_string(i ? ", (" : "(");
        put_reference(OTF2_REF_Attribute, attribute);
        put_string("; ");
        put_enum(OTF2_ENUM_Type, type);
        put_string("; ");
        put_value(type, value);
        put_char(')');
    }
    put_char('\n');
}
