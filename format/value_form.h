/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The encoding of typed values, for code that handles many values; other code uses
 * format/attributes.h.
 */
#ifndef FORMAT_VALUE_FORM_H
#define FORMAT_VALUE_FORM_H

#include <otf2/OTF2_AttributeValue.h>

#include "format/wire.h"

/* The facts about a type needed for writing values. */
struct otf2_value_form {
    uint64_t mask;     /* the bits of the union that are the value */
    uint64_t special;  /* from here on a value is not just a count and bytes */
    uint8_t wire;      /* enum otf2_wire */
    uint8_t raw_bytes; /* 0: a count comes first */
    uint8_t no_short;  /* all bits set is no special value */
};

/* By OTF2_Type; the first entry is for types without a row in otf2_types.def. */
enum {
    OTF2_VALUE_FORMS = 1
#define VALUE_TYPE(...) +1
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
};
extern const struct otf2_value_form otf2_value_forms[OTF2_VALUE_FORMS];

static inline const struct otf2_value_form *otf2_value_form_of(OTF2_Type type)
{
    return &otf2_value_forms[type < OTF2_VALUE_FORMS ? type : OTF2_TYPE_NONE];
}

/* The value's member of the union for the form, as a number; for floating point values the bits. */
static inline uint64_t otf2_value_bits(OTF2_AttributeValue value,
                                       const struct otf2_value_form *form)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return value.uint64 & form->mask;
#else
    return value.uint64 >> __builtin_clzll(form->mask);
#endif
}

/* The reverse. Higher bits of `v` do not count. */
static inline OTF2_AttributeValue otf2_value_of(uint64_t v, const struct otf2_value_form *form)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (OTF2_AttributeValue){.uint64 = v & form->mask};
#else
    return (OTF2_AttributeValue){.uint64 = v << __builtin_clzll(form->mask)};
#endif
}

#endif
