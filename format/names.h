/* SPDX-License-Identifier: BSD-3-Clause */
/* The enumerations of otf2_enums.def as data, for printers and tests. */
#ifndef FORMAT_NAMES_H
#define FORMAT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum otf2_enum {
#define ENUM(Name, c_type, values, where, doc) OTF2_ENUM_##Name,
#define VALUE(Name, CONSTANT, number, ...)
#define ALIAS(Name, CONSTANT, number)
#define ENUM_END(Name, c_type)
#include <otf2/otf2_enums.def>
#undef ENUM
#undef VALUE
#undef ALIAS
#undef ENUM_END
    OTF2_ENUMS
};

struct otf2_enum_value {
    const char *constant; /* OTF2_TYPE_UINT8 */
    const char *printed;  /* UINT8; NULL for an alias */
    const char *since;    /* version; empty for what OTF2 3.0 has */
    uint32_t number;
};

struct otf2_enum_info {
    const char *name; /* Type: of OTF2_Type */
    const char *doc;
    const struct otf2_enum_value *values;
    size_t nvalues;
    bool is_flags;
};

extern const struct otf2_enum_info otf2_enums[OTF2_ENUMS];

/* The printed name of a value, static; NULL for a number without one (later versions may add it).
 */
const char *otf2_enum_name(enum otf2_enum which, uint32_t number);

#endif
