/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An archive as programs mean them: consistent definitions, every event, mapping tables and clock
 * offsets that take effect, attribute lists. Tools read it without a complaint.
 */
#include "common.h"

#include <otf2/otf2_records.h>

enum { STRINGS = 40, LOCATIONS = 3 };

static void write_tree(OTF2_GlobalDefWriter *g)
{
    char text[32];
    CODE(OTF2_GlobalDefWriter_WriteClockProperties(g, 1000000, 90, 100000, 1700000000));
    for (uint32_t i = 0; i < STRINGS; i++) {
        snprintf(text, sizeof text, "string %u", i);
        OTF2_GlobalDefWriter_WriteString(g, i, text);
    }
    CODE(OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, 0, 1, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    CODE(OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 1, 2, 3, 0));
    CODE(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(g, 1, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    CODE(OTF2_GlobalDefWriter_WriteLocationGroup(g, 0, 4, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1,
                                                 OTF2_UNDEFINED_LOCATION_GROUP));
    for (uint64_t i = 0; i < LOCATIONS; i++)
        CODE(OTF2_GlobalDefWriter_WriteLocation(g, i, 5, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0));
}

static void write_things(OTF2_GlobalDefWriter *g)
{
    const uint64_t locations[] = {0, 1, 2}, ranks[] = {0, 1, 2};
    const OTF2_MetricMemberRef members[] = {0, 1, 2};
    for (uint32_t i = 0; i < 4; i++)
        CODE(OTF2_GlobalDefWriter_WriteRegion(g, i, 6 + i, 6 + i, 10, OTF2_REGION_ROLE_FUNCTION,
                                              OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 11, i,
                                              i + 5));
    CODE(OTF2_GlobalDefWriter_WriteGroup(g, 0, 12, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                         OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 3, locations));
    CODE(OTF2_GlobalDefWriter_WriteGroup(g, 1, 13, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE, 3, ranks));
    CODE(OTF2_GlobalDefWriter_WriteComm(g, 0, 14, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    CODE(OTF2_GlobalDefWriter_WriteComm(g, 1, 15, 1, 0, OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS));
    CODE(OTF2_GlobalDefWriter_WriteRmaWin(g, 0, 16, 0, OTF2_RMA_WIN_FLAG_NONE));
    for (uint32_t i = 0; i < 3; i++)
        CODE(OTF2_GlobalDefWriter_WriteMetricMember(g, i, 17, 18, OTF2_METRIC_TYPE_OTHER,
                                                    OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64,
                                                    OTF2_BASE_DECIMAL, -3, 19));
    CODE(OTF2_GlobalDefWriter_WriteMetricClass(g, 0, 3, members, OTF2_METRIC_ASYNCHRONOUS,
                                               OTF2_RECORDER_KIND_CPU));
    CODE(OTF2_GlobalDefWriter_WriteParameter(g, 0, 20, OTF2_PARAMETER_TYPE_STRING));
    CODE(OTF2_GlobalDefWriter_WriteParameter(g, 1, 20, OTF2_PARAMETER_TYPE_INT64));
    CODE(OTF2_GlobalDefWriter_WriteParameter(g, 2, 20, OTF2_PARAMETER_TYPE_UINT64));
    CODE(OTF2_GlobalDefWriter_WriteAttribute(g, 0, 21, 22, OTF2_TYPE_UINT32));
    CODE(OTF2_GlobalDefWriter_WriteAttribute(g, 1, 23, 24, OTF2_TYPE_STRING));
    CODE(OTF2_GlobalDefWriter_WriteSourceCodeLocation(g, 0, 25, 17));
    CODE(OTF2_GlobalDefWriter_WriteCallingContext(g, 0, 0, 0, OTF2_UNDEFINED_CALLING_CONTEXT));
    CODE(OTF2_GlobalDefWriter_WriteInterruptGenerator(g, 0, 26, OTF2_INTERRUPT_GENERATOR_MODE_TIME,
                                                      OTF2_BASE_DECIMAL, -9, 1000));
    const OTF2_IoParadigmProperty properties[] = {OTF2_IO_PARADIGM_PROPERTY_VERSION};
    const OTF2_Type types[] = {OTF2_TYPE_STRING};
    const OTF2_AttributeValue values[] = {{.stringRef = 27}};
    CODE(OTF2_GlobalDefWriter_WriteIoParadigm(g, 0, 28, 29, OTF2_IO_PARADIGM_CLASS_SERIAL,
                                              OTF2_IO_PARADIGM_FLAG_NONE, 1, properties, types,
                                              values));
    CODE(OTF2_GlobalDefWriter_WriteIoRegularFile(g, 0, 30, 1));
    CODE(OTF2_GlobalDefWriter_WriteIoHandle(g, 0, 31, 0, 0, OTF2_IO_HANDLE_FLAG_NONE,
                                            OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE));
    CODE(OTF2_GlobalDefWriter_WriteLocationProperty(g, 1, 32, OTF2_TYPE_INT32,
                                                    (OTF2_AttributeValue){.int64 = 0}));
}

/*
 * References are 0, which is defined for every kind, but for parameters, which have a type; other
 * values walk through the sizes of numbers.
 */
static uint64_t counter;
static uint64_t reference;

enum { PARAMETER_STRING = 32, PARAMETER_UNSIGNED_INT = 34 };

static const uint64_t numbers[8] = {0, 0, 0, 0, 0, 0, 0, 0};

enum shown { NUMBER, TIME, TEXT, VALUE, IDMAP, ENUM, REF, COUNT, ARRAY };
enum { ARRAY_NUMBER = ARRAY, ARRAY_ENUM = ARRAY, ARRAY_REF = ARRAY, ARRAY_VALUE = ARRAY };

static void make(void *to, size_t size, enum shown shown)
{
    uint64_t value = 0;
    const void *pointer = numbers;
    if (shown == NUMBER)
        value = UINT64_C(1) << counter++ % 32;
    else if (shown == REF)
        value = reference;
    else if (shown == TIME)
        value = 5000;
    else if (shown == COUNT)
        value = 3;
    memcpy(to, shown >= ARRAY ? (const void *)&pointer : (const void *)&value, size);
}

#define KIND(NAME, c_type, wire, shown, detail)                                                    \
    __attribute__((unused)) static otf2_t_##NAME make_##NAME(void)                                 \
    {                                                                                              \
        otf2_t_##NAME value;                                                                       \
        make(&value, sizeof value, shown);                                                         \
        return value;                                                                              \
    }
#include <otf2/otf2_kinds.def>
#undef KIND

#define ARGUMENT(Row, kind, name) , make_##kind()

static void write_events(OTF2_EvtWriter *w)
{
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    OTF2_TimeStamp time = 100;
    for (unsigned round = 0; round < 300; round++) {
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    reference = id > PARAMETER_STRING && id <= PARAMETER_UNSIGNED_INT ? id - PARAMETER_STRING : 0; \
    if (round % 7 == id % 7) {                                                                     \
        OTF2_AttributeList_AddUint32(list, 0, round * 1000);                                       \
        if (id % 3)                                                                                \
            OTF2_AttributeList_AddStringRef(list, 1, round % STRINGS);                             \
    }                                                                                              \
    if (OTF2_EvtWriter_##Name(w, list, time OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__)))                \
        printf("%s failed\n", #Name);                                                              \
    time += id % 4;
#include <otf2/otf2_events.def>
#undef EVENT
    }
    OTF2_AttributeList_Delete(list);
}

static void write_local(OTF2_DefWriter *d, uint64_t location)
{
    const uint64_t regions[] = {3, 1, 2, 0};
    OTF2_IdMap *dense = OTF2_IdMap_CreateFromUint64Array(4, regions, false);
    OTF2_IdMap *sparse = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, 2);
    OTF2_IdMap_AddIdPair(sparse, 0, 33);
    OTF2_IdMap_AddIdPair(sparse, 7, 8);
    if (location)
        CODE(OTF2_DefWriter_WriteMappingTable(d, OTF2_MAPPING_REGION, dense));
    CODE(OTF2_DefWriter_WriteMappingTable(d, OTF2_MAPPING_STRING, sparse));
    CODE(OTF2_DefWriter_WriteClockOffset(d, 100, 5, 0.25));
    CODE(OTF2_DefWriter_WriteClockOffset(d, 40000, 80 * (int64_t)location, 1e-9));
    OTF2_IdMap_Free(dense);
    OTF2_IdMap_Free(sparse);
}

static void valid(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "valid", CHUNK_MIN);
    CODE(OTF2_Archive_SetCreator(a, "the test"));
    CODE(OTF2_Archive_OpenEvtFiles(a));
    for (uint64_t i = 0; i < LOCATIONS; i++) {
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, i);
        write_events(w);
        CODE(OTF2_Archive_CloseEvtWriter(a, w));
    }
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_OpenDefFiles(a));
    for (uint64_t i = 0; i < LOCATIONS; i++) {
        OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a, i);
        write_local(d, i);
        CODE(OTF2_Archive_CloseDefWriter(a, d));
    }
    CODE(OTF2_Archive_CloseDefFiles(a));
    OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
    write_tree(g);
    write_things(g);
    CODE(OTF2_Archive_Close(a));
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    setvbuf(stdout, NULL, _IOLBF, 0);
    CASE(valid);
    return 0;
}
