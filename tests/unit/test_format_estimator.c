/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format format-mem-libc */
/* The event size estimator: numbers of the reference, and that they are upper bounds. */
#include <criterion/criterion.h>

#include "format/attributes.h"
#include "format/record.h"

#include <otf2/OTF2_EventSizeEstimator.h>

static OTF2_ErrorCode quiet(void *user, const char *file, uint64_t line, const char *function,
                            OTF2_ErrorCode code, const char *format, va_list va)
{
    (void)user;
    (void)file;
    (void)line;
    (void)function;
    (void)format;
    (void)va;
    return code;
}

static OTF2_EventSizeEstimator *e;

static void set_up(void)
{
    OTF2_Error_RegisterCallback(quiet, NULL);
    e = OTF2_EventSizeEstimator_New();
}

static void tear_down(void)
{
    OTF2_EventSizeEstimator_Delete(e);
}

TestSuite(format_estimator, .init = set_up, .fini = tear_down);

Test(format_estimator, sizes_without_definitions)
{
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfTimestamp(e), 9);
    cr_assert_eq(OTF2_EventSizeEstimator_GetDefChunkSize(e), 262144);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfEnterEvent(e), 6);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfBufferFlushEvent(e), 10);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfOmpJoinEvent(e), 2);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfMpiIsendEvent(e), 35);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfIoDeleteFileEvent(e), 8);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfMetricEvent(e, 24), 248);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfMetricEvent(e, 25), 266);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfProgramBeginEvent(e, 200), 1020);
}

Test(format_estimator, matched_probes)
{
    static const struct {
        uint32_t comms;
        size_t probe;
    } sizes[] = {{0, 22},     {1, 22},     {2, 23},        {256, 23},      {257, 24},
                 {65536, 24}, {65537, 25}, {16777216, 25}, {16777217, 26}, {UINT32_MAX, 26}};
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfMpiProbeEvent(e), 26);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        OTF2_EventSizeEstimator_SetNumberOfCommDefinitions(e, sizes[i].comms);
        cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfMpiProbeEvent(e), sizes[i].probe,
                     "%u communicators", sizes[i].comms);
    }
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfMpiMrecvEvent(e), 20);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfMpiImrecvRequestEvent(e), 20);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfMpiImrecvEvent(e), 20);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfMpiImrecvEvent(NULL), 0);
}

Test(format_estimator, references_are_as_long_as_the_last_id)
{
    static const struct {
        uint32_t regions;
        size_t enter;
    } sizes[] = {{0, 2},     {1, 2},     {2, 3},        {256, 3},      {257, 4},
                 {65536, 4}, {65537, 5}, {16777216, 5}, {16777217, 6}, {UINT32_MAX, 6}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        OTF2_EventSizeEstimator_SetNumberOfRegionDefinitions(e, sizes[i].regions);
        cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfEnterEvent(e), sizes[i].enter, "%u regions",
                     sizes[i].regions);
    }
    OTF2_EventSizeEstimator_SetNumberOfMetricDefinitions(e, 1);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfMetricEvent(e, 25), 262);
    OTF2_EventSizeEstimator_SetNumberOfStringDefinitions(e, 1);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfProgramBeginEvent(e, 2), 18);
}

Test(format_estimator, chunks_hold_the_largest_group)
{
    static const struct {
        uint64_t locations;
        uint32_t regions;
        size_t chunk;
    } sizes[] = {{29123, 0, 262144},
                 {29124, 0, 524288},
                 {1864131, 0, 16777216},
                 {1864132, 0, 0},
                 {UINT64_MAX, 0, 0},
                 {1, 65536, 262144},
                 {1, 65537, 524288},
                 {1, 4194294, 16777216},
                 {1, 4194295, 0},
                 {29124, 131063, 786432},
                 {65537, 65537, 786432},
                 /* Whoever has had no locations has short references to them ever after. */
                 {0, 65536, 262144},
                 {65537, 65537, 524288},
                 {16777179, 0, 16777216},
                 {16777180, 0, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        OTF2_EventSizeEstimator_SetNumberOfLocationDefinitions(e, sizes[i].locations);
        OTF2_EventSizeEstimator_SetNumberOfRegionDefinitions(e, sizes[i].regions);
        cr_assert_eq(OTF2_EventSizeEstimator_GetDefChunkSize(e), sizes[i].chunk, "row %zu", i);
    }
}

Test(format_estimator, lists)
{
    OTF2_AttributeList *l = OTF2_AttributeList_New();
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfAttributeList(e, l), 0);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfAttributeList(e, NULL), 0);
    OTF2_AttributeList_AddUint8(l, 0, 3);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfAttributeList(e, l), 11);
    for (uint32_t i = 1; i < 17; i++)
        OTF2_AttributeList_AddUint8(l, i, 3);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfAttributeList(e, l), 131);
    OTF2_EventSizeEstimator_SetNumberOfAttributeDefinitions(e, 300);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfAttributeList(e, l), 97);
    OTF2_AttributeList_Delete(l);
}

/* No event takes more than its estimate, with the largest ids and values there can be. */
Test(format_estimator, estimates_are_upper_bounds)
{
    enum { N = 40 };
    OTF2_Type types[N] = {0};
    OTF2_MetricValue values[N];
    OTF2_StringRef strings[N];
    uint8_t bytes[1024];
    memset(values, 0xfe, sizeof values);
    memset(strings, 0xfe, sizeof strings);
    for (uint32_t n = 0; n < N; n++) {
        struct otf2_evt_Metric metric = {UINT32_MAX - 1, (uint8_t)n, types, values, 0};
        struct otf2_evt_ProgramBegin begin = {UINT32_MAX - 1, n, strings, 0};
        const struct otf2_record *rec = &otf2_events[OTF2_EVT_Metric];
        size_t length = otf2_wire_length_bytes(otf2_record_estimate(rec, &metric));
        size_t used = (size_t)(otf2_record_encode(bytes, rec, &metric) - bytes) + 1 + length;
        cr_assert_leq(used, OTF2_EventSizeEstimator_GetSizeOfMetricEvent(e, (uint8_t)n));

        rec = &otf2_events[OTF2_EVT_ProgramBegin];
        length = otf2_wire_length_bytes(otf2_record_estimate(rec, &begin));
        used = (size_t)(otf2_record_encode(bytes, rec, &begin) - bytes) + 1 + length;
        cr_assert_leq(used, OTF2_EventSizeEstimator_GetSizeOfProgramBeginEvent(e, n));
    }
}

Test(format_estimator, without_an_estimator)
{
    cr_assert_eq(OTF2_EventSizeEstimator_Delete(NULL), OTF2_SUCCESS);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfTimestamp(NULL), 0);
    cr_assert_eq(OTF2_EventSizeEstimator_GetDefChunkSize(NULL), 0);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfEnterEvent(NULL), 0);
    cr_assert_eq(OTF2_EventSizeEstimator_GetSizeOfAttributeList(NULL, NULL), 0);
    cr_assert_eq(OTF2_EventSizeEstimator_SetNumberOfRegionDefinitions(NULL, 3),
                 OTF2_ERROR_INVALID_ARGUMENT);
}
