/* SPDX-License-Identifier: BSD-3-Clause */
#include <otf2/OTF2_AttributeValue.h>

#include "format/error.h"

static OTF2_ErrorCode no_place(const char *function)
{
    return otf2_error(OTF2_ERROR_INVALID_ARGUMENT, __FILE__, __LINE__, function,
                      "no place to store");
}

static OTF2_ErrorCode wrong_type(const char *function, OTF2_Type type, OTF2_Type wanted)
{
    return otf2_error(OTF2_ERROR_INVALID_ATTRIBUTE_TYPE, __FILE__, __LINE__, function,
                      "the value has type %u, not %u", type, wanted);
}

#define TYPE_OF_uint8_t OTF2_TYPE_UINT8
#define TYPE_OF_uint32_t OTF2_TYPE_UINT32
#define MEMBER_OF_uint8_t uint8
#define MEMBER_OF_uint32_t uint32

#define DOORS_CALLS(Name, c_type)
#define DOORS_RECORDED(Name, c_type)                                                               \
    OTF2_ErrorCode OTF2_AttributeValue_Set##Name(OTF2_##Name enumValue, OTF2_Type *type,           \
                                                 OTF2_AttributeValue *value)                       \
    {                                                                                              \
        if (!type || !value)                                                                       \
            return no_place(__func__);                                                             \
        *type = TYPE_OF_##c_type;                                                                  \
        value->MEMBER_OF_##c_type = enumValue;                                                     \
        return OTF2_SUCCESS;                                                                       \
    }                                                                                              \
    OTF2_ErrorCode OTF2_AttributeValue_Get##Name(OTF2_Type type, OTF2_AttributeValue value,        \
                                                 OTF2_##Name *enumValue)                           \
    {                                                                                              \
        if (!enumValue)                                                                            \
            return no_place(__func__);                                                             \
        if (type != TYPE_OF_##c_type)                                                              \
            return wrong_type(__func__, type, TYPE_OF_##c_type);                                   \
        *enumValue = value.MEMBER_OF_##c_type;                                                     \
        return OTF2_SUCCESS;                                                                       \
    }
#define ENUM(Name, c_type, values, where, doc) DOORS_##where(Name, c_type)
#define VALUE(Name, CONSTANT, number, ...)
#define ALIAS(Name, CONSTANT, number)
#define ENUM_END(Name, c_type)
#include <otf2/otf2_enums.def>
#undef ENUM
#undef VALUE
#undef ALIAS
#undef ENUM_END
