/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of attributes: extra typed values that a program attaches to an event, named by Attribute
 * definitions. Names and signatures are those of OTF2 3.2.
 *
 * A list belongs to the program and may be used by one thread at a time. An event writer that is
 * given a list writes its entries in their order and then empties it, so that the same list serves
 * for one event after the other.
 */
#ifndef OTF2_ATTRIBUTE_LIST_H
#define OTF2_ATTRIBUTE_LIST_H

#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include <otf2/OTF2_AttributeValue.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_GeneralDefinitions.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_AttributeList_struct OTF2_AttributeList;

/* An empty list, to be released by OTF2_AttributeList_Delete. NULL when there is no memory. */
OTF2_API OTF2_AttributeList *OTF2_AttributeList_New(void);

/* Releases a list; NULL is allowed. */
OTF2_API OTF2_ErrorCode OTF2_AttributeList_Delete(OTF2_AttributeList *attributeList);

/*
 * Appends an entry.
 *   attribute       reference to the Attribute definition that names it; once per list.
 *   type            says which member of attributeValue holds.
 * Errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL list and when the list has an entry of this
 * attribute already, OTF2_ERROR_MEM_ALLOC_FAILED.
 */
OTF2_API OTF2_ErrorCode OTF2_AttributeList_AddAttribute(OTF2_AttributeList *attributeList,
                                                        OTF2_AttributeRef attribute, OTF2_Type type,
                                                        OTF2_AttributeValue attributeValue);

/*
 * For each row of otf2_types.def:
 *
 *     OTF2_AttributeList_AddUint8(attributeList, attribute, uint8_t value)
 * is OTF2_AttributeList_AddAttribute with the type in its name.
 *
 *     OTF2_AttributeList_GetUint8(attributeList, attribute, uint8_t *value)
 * stores the value of an attribute in *value. Errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL
 * pointer and when the list has no such attribute, OTF2_ERROR_INVALID_DATA when it has another
 * type.
 */
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref)                                          \
    OTF2_API OTF2_ErrorCode OTF2_AttributeList_Add##Name(OTF2_AttributeList *attributeList,        \
                                                         OTF2_AttributeRef attribute,              \
                                                         c_type value);                            \
    OTF2_API OTF2_ErrorCode OTF2_AttributeList_Get##Name(const OTF2_AttributeList *attributeList,  \
                                                         OTF2_AttributeRef attribute,              \
                                                         c_type *value);
#include <otf2/otf2_types.def>
#undef VALUE_TYPE

/*
 * Removes the entry of one attribute; the order of the others stays. OTF2_ERROR_INVALID_ARGUMENT
 * for a NULL list and when there is no such entry.
 */
OTF2_API OTF2_ErrorCode OTF2_AttributeList_RemoveAttribute(OTF2_AttributeList *attributeList,
                                                           OTF2_AttributeRef attribute);

/* Empties the list. OTF2_ERROR_INVALID_ARGUMENT for NULL. */
OTF2_API OTF2_ErrorCode OTF2_AttributeList_RemoveAllAttributes(OTF2_AttributeList *attributeList);

/* Whether the list has an entry of this attribute; false for NULL. */
OTF2_API bool OTF2_AttributeList_TestAttributeByID(const OTF2_AttributeList *attributeList,
                                                   OTF2_AttributeRef attribute);

/* As the typed getters above, with *type telling which member of *attributeValue holds. */
OTF2_API OTF2_ErrorCode OTF2_AttributeList_GetAttributeByID(const OTF2_AttributeList *attributeList,
                                                            OTF2_AttributeRef attribute,
                                                            OTF2_Type *type,
                                                            OTF2_AttributeValue *attributeValue);

/*
 * The entry number `index`, counted from 0 in the order of insertion. OTF2_ERROR_INVALID_ARGUMENT
 * for a NULL pointer, OTF2_ERROR_INDEX_OUT_OF_BOUNDS when the list has not that many entries.
 */
OTF2_API OTF2_ErrorCode OTF2_AttributeList_GetAttributeByIndex(
    const OTF2_AttributeList *attributeList, uint32_t index, OTF2_AttributeRef *attribute,
    OTF2_Type *type, OTF2_AttributeValue *attributeValue);

/*
 * Takes the oldest entry off the list and stores it. OTF2_ERROR_INVALID_ARGUMENT for a NULL pointer
 * or an empty list.
 */
OTF2_API OTF2_ErrorCode OTF2_AttributeList_PopAttribute(OTF2_AttributeList *attributeList,
                                                        OTF2_AttributeRef *attribute,
                                                        OTF2_Type *type,
                                                        OTF2_AttributeValue *attributeValue);

/* The number of entries; 0 for NULL. */
OTF2_API uint32_t OTF2_AttributeList_GetNumberOfElements(const OTF2_AttributeList *attributeList);

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif
