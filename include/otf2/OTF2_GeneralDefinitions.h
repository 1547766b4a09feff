/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers, references and enumerations that the whole library uses. Names, types and values are
 * those of OTF2 3.2.
 */
#ifndef OTF2_GENERAL_DEFINITIONS_H
#define OTF2_GENERAL_DEFINITIONS_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of OTF2 whose API and format this library has. Every archive contains it. */
#define OTF2_VERSION_MAJOR 3
#define OTF2_VERSION_MINOR 2
#define OTF2_VERSION_BUGFIX 0
#define OTF2_VERSION_SUFFIX ""
#define OTF2_VERSION "3.2"

/* "No value": all bits set in unsigned types, only the highest in signed ones. */
#define OTF2_UNDEFINED_UINT8 ((uint8_t)UINT8_MAX)
#define OTF2_UNDEFINED_INT8 ((int8_t)INT8_MIN)
#define OTF2_UNDEFINED_UINT16 ((uint16_t)UINT16_MAX)
#define OTF2_UNDEFINED_INT16 ((int16_t)INT16_MIN)
#define OTF2_UNDEFINED_UINT32 ((uint32_t)UINT32_MAX)
#define OTF2_UNDEFINED_INT32 ((int32_t)INT32_MIN)
#define OTF2_UNDEFINED_UINT64 ((uint64_t)UINT64_MAX)
#define OTF2_UNDEFINED_INT64 ((int64_t)INT64_MIN)
#define OTF2_UNDEFINED_TYPE OTF2_UNDEFINED_UINT8

/* Ticks of the archive's clock, see the ClockProperties definition for their length and origin. */
typedef uint64_t OTF2_TimeStamp;
#define OTF2_UNDEFINED_TIMESTAMP OTF2_UNDEFINED_UINT64

/*
 * References to definitions: numbers that the writing program chooses. Metric covers metric classes
 * and instances, Comm covers communicators and inter-communicators, IoFile covers files and
 * directories.
 */
typedef uint8_t OTF2_IoParadigmRef;
typedef uint32_t OTF2_StringRef;
typedef uint32_t OTF2_AttributeRef;
typedef uint32_t OTF2_SystemTreeNodeRef;
typedef uint32_t OTF2_LocationGroupRef;
typedef uint64_t OTF2_LocationRef;
typedef uint32_t OTF2_RegionRef;
typedef uint32_t OTF2_CallsiteRef;
typedef uint32_t OTF2_CallpathRef;
typedef uint32_t OTF2_GroupRef;
typedef uint32_t OTF2_MetricMemberRef;
typedef uint32_t OTF2_MetricRef;
typedef uint32_t OTF2_CommRef;
typedef uint32_t OTF2_ParameterRef;
typedef uint32_t OTF2_RmaWinRef;
typedef uint32_t OTF2_CartDimensionRef;
typedef uint32_t OTF2_CartTopologyRef;
typedef uint32_t OTF2_SourceCodeLocationRef;
typedef uint32_t OTF2_CallingContextRef;
typedef uint32_t OTF2_InterruptGeneratorRef;
typedef uint32_t OTF2_IoFileRef;
typedef uint32_t OTF2_IoHandleRef;

/* "No definition", for each kind of reference. */
#define OTF2_UNDEFINED_IO_PARADIGM ((OTF2_IoParadigmRef)OTF2_UNDEFINED_UINT8)
#define OTF2_UNDEFINED_STRING ((OTF2_StringRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_ATTRIBUTE ((OTF2_AttributeRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_SYSTEM_TREE_NODE ((OTF2_SystemTreeNodeRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_LOCATION_GROUP ((OTF2_LocationGroupRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_LOCATION ((OTF2_LocationRef)OTF2_UNDEFINED_UINT64)
#define OTF2_UNDEFINED_REGION ((OTF2_RegionRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_CALLSITE ((OTF2_CallsiteRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_CALLPATH ((OTF2_CallpathRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_GROUP ((OTF2_GroupRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_METRIC_MEMBER ((OTF2_MetricMemberRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_METRIC ((OTF2_MetricRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_COMM ((OTF2_CommRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_PARAMETER ((OTF2_ParameterRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_RMA_WIN ((OTF2_RmaWinRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_CART_DIMENSION ((OTF2_CartDimensionRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_CART_TOPOLOGY ((OTF2_CartTopologyRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_SOURCE_CODE_LOCATION ((OTF2_SourceCodeLocationRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_CALLING_CONTEXT ((OTF2_CallingContextRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_INTERRUPT_GENERATOR ((OTF2_InterruptGeneratorRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_IO_FILE ((OTF2_IoFileRef)OTF2_UNDEFINED_UINT32)
#define OTF2_UNDEFINED_IO_HANDLE ((OTF2_IoHandleRef)OTF2_UNDEFINED_UINT32)

/*
 * The enumerations of otf2_enums.def. OTF2_Name is an integer of the size that is stored. Its
 * constants belong to enum OTF2_Name_enum.
 */
#define OTF2_ENUM_uint8_t_(Type)                                                                   \
    typedef uint8_t Type;                                                                          \
    enum Type##_enum
#define OTF2_ENUM_uint32_t_(Type)                                                                  \
    typedef uint32_t Type;                                                                         \
    __extension__ enum Type##_enum
#define OTF2_ENUM_ENUM_(Type) typedef enum Type##_enum
#define OTF2_ENUM_END_uint8_t_(Type)
#define OTF2_ENUM_END_uint32_t_(Type)
#define OTF2_ENUM_END_ENUM_(Type) Type
/* clang-format off */
#define ENUM(Name, c_type, values, where, doc) OTF2_ENUM_##c_type##_(OTF2_##Name) {
#define VALUE(Name, CONSTANT, number, ...)                                                         \
    CONSTANT OTF2_IF_OLD_(OTF2_OLD_##CONSTANT, , ) = number,
#define ALIAS(Name, CONSTANT, number) VALUE(Name, CONSTANT, number, "")
#define ENUM_END(Name, c_type) } OTF2_ENUM_END_##c_type##_(OTF2_##Name);
/* clang-format on */
#include <otf2/otf2_enums.def>
#undef ENUM
#undef VALUE
#undef ALIAS
#undef ENUM_END

/* The bounds, in bytes, of the chunk sizes that OTF2_Archive_Open accepts. */
#define OTF2_CHUNK_SIZE_MIN ((uint64_t)(256 * 1024))
#define OTF2_CHUNK_SIZE_MAX ((uint64_t)(1024 * 1024 * 16))

/* Handles of readers. */
typedef struct OTF2_EvtReader_struct OTF2_EvtReader;
typedef struct OTF2_GlobalEvtReader_struct OTF2_GlobalEvtReader;
typedef struct OTF2_DefReader_struct OTF2_DefReader;
typedef struct OTF2_GlobalDefReader_struct OTF2_GlobalDefReader;
typedef struct OTF2_SnapReader_struct OTF2_SnapReader;
typedef struct OTF2_GlobalSnapReader_struct OTF2_GlobalSnapReader;
typedef struct OTF2_MarkerReader_struct OTF2_MarkerReader;

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif
