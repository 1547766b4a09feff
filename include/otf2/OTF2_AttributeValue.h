/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values whose type is known only at run time: an OTF2_Type and, beside it, this union. Names,
 * members and signatures are those of OTF2 3.2.
 */
#ifndef OTF2_ATTRIBUTE_VALUE_H
#define OTF2_ATTRIBUTE_VALUE_H

#include <stdint.h>

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_GeneralDefinitions.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One member per row of otf2_types.def: uint8, ..., float64, stringRef, ..., locationGroupRef. */
typedef union OTF2_AttributeValue_union {
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref) c_type member;
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
} OTF2_AttributeValue;

/*
 * Enumerations as typed values, for each RECORDED row of otf2_enums.def:
 *
 *     OTF2_AttributeValue_SetRegionRole(OTF2_RegionRole enumValue, OTF2_Type *type,
 *                                       OTF2_AttributeValue *value);
 * stores enumValue as an unsigned integer of the enumeration's size: *type becomes OTF2_TYPE_UINT8
 * or OTF2_TYPE_UINT32.
 *
 *     OTF2_AttributeValue_GetRegionRole(OTF2_Type type, OTF2_AttributeValue value,
 *                                       OTF2_RegionRole *enumValue);
 * does the reverse. The number is not compared with the constants: later versions may add some.
 *
 * Errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL pointer, OTF2_ERROR_INVALID_ATTRIBUTE_TYPE when
 * `type` is not what Set gives; *enumValue is unchanged then. Any thread may call these at any
 * time.
 */
#define OTF2_VALUE_CALLS_(set, get, Type)
#define OTF2_VALUE_RECORDED_(set, get, Type)                                                       \
    OTF2_API OTF2_ErrorCode set(Type enumValue, OTF2_Type *type, OTF2_AttributeValue *value);      \
    OTF2_API OTF2_ErrorCode get(OTF2_Type type, OTF2_AttributeValue value, Type *enumValue);
#define ENUM(Name, c_type, values, where, doc)                                                     \
    OTF2_VALUE_##where##_(OTF2_AttributeValue_Set##Name, OTF2_AttributeValue_Get##Name, OTF2_##Name)
#define VALUE(Name, CONSTANT, number, ...)
#define ALIAS(Name, CONSTANT, number)
#define ENUM_END(Name, c_type)
#include <otf2/otf2_enums.def>
#undef ENUM
#undef VALUE
#undef ALIAS
#undef ENUM_END

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif
