/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong uses of writers, and what they answer. */
#include "common.h"

static void foreign_writer(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "w1", CHUNK_MIN);
    OTF2_Archive *b = open_archive(dir, "w2", CHUNK_MIN);
    CODE(OTF2_Archive_OpenEvtFiles(a));
    CODE(OTF2_Archive_OpenEvtFiles(b));
    OTF2_EvtWriter *w = HANDLE(OTF2_Archive_GetEvtWriter(a, 1));
    CODE(OTF2_Archive_CloseEvtWriter(b, w));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_Close(b));
    CODE(OTF2_Archive_Close(a));
}

static void null_writers(const char *dir)
{
    (void)dir;
    OTF2_LocationRef l;
    uint64_t n;
    void *p;
    CODE(OTF2_EvtWriter_GetLocationID(NULL, &l));
    CODE(OTF2_EvtWriter_SetLocationID(NULL, 1));
    CODE(OTF2_EvtWriter_SetUserData(NULL, NULL));
    CODE(OTF2_EvtWriter_GetUserData(NULL, &p));
    CODE(OTF2_EvtWriter_GetNumberOfEvents(NULL, &n));
    CODE(OTF2_EvtWriter_StoreRewindPoint(NULL, 1));
    CODE(OTF2_EvtWriter_Rewind(NULL, 1));
    CODE(OTF2_EvtWriter_ClearRewindPoint(NULL, 1));
    CODE(OTF2_EvtWriter_Enter(NULL, NULL, 1, 1));
    CODE(OTF2_EvtWriter_Metric(NULL, NULL, 1, 1, 0, NULL, NULL));
    CODE(OTF2_EvtWriter_ProgramEnd(NULL, NULL, 1, 1));
    CODE(OTF2_DefWriter_GetLocationID(NULL, &l));
    CODE(OTF2_DefWriter_WriteString(NULL, 0, "x"));
    CODE(OTF2_DefWriter_WriteClockOffset(NULL, 0, 0, 0));
    CODE(OTF2_DefWriter_WriteMappingTable(NULL, OTF2_MAPPING_REGION, NULL));
    CODE(OTF2_GlobalDefWriter_WriteString(NULL, 0, "x"));
    CODE(OTF2_GlobalDefWriter_GetNumberOfDefinitions(NULL, &n));
    CODE(OTF2_GlobalDefWriter_GetNumberOfLocations(NULL, &n));
    CODE(OTF2_SnapWriter_GetLocationID(NULL, &l));
    CODE(OTF2_SnapWriter_Enter(NULL, NULL, 1, 1, 1));
    CODE(OTF2_MarkerWriter_WriteDefMarker(NULL, 0, "a", "b", OTF2_SEVERITY_LOW));
    CODE(OTF2_MarkerWriter_WriteMarker(NULL, 0, 0, 0, OTF2_MARKER_SCOPE_GLOBAL, 0, "t"));
    CODE(OTF2_ThumbWriter_WriteSample(NULL, 0, 0, NULL));
}

static void bad_events(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "v1", CHUNK_MIN);
    CODE(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *w = HANDLE(OTF2_Archive_GetEvtWriter(a, 1));
    OTF2_LocationRef l = 0;
    uint64_t n = 0;
    void *p = NULL;
    ALONE(CODE(OTF2_EvtWriter_GetLocationID(w, NULL)));
    ALONE(CODE(OTF2_EvtWriter_GetNumberOfEvents(w, NULL)));
    ALONE(CODE(OTF2_EvtWriter_GetUserData(w, NULL)));
    CODE(OTF2_EvtWriter_SetUserData(w, NULL));
    CODE(OTF2_EvtWriter_SetUserData(w, &l));
    CODE(OTF2_EvtWriter_GetUserData(w, &p));
    printf("  %d\n", p == &l);
    CODE(OTF2_EvtWriter_GetLocationID(w, &l));
    printf("  %" PRIu64 "\n", l);
    CODE(OTF2_EvtWriter_SetLocationID(w, 2));
    CODE(OTF2_EvtWriter_SetLocationID(w, 1));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 10, 1));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 9, 2));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 0, 3));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 10, 4));
    CODE(OTF2_EvtWriter_Enter(w, NULL, OTF2_UNDEFINED_TIMESTAMP, 5));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 11, 6));
    CODE(OTF2_EvtWriter_Metric(w, NULL, OTF2_UNDEFINED_TIMESTAMP, 1, 0, NULL, NULL));
    CODE(OTF2_EvtWriter_ProgramBegin(w, NULL, OTF2_UNDEFINED_TIMESTAMP, 1, 0, NULL));
    ALONE(CODE(OTF2_EvtWriter_Metric(w, NULL, OTF2_UNDEFINED_TIMESTAMP, 1, 2, NULL, NULL)));
    ALONE(CODE(OTF2_EvtWriter_ProgramBegin(w, NULL, OTF2_UNDEFINED_TIMESTAMP, 1, 2, NULL)));
    CODE(OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, OTF2_UNDEFINED_TIMESTAMP, 200, 1, 1, 1, 1));
    CODE(OTF2_EvtWriter_GetNumberOfEvents(w, &n));
    printf("  %" PRIu64 "\n", n);
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    CODE(OTF2_AttributeList_AddUint32(list, 1, 2));
    CODE(OTF2_EvtWriter_Enter(w, list, 5, 6));
    printf("  %u\n", OTF2_AttributeList_GetNumberOfElements(list));
    CODE(OTF2_EvtWriter_Enter(w, list, OTF2_UNDEFINED_TIMESTAMP, 6));
    printf("  %u\n", OTF2_AttributeList_GetNumberOfElements(list));
    CODE(OTF2_EvtWriter_Enter(w, list, OTF2_UNDEFINED_TIMESTAMP, 6));
    OTF2_AttributeList_Delete(list);
    CODE(OTF2_EvtWriter_Rewind(w, 3));
    CODE(OTF2_EvtWriter_ClearRewindPoint(w, 3));
    CODE(OTF2_Archive_CloseEvtWriter(a, w));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_Close(a));
}

static void late_location(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "l1", CHUNK_MIN);
    CODE(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *w = HANDLE(OTF2_Archive_GetEvtWriter(a, OTF2_UNDEFINED_LOCATION));
    OTF2_EvtWriter *v = HANDLE(OTF2_Archive_GetEvtWriter(a, OTF2_UNDEFINED_LOCATION));
    printf("  %d\n", w == v);
    OTF2_LocationRef l = 0;
    CODE(OTF2_EvtWriter_GetLocationID(w, &l));
    printf("  %" PRIu64 "\n", l);
    CODE(OTF2_EvtWriter_Enter(w, NULL, 1, 1));
    CODE(OTF2_EvtWriter_SetLocationID(w, OTF2_UNDEFINED_LOCATION));
    CODE(OTF2_EvtWriter_SetLocationID(w, 12));
    CODE(OTF2_EvtWriter_SetLocationID(w, 13));
    CODE(OTF2_EvtWriter_GetLocationID(w, &l));
    printf("  %" PRIu64 "\n", l);
    printf("found: %d\n", OTF2_Archive_GetEvtWriter(a, 12) == w);
    CODE(OTF2_EvtWriter_Enter(v, NULL, 1, 1));
    CODE(OTF2_EvtWriter_SetLocationID(v, 12));
    CODE(OTF2_Archive_CloseEvtWriter(a, w));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_Close(a));
}

static void undefined_location(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "l2", CHUNK_MIN);
    CODE(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *w = HANDLE(OTF2_Archive_GetEvtWriter(a, OTF2_UNDEFINED_LOCATION));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 1, 1));
    CODE(OTF2_Archive_CloseEvtWriter(a, w));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_Close(a));
}

static void bad_definitions(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "g1", CHUNK_MIN);
    OTF2_GlobalDefWriter *g = HANDLE(OTF2_Archive_GetGlobalDefWriter(a));
    printf("same: %d\n", g == OTF2_Archive_GetGlobalDefWriter(a));
    uint64_t n = 0;
    ALONE(CODE(OTF2_GlobalDefWriter_GetNumberOfDefinitions(g, NULL)));
    ALONE(CODE(OTF2_GlobalDefWriter_GetNumberOfLocations(g, NULL)));
    CODE(OTF2_GlobalDefWriter_WriteString(g, 0, ""));
    CODE(OTF2_GlobalDefWriter_WriteString(g, 0, "again"));
    CODE(OTF2_GlobalDefWriter_WriteString(g, OTF2_UNDEFINED_STRING, "undefined"));
    CODE(OTF2_GlobalDefWriter_WriteLocation(g, 1, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0));
    CODE(OTF2_GlobalDefWriter_WriteLocation(g, 1, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0));
    CODE(OTF2_GlobalDefWriter_WriteGroup(g, 1, 0, OTF2_GROUP_TYPE_LOCATIONS, 0, 0, 0, NULL));
    CODE(OTF2_GlobalDefWriter_WriteMetricClass(g, 1, 0, NULL, 0, 0));
    CODE(OTF2_GlobalDefWriter_WriteClockProperties(g, 1, 0, 0, 0));
    CODE(OTF2_GlobalDefWriter_WriteClockProperties(g, 1, 0, 0, 0));
    CODE(OTF2_GlobalDefWriter_WriteParadigm(g, 250, 0, 250));
    CODE(OTF2_GlobalDefWriter_WriteRegion(g, 1, 1, 1, 1, 255, 255, 77, 1, 1, 1));
    CODE(OTF2_GlobalDefWriter_GetNumberOfDefinitions(g, &n));
    printf("  %" PRIu64 "\n", n);
    CODE(OTF2_GlobalDefWriter_GetNumberOfLocations(g, &n));
    printf("  %" PRIu64 "\n", n);
    CODE(OTF2_Archive_GetNumberOfLocations(a, &n));
    printf("  %" PRIu64 "\n", n);
    CODE(OTF2_Archive_GetNumberOfGlobalDefinitions(a, &n));
    printf("  %" PRIu64 "\n", n);
    CODE(OTF2_Archive_CloseGlobalDefWriter(a, g));
    CODE(OTF2_Archive_GetNumberOfLocations(a, &n));
    printf("  %" PRIu64 "\n", n);
    CODE(OTF2_Archive_GetNumberOfGlobalDefinitions(a, &n));
    printf("  %" PRIu64 "\n", n);
    CODE(OTF2_Archive_Close(a));
}

