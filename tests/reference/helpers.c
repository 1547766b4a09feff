/* SPDX-License-Identifier: BSD-3-Clause */
/* What surrounds the writers: attribute lists, typed values, id maps, sizes of events. */
#include "common.h"

#include <otf2/OTF2_EventSizeEstimator.h>
#include <otf2/otf2_records.h>

static void show_value(OTF2_Type type, OTF2_AttributeValue value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    printf("  type %d value %" PRIx64 "\n", type, bits);
}

static void show_list(const OTF2_AttributeList *list)
{
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);
    printf("  %u:", n);
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef attribute = 0;
        OTF2_Type type = 0;
        OTF2_AttributeValue value = {.uint64 = 0};
        int code = OTF2_AttributeList_GetAttributeByIndex(list, i, &attribute, &type, &value);
        printf(" %d %u/%u/%" PRIx64, code, attribute, type, value.uint64);
    }
    printf("\n");
}

static void lists(const char *dir)
{
    (void)dir;
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    OTF2_AttributeRef attribute = 0;
    OTF2_Type type = 0;
    OTF2_AttributeValue value = {.uint64 = 0};
    show_list(list);
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref)                                          \
    CODE(OTF2_AttributeList_Add##Name(list, OTF2_TYPE_##NAME * 3, (c_type)77));
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
    show_list(list);
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref)                                          \
    {                                                                                              \
        c_type got = 0;                                                                            \
        CODE(OTF2_AttributeList_Get##Name(list, OTF2_TYPE_##NAME * 3, &got));                      \
        printf("  %g\n", (double)got);                                                             \
        CODE(OTF2_AttributeList_Get##Name(list, OTF2_TYPE_##NAME * 3 + 1, &got));                  \
        CODE(OTF2_AttributeList_Get##Name(list, (OTF2_TYPE_##NAME % 25 + 1) * 3, &got));           \
        CODE(OTF2_AttributeList_Get##Name(NULL, 3, &got));                                         \
        ALONE(CODE(OTF2_AttributeList_Get##Name(list, OTF2_TYPE_##NAME * 3, NULL)));               \
        CODE(OTF2_AttributeList_Add##Name(NULL, 1, (c_type)77));                                   \
        CODE(OTF2_AttributeList_Add##Name(list, OTF2_TYPE_##NAME * 3, (c_type)78));                \
    }
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
    CODE(OTF2_AttributeList_AddAttribute(list, 1000, 200, value));
    CODE(OTF2_AttributeList_AddAttribute(list, 1001, OTF2_TYPE_NONE, value));
    CODE(OTF2_AttributeList_RemoveAttribute(list, 6));
    CODE(OTF2_AttributeList_RemoveAttribute(list, 6));
    CODE(OTF2_AttributeList_RemoveAttribute(NULL, 6));
    printf("  %d %d\n", OTF2_AttributeList_TestAttributeByID(list, 6),
           OTF2_AttributeList_TestAttributeByID(list, 9));
    CODE(OTF2_AttributeList_GetAttributeByID(list, 9, &type, &value));
    show_value(type, value);
    CODE(OTF2_AttributeList_GetAttributeByID(list, 6, &type, &value));
    CODE(OTF2_AttributeList_GetAttributeByID(NULL, 6, &type, &value));
    CODE(OTF2_AttributeList_GetAttributeByIndex(list, 500, &attribute, &type, &value));
    CODE(OTF2_AttributeList_GetAttributeByIndex(NULL, 0, &attribute, &type, &value));
    CODE(OTF2_AttributeList_PopAttribute(list, &attribute, &type, &value));
    printf("  %u\n", attribute);
    show_value(type, value);
    CODE(OTF2_AttributeList_PopAttribute(list, &attribute, &type, &value));
    printf("  %u\n", attribute);
    show_list(list);
    CODE(OTF2_AttributeList_RemoveAllAttributes(list));
    CODE(OTF2_AttributeList_RemoveAllAttributes(NULL));
    CODE(OTF2_AttributeList_PopAttribute(list, &attribute, &type, &value));
    show_list(list);
    CODE(OTF2_AttributeList_AddStringRef(list, 4, 5));
    show_list(list);
    CODE(OTF2_AttributeList_Delete(list));
    ALONE(CODE(OTF2_AttributeList_Delete(NULL)));
    ALONE(printf("%u\n", OTF2_AttributeList_GetNumberOfElements(NULL)));
}

/* The enumerations that may stand in a trace. */
static void values(const char *dir)
{
    (void)dir;
#define CALLS_(Name)
#define RECORDED_(Name)                                                                            \
    {                                                                                              \
        OTF2_Type type = 99;                                                                       \
        OTF2_AttributeValue value = {.uint64 = 0};                                                 \
        OTF2_##Name got = 0;                                                                       \
        CODE(OTF2_AttributeValue_Set##Name(3, &type, &value));                                     \
        show_value(type, value);                                                                   \
        CODE(OTF2_AttributeValue_Get##Name(type, value, &got));                                    \
        printf("  %u\n", (unsigned)got);                                                           \
        CODE(OTF2_AttributeValue_Get##Name(OTF2_TYPE_DOUBLE, value, &got));                        \
        CODE(OTF2_AttributeValue_Get##Name(OTF2_TYPE_UINT8, value, &got));                         \
        CODE(OTF2_AttributeValue_Get##Name(OTF2_TYPE_UINT32, value, &got));                        \
        ALONE(CODE(OTF2_AttributeValue_Set##Name(3, NULL, &value)));                               \
        ALONE(CODE(OTF2_AttributeValue_Set##Name(3, &type, NULL)));                                \
        ALONE(CODE(OTF2_AttributeValue_Get##Name(type, value, NULL)));                             \
    }
#define ENUM(Name, c_type, values, where, doc) where##_(Name)
#define VALUE(Name, CONSTANT, number, ...)
#define ALIAS(Name, CONSTANT, number)
#define ENUM_END(Name, c_type)
#include <otf2/otf2_enums.def>
#undef ENUM
#undef VALUE
#undef ALIAS
#undef ENUM_END
}

static void show_pair(uint64_t local, uint64_t global, void *user)
{
    printf("  %d: %" PRIu64 " -> %" PRIu64 "\n", *(int *)user, local, global);
}

static void show_map(OTF2_IdMap *map)
{
    uint64_t n = 0, global = 0;
    OTF2_IdMapMode mode = 9;
    int user = 5;
    CODE(OTF2_IdMap_GetSize(map, &n));
    CODE(OTF2_IdMap_GetMode(map, &mode));
    printf("  %" PRIu64 " mode %d\n", n, mode);
    CODE(OTF2_IdMap_Traverse(map, show_pair, &user));
    for (uint64_t i = 0; i < 12; i++) {
        CODE(OTF2_IdMap_GetGlobalIdSave(map, i, &global));
        printf("  %" PRIu64 "\n", global);
    }
}

static void maps(const char *dir)
{
    (void)dir;
    uint64_t global = 0;
    OTF2_IdMap *dense = HANDLE(OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, 4));
    show_map(dense);
    for (uint64_t i = 0; i < 8; i++)
        CODE(OTF2_IdMap_AddIdPair(dense, (i * 5) % 8, i * 100));
    CODE(OTF2_IdMap_AddIdPair(dense, 3, 7));
    show_map(dense);
    CODE(OTF2_IdMap_Clear(dense));
    show_map(dense);
    OTF2_IdMap_Free(dense);
    OTF2_IdMap *sparse = HANDLE(OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, 2));
    for (uint64_t i = 0; i < 8; i++)
        CODE(OTF2_IdMap_AddIdPair(sparse, (i * 500) % 13, i));
    CODE(OTF2_IdMap_AddIdPair(sparse, 3, 7));
    CODE(OTF2_IdMap_AddIdPair(sparse, UINT64_MAX, UINT64_MAX));
    show_map(sparse);
    CODE(OTF2_IdMap_GetGlobalId(sparse, 6, &global));
    printf("  %" PRIu64 "\n", global);
    CODE(OTF2_IdMap_Clear(sparse));
    show_map(sparse);
    OTF2_IdMap_Free(sparse);

    const uint64_t same[] = {0, 1, 2, 3}, few[] = {0, 1, 2, 3, 4, 9, 6, 7},
                   many[] = {3, 2, 1, 0, UINT64_MAX};
    const uint32_t narrow[] = {3, 2, 1, UINT32_MAX};
    HANDLE(OTF2_IdMap_CreateFromUint64Array(4, same, true));
    show_map(HANDLE(OTF2_IdMap_CreateFromUint64Array(4, same, false)));
    show_map(HANDLE(OTF2_IdMap_CreateFromUint64Array(8, few, true)));
    show_map(HANDLE(OTF2_IdMap_CreateFromUint64Array(8, few, false)));
    show_map(HANDLE(OTF2_IdMap_CreateFromUint64Array(5, many, true)));
    show_map(HANDLE(OTF2_IdMap_CreateFromUint32Array(4, narrow, true)));
    show_map(HANDLE(OTF2_IdMap_CreateFromUint32Array(4, narrow, false)));
    ALONE(HANDLE(OTF2_IdMap_CreateFromUint64Array(0, many, false)));
    ALONE(HANDLE(OTF2_IdMap_CreateFromUint64Array(3, NULL, false)));
    ALONE(HANDLE(OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, 0)));
    ALONE(HANDLE(OTF2_IdMap_Create(7, 3)));
    ALONE(CODE(OTF2_IdMap_GetSize(NULL, &global)));
    ALONE(CODE(OTF2_IdMap_Clear(NULL)));
    ALONE(CODE(OTF2_IdMap_AddIdPair(NULL, 1, 2)));
    ALONE(CODE(OTF2_IdMap_GetGlobalId(NULL, 1, &global)));
    ALONE(CODE(OTF2_IdMap_GetGlobalIdSave(NULL, 1, &global)));
    ALONE(CODE(OTF2_IdMap_Traverse(NULL, show_pair, &global)));
}

/* Only the cells that count arrays are parameters of an estimate. */
#define PROBE_COUNT8 ~, 1
#define PROBE_COUNT32 ~, 1
#define SECOND_(a, b, ...) b
#define IS_COUNT_(...) SECOND_(__VA_ARGS__, 0, ~)
#define COUNT_0
#define COUNT_1 , count
#define COUNT(Row, kind, name) OTF2_CAT_(COUNT_, IS_COUNT_(OTF2_CAT_(PROBE_, kind)))

static void show_sizes(OTF2_EventSizeEstimator *e, uint8_t count)
{
    (void)count;
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    printf("  %s %zu\n", #Name,                                                                    \
           OTF2_EventSizeEstimator_GetSizeOf##Name##Event(e OTF2_SEQ(COUNT, Name, __VA_ARGS__)));
#include <otf2/otf2_events.def>
#undef EVENT
}

/* What a first number of locations, if any, leaves behind. */
static void show_locations(const uint64_t *first)
{
    const uint64_t counts[] = {29123, 29124, 262107, 262108, 1864132, 16777179, 16777180};
    OTF2_EventSizeEstimator *e = HANDLE(OTF2_EventSizeEstimator_New());
    OTF2_AttributeList *list = HANDLE(OTF2_AttributeList_New());
    OTF2_AttributeList_AddLocationRef(list, 1, 1);
    if (first)
        CODE(OTF2_EventSizeEstimator_SetNumberOfLocationDefinitions(e, *first));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        CODE(OTF2_EventSizeEstimator_SetNumberOfLocationDefinitions(e, counts[i]));
        printf("%zu %zu\n", OTF2_EventSizeEstimator_GetDefChunkSize(e),
               OTF2_EventSizeEstimator_GetSizeOfAttributeList(e, list));
    }
    OTF2_AttributeList_Delete(list);
    CODE(OTF2_EventSizeEstimator_Delete(e));
}

static void sizes(const char *dir)
{
    const uint64_t none = 0;
    const uint64_t one = 1;
    show_locations(NULL);
    show_locations(&none);
    show_locations(&one);
    (void)dir;
    OTF2_EventSizeEstimator *e = HANDLE(OTF2_EventSizeEstimator_New());
    show_sizes(e, 1);
    printf("%zu %zu\n", OTF2_EventSizeEstimator_GetDefChunkSize(e),
           OTF2_EventSizeEstimator_GetSizeOfTimestamp(e));
    const uint64_t counts[] = {0, 1, 2, 255, 256, 257, 65537, 16777217, UINT32_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
#define MAPPING(NAME, Name)                                                                        \
    CODE(OTF2_EventSizeEstimator_SetNumberOf##Name##Definitions(e, (OTF2_##Name##Ref)counts[i]));
#include <otf2/otf2_mappings.def>
#undef MAPPING
        show_sizes(e, (uint8_t)(i * 5));
        /* The reference library's sum wraps around for so many locations. */
        if (counts[i] != UINT64_MAX)
            printf("%zu\n", OTF2_EventSizeEstimator_GetDefChunkSize(e));
    }
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    for (uint32_t i = 0; i < 30; i++) {
        printf("%zu\n", OTF2_EventSizeEstimator_GetSizeOfAttributeList(e, list));
        OTF2_AttributeList_AddUint64(list, i, i * 1000);
    }
    OTF2_AttributeList_Delete(list);
    CODE(OTF2_EventSizeEstimator_Delete(e));
    ALONE(CODE(OTF2_EventSizeEstimator_Delete(NULL)));
    ALONE(CODE(OTF2_EventSizeEstimator_SetNumberOfRegionDefinitions(NULL, 1)));
    ALONE(printf("%zu\n", OTF2_EventSizeEstimator_GetSizeOfEnterEvent(NULL)));
    ALONE(printf("%zu\n", OTF2_EventSizeEstimator_GetDefChunkSize(NULL)));
}

/* Of the package's own errors; those of the system are named by number in the reference library. */
static void errors(const char *dir)
{
    (void)dir;
    for (int code = -4; code < 120; code++) {
        bool is_system = code > OTF2_ERROR_INVALID && code < OTF2_ERROR_END_OF_FUNCTION;
        if (!is_system)
            printf("%d %s\n", code, OTF2_Error_GetName((OTF2_ErrorCode)code));
    }
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    setvbuf(stdout, NULL, _IOLBF, 0);
    CASE(lists);
    CASE(values);
    CASE(maps);
    CASE(sizes);
    CASE(errors);
    return 0;
}
