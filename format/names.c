/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/names.h"

#include <otf2/otf2_foreach.h>

#define SINCE(printed, since, ...) #since
/* clang-format off */
#define ENUM(Name, c_type, values, where, doc) \
    static const struct otf2_enum_value values_##Name[] = {
#define VALUE(Name, CONSTANT, number, ...) {#CONSTANT, OTF2_DOC(__VA_ARGS__), SINCE(__VA_ARGS__, , ), number},
#define ALIAS(Name, CONSTANT, number) {#CONSTANT, NULL, "", number},
#define ENUM_END(Name, c_type) };
#include <otf2/otf2_enums.def>
#undef ENUM
#undef VALUE
#undef ALIAS
#undef ENUM_END
/* clang-format on */

enum { VALUES = 0, FLAGS = 1 };

const struct otf2_enum_info otf2_enums[OTF2_ENUMS] = {
#define ENUM(Name, c_type, kind, where, text)                                                      \
    {#Name, text, values_##Name, sizeof values_##Name / sizeof values_##Name[0], (kind) == FLAGS},
#define VALUE(Name, CONSTANT, number, ...)
#define ALIAS(Name, CONSTANT, number)
#define ENUM_END(Name, c_type)
#include <otf2/otf2_enums.def>
#undef ENUM
#undef VALUE
#undef ALIAS
#undef ENUM_END
};

const char *otf2_enum_name(enum otf2_enum which, uint32_t number)
{
    const struct otf2_enum_info *info = &otf2_enums[which];
    for (size_t i = 0; i < info->nvalues; i++)
        if (info->values[i].number == number && info->values[i].printed)
            return info->values[i].printed;
    return NULL;
}