static void null_string(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "g2", CHUNK_MIN);
    OTF2_GlobalDefWriter *g = HANDLE(OTF2_Archive_GetGlobalDefWriter(a));
    CODE(OTF2_GlobalDefWriter_WriteString(g, 0, NULL));
    CODE(OTF2_Archive_Close(a));
}

static void null_members(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "g3", CHUNK_MIN);
    OTF2_GlobalDefWriter *g = HANDLE(OTF2_Archive_GetGlobalDefWriter(a));
    CODE(OTF2_GlobalDefWriter_WriteGroup(g, 1, 0, OTF2_GROUP_TYPE_LOCATIONS, 0, 0, 2, NULL));
    CODE(OTF2_Archive_Close(a));
}

static void huge_records(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "h1", CHUNK_MIN);
    OTF2_GlobalDefWriter *g = HANDLE(OTF2_Archive_GetGlobalDefWriter(a));
    char *text = malloc(CHUNK_MIN + 1);
    memset(text, 'x', CHUNK_MIN);
    for (uint32_t n = 262100; n < 262125; n++) {
        if (n == 262113) {
            /* Those that do not fit: the reference library begins a chunk for each, we do not. */
            CODE(OTF2_GlobalDefWriter_WriteString(g, 13, "in a new chunk"));
            CODE(OTF2_Archive_Close(a));
            a = open_archive(dir, "unequal", CHUNK_MIN);
            g = OTF2_Archive_GetGlobalDefWriter(a);
        }
        text[n] = 0;
        printf("%u: ", n);
        CODE(OTF2_GlobalDefWriter_WriteString(g, n - 262100, text));
        text[n] = 'x';
    }
    uint64_t n = 0;
    CODE(OTF2_GlobalDefWriter_GetNumberOfDefinitions(g, &n));
    printf("  %" PRIu64 "\n", n);
    CODE(OTF2_Archive_Close(a));
}

static void local_definitions(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "m1", CHUNK_MIN);
    CODE(OTF2_Archive_OpenDefFiles(a));
    OTF2_DefWriter *d = HANDLE(OTF2_Archive_GetDefWriter(a, 3));
    OTF2_LocationRef l = 0;
    ALONE(CODE(OTF2_DefWriter_GetLocationID(d, NULL)));
    CODE(OTF2_DefWriter_GetLocationID(d, &l));
    printf("  %" PRIu64 "\n", l);
    ALONE(CODE(OTF2_DefWriter_WriteMappingTable(d, OTF2_MAPPING_REGION, NULL)));
    OTF2_IdMap *empty = OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, 4);
    CODE(OTF2_DefWriter_WriteMappingTable(d, OTF2_MAPPING_REGION, empty));
    ALONE(CODE(OTF2_DefWriter_WriteMappingTable(d, 200, empty)));
    CODE(OTF2_DefWriter_WriteClockOffset(d, 5, -1, 0.5));
    CODE(OTF2_DefWriter_WriteClockOffset(d, 5, -1, 0.5));
    CODE(OTF2_DefWriter_WriteClockOffset(d, 4, -1, 0.5));
    CODE(OTF2_Archive_CloseDefWriter(a, d));
    CODE(OTF2_Archive_CloseDefFiles(a));
    CODE(OTF2_Archive_Close(a));
    OTF2_IdMap_Free(empty);
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    setvbuf(stdout, NULL, _IOLBF, 0);
    CASE(foreign_writer);
    CASE(null_writers);
    CASE(bad_events);
    CASE(late_location);
    CASE(undefined_location);
    CASE(bad_definitions);
    CASE(null_string);
    CASE(null_members);
    CASE(huge_records);
    CASE(local_definitions);
    return 0;
}
