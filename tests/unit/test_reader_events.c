/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader writer format format-zlib */
/* The events of one location: forward, backward, from any position, and what is said of them. */
#include "tests/unit/archive_build.h"

enum { METRICS = 150 };

static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void *user, OTF2_AttributeList *list,
                                   OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types,
                                   const OTF2_MetricValue *values)
{
    cr_assert_eq(user, heard);
    cr_assert_eq(n, METRICS);
    for (unsigned i = 0; i < METRICS; i++) {
        cr_assert_eq(types[i], i % 2 ? OTF2_TYPE_INT64 : OTF2_TYPE_UINT64);
        cr_assert_eq(values[i].unsigned_int, metric + (uint64_t)i * 0x0101010101);
    }
    return hear(location, time, position, list, metric);
}

static OTF2_CallbackCode on_unknown(OTF2_LocationRef location, OTF2_TimeStamp time,
                                    uint64_t position, void *user, OTF2_AttributeList *list)
{
    cr_assert_eq(user, heard);
    return hear(location, time, position, list, UINT64_MAX);
}

static OTF2_EvtReader *listen(OTF2_Reader *r)
{
    OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r, 0);
    cr_assert_not_null(e);
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, hear_enter);
    OTF2_EvtReaderCallbacks_SetMetricCallback(c, on_metric);
    OTF2_EvtReaderCallbacks_SetUnknownCallback(c, on_unknown);
    cr_assert_eq(OTF2_Reader_RegisterEvtCallbacks(r, e, c, heard), OTF2_SUCCESS);
    OTF2_EvtReaderCallbacks_Delete(c);
    n_heard = 0;
    interrupt_at = UINT64_MAX;
    return e;
}

/* Event i, from 1: some share a time, some have attributes, some are long. */
static struct heard event(uint64_t i, uint64_t long_ones)
{
    bool is_long = long_ones && i % long_ones == 0;
    return (struct heard){0, 100 + i / 3 * 7, i, is_long ? i : i % 1000, i % 5 == 0 ? 2 : 0};
}

static void write_event(OTF2_EvtWriter *w, OTF2_AttributeList *list, uint64_t i, uint64_t long_ones)
{
    struct heard e = event(i, long_ones);
    OTF2_ErrorCode error;
    if (e.attributes) {
        OTF2_AttributeList_AddUint64(list, 1, i);
        OTF2_AttributeList_AddDouble(list, 2, 0.5);
    }
    if (long_ones && i % long_ones == 0) {
        OTF2_Type types[METRICS];
        OTF2_MetricValue values[METRICS];
        for (unsigned m = 0; m < METRICS; m++) {
            types[m] = m % 2 ? OTF2_TYPE_INT64 : OTF2_TYPE_UINT64;
            values[m].unsigned_int = i + (uint64_t)m * 0x0101010101;
        }
        error = OTF2_EvtWriter_Metric(w, e.attributes ? list : NULL, e.time, (uint32_t)i, METRICS,
                                      types, values);
    } else {
        error = OTF2_EvtWriter_Enter(w, e.attributes ? list : NULL, e.time, (uint32_t)e.value);
    }
    cr_assert_eq(error, OTF2_SUCCESS);
}

static void write_events(uint64_t n, uint64_t long_ones)
{
    OTF2_Archive *a = archive_write();
    OTF2_Archive_OpenEvtFiles(a);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 0);
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    for (uint64_t i = 1; i <= n; i++)
        write_event(w, list, i, long_ones);
    OTF2_AttributeList_Delete(list);
    OTF2_Archive_CloseEvtWriter(a, w);
    OTF2_Archive_CloseEvtFiles(a);
    archive_write_defs(a, 0, 1);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

/* What was heard is events [from, to], in the one direction or the other. */
static void check_heard(uint64_t from, uint64_t to, uint64_t long_ones)
{
    uint64_t n = from <= to ? to - from + 1 : from - to + 1;
    cr_assert_eq(n_heard, n, "%llu events instead of %llu", (unsigned long long)n_heard,
                 (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++) {
        struct heard wanted = event(from <= to ? from + i : from - i, long_ones);
        cr_assert(heard_same(&heard[i], &wanted), "event %llu: time %llu, position %llu",
                  (unsigned long long)wanted.position, (unsigned long long)heard[i].time,
                  (unsigned long long)heard[i].position);
    }
    n_heard = 0;
}

static void check_position(OTF2_EvtReader *e, uint64_t position)
{
    uint64_t p;
    cr_assert_eq(OTF2_EvtReader_GetPos(e, &p), OTF2_SUCCESS);
    cr_assert_eq(p, position, "%llu", (unsigned long long)p);
}

Test(reader_events, forward_and_backward_are_the_same, .fini = archive_remove)
{
    /* Short events, so that there are many blocks of marks, over several chunks. */
    enum { N = 60000 };
    uint64_t n;
    write_events(N, 0);
    OTF2_Reader *r = archive_read(1);
    OTF2_EvtReader *e = listen(r);
    check_position(e, 0);
    cr_assert_eq(OTF2_Reader_ReadAllLocalEvents(r, e, &n), OTF2_SUCCESS);
    cr_assert_eq(n, N);
    check_heard(1, N, 0);
    check_position(e, N);
    cr_assert_eq(OTF2_Reader_ReadAllLocalEvents(r, e, &n), OTF2_SUCCESS);
    cr_assert_eq(n, 0);
    cr_assert_eq(OTF2_EvtReader_ReadEventsBackward(e, N + 10, &n), OTF2_SUCCESS);
    cr_assert_eq(n, N);
    check_heard(N, 1, 0);
    check_position(e, 0);
    count_errors();
    cr_assert_eq(OTF2_EvtReader_ReadEventsBackward(e, 1, &n), OTF2_ERROR_INVALID_CALL);
    cr_assert_eq(n, 0);
    cr_assert_eq(OTF2_EvtReader_ReadEvents(e, 10, &n), OTF2_SUCCESS);
    check_heard(1, 10, 0);
    OTF2_Reader_Close(r);
}

Test(reader_events, every_position_is_found, .fini = archive_remove)
{
    enum { N = 1500, LONG = 2, AROUND = 3 };
    uint64_t n;
    write_events(N, LONG);
    OTF2_Reader *r = archive_read(1);
    OTF2_EvtReader *e = listen(r);
    for (uint64_t i = 1; i <= N; i++) {
        uint64_t last = i + AROUND - 1 < N ? i + AROUND - 1 : N;
        cr_assert_eq(OTF2_EvtReader_Seek(e, i), OTF2_SUCCESS);
        check_position(e, i - 1);
        cr_assert_eq(OTF2_EvtReader_ReadEvents(e, AROUND, &n), OTF2_SUCCESS);
        check_heard(i, last, LONG);
        check_position(e, last);
        cr_assert_eq(OTF2_EvtReader_ReadEventsBackward(e, last - i + 1, &n), OTF2_SUCCESS);
        check_heard(last, i, LONG);
        check_position(e, i - 1);
    }
    count_errors();
    cr_assert_eq(OTF2_EvtReader_Seek(e, 7), OTF2_SUCCESS);
    cr_assert_eq(OTF2_EvtReader_Seek(e, 0), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_EvtReader_Seek(e, N + 1), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_EvtReader_Seek(e, UINT64_MAX), OTF2_ERROR_INVALID_ARGUMENT);
    check_position(e, 6);
    cr_assert_eq(OTF2_EvtReader_ReadEvents(e, 1, &n), OTF2_SUCCESS);
    check_heard(7, 7, LONG);
    OTF2_Reader_Close(r);
}

Test(reader_events, wandering_ends_where_it_should, .fini = archive_remove)
{
    enum { N = 20000, LONG = 40, WALKS = 400, MOST = 700 };
    uint64_t n;
    uint64_t at = 0;
    uint64_t dice = 1;
    write_events(N, LONG);
    OTF2_Reader *r = archive_read(1);
    OTF2_EvtReader *e = listen(r);
    for (unsigned i = 0; i < WALKS; i++) {
        dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t steps = 1 + (dice >> 40) % MOST;
        switch (dice >> 33 & 3) {
        case 0:
            at = (dice >> 35) % N;
            cr_assert_eq(OTF2_EvtReader_Seek(e, at + 1), OTF2_SUCCESS);
            break;
        case 1:
            steps = steps < at ? steps : at;
            if (!steps)
                break;
            cr_assert_eq(OTF2_EvtReader_ReadEventsBackward(e, steps, &n), OTF2_SUCCESS);
            check_heard(at, at - steps + 1, LONG);
            at -= steps;
            break;
        default:
            steps = steps < N - at ? steps : N - at;
            cr_assert_eq(OTF2_EvtReader_ReadEvents(e, steps, &n), OTF2_SUCCESS);
            cr_assert_eq(n, steps);
            if (steps)
                check_heard(at + 1, at + steps, LONG);
            at += steps;
        }
        check_position(e, at);
    }
    OTF2_Reader_Close(r);
}

Test(reader_events, every_event_can_interrupt, .fini = archive_remove)
{
    enum { N = 300, LONG = 7 };
    uint64_t n;
    write_events(N, LONG);
    OTF2_Reader *r = archive_read(1);
    OTF2_EvtReader *e = listen(r);
    for (uint64_t i = 1; i <= N; i++) {
        interrupt_at = i;
        cr_assert_eq(OTF2_EvtReader_ReadEvents(e, N, &n), OTF2_ERROR_INTERRUPTED_BY_CALLBACK);
        cr_assert_eq(n, 1);
        check_position(e, i);
    }
    check_heard(1, N, LONG);
    for (uint64_t i = 1; i <= N; i++) {
        interrupt_at = i;
        cr_assert_eq(OTF2_EvtReader_ReadEventsBackward(e, N, &n),
                     OTF2_ERROR_INTERRUPTED_BY_CALLBACK);
        cr_assert_eq(n, 1);
        check_position(e, N - i);
    }
    check_heard(N, 1, LONG);
    OTF2_Reader_Close(r);
}

Test(reader_events, times_can_be_rewritten, .fini = archive_remove)
{
    uint64_t n;
    write_events(100, 0);
    OTF2_Reader *r = archive_read(1);
    OTF2_EvtReader *e = listen(r);
    count_errors();
    cr_assert_eq(OTF2_EvtReader_TimeStampRewrite(e, 5), OTF2_ERROR_INVALID_CALL);
    /* Events 30 to 32 share a timestamp. */
    cr_assert_eq(OTF2_EvtReader_ReadEvents(e, 31, &n), OTF2_SUCCESS);
    cr_assert_eq(OTF2_EvtReader_TimeStampRewrite(e, 12345), OTF2_SUCCESS);
    cr_assert_eq(OTF2_EvtReader_ReadEvents(e, 2, &n), OTF2_SUCCESS);
    cr_assert_eq(heard[31].time, 12345);
    cr_assert_eq(heard[32].time, event(33, 0).time);
    cr_assert_eq(OTF2_EvtReader_ReadEventsBackward(e, 5, &n), OTF2_SUCCESS);
    for (unsigned i = 0; i < 5; i++)
        cr_assert_eq(heard[33 + i].time, i >= 1 && i <= 3 ? 12345 : event(33 - i, 0).time);
    cr_assert_eq(OTF2_EvtReader_Seek(e, 29), OTF2_SUCCESS);
    n_heard = 0;
    cr_assert_eq(OTF2_EvtReader_ReadEvents(e, 5, &n), OTF2_SUCCESS);
    for (unsigned i = 0; i < 5; i++)
        cr_assert_eq(heard[i].time, i >= 1 && i <= 3 ? 12345 : event(29 + i, 0).time);
    OTF2_Reader_Close(r);
}

/* ---- what local definitions say ---- */

static void write_map(OTF2_DefWriter *d, OTF2_MappingType type, uint64_t add, bool is_sparse)
{
    enum { IDS = 10 };
    OTF2_IdMap *map = OTF2_IdMap_Create(is_sparse ? OTF2_ID_MAP_SPARSE : OTF2_ID_MAP_DENSE, IDS);
    for (uint64_t i = 0; i < IDS; i++)
        cr_assert_eq(OTF2_IdMap_AddIdPair(map, is_sparse ? 3 * i : i,
                                          i == 9 ? UINT64_MAX : i + add),
                     OTF2_SUCCESS);
    cr_assert_eq(OTF2_DefWriter_WriteMappingTable(d, type, map), OTF2_SUCCESS);
    OTF2_IdMap_Free(map);
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *user, OTF2_AttributeList *list, uint32_t receiver,
                                 OTF2_CommRef comm, uint32_t tag, uint64_t length)
{
    (void)user;
    cr_assert_eq(receiver, 3);
    cr_assert_eq(tag, 3);
    cr_assert_eq(length, 3);
    return hear(location, time, position, list, comm);
}

static OTF2_CallbackCode on_begin(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *list, OTF2_StringRef name,
                                  uint32_t n, const OTF2_StringRef *arguments)
{
    (void)user;
    uint64_t value = name;
    for (uint32_t i = 0; i < n; i++)
        value = value * 1000 + arguments[i];
    return hear(location, time, position, list, value);
}

static uint64_t listed[3][2];

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *list, OTF2_RegionRef region)
{
    (void)user;
    for (uint32_t i = 0; i < OTF2_AttributeList_GetNumberOfElements(list); i++) {
        OTF2_AttributeRef id;
        OTF2_Type type;
        OTF2_AttributeValue value;
        OTF2_AttributeList_GetAttributeByIndex(list, i, &id, &type, &value);
        listed[i][0] = id;
        listed[i][1] = type == OTF2_TYPE_LOCATION ? value.locationRef : value.stringRef;
    }
    return hear(location, time, position, list, region);
}

static void write_mapped_events(OTF2_EvtWriter *w)
{
    const uint32_t arguments[] = {2, 11};
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    OTF2_EvtWriter_Enter(w, NULL, 10, 3);
    OTF2_EvtWriter_Enter(w, NULL, 11, 9);
    OTF2_EvtWriter_Enter(w, NULL, 12, 10);
    OTF2_EvtWriter_MpiSend(w, NULL, 13, 3, 9, 3, 3);
    OTF2_EvtWriter_MpiSend(w, NULL, 14, 3, 10, 3, 3);
    OTF2_EvtWriter_ProgramBegin(w, NULL, 15, 1, 2, arguments);
    OTF2_AttributeList_AddStringRef(list, 4, 5);
    OTF2_AttributeList_AddLocationRef(list, 5, 6);
    OTF2_AttributeList_AddUint32(list, 100, 7);
    OTF2_EvtWriter_Leave(w, list, 16, 4);
    OTF2_AttributeList_Delete(list);
}

static void read_mapped(OTF2_EvtReader *e)
{
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, hear_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(c, on_begin);
    cr_assert_eq(hear_anew(e, c), 7);
}

Test(reader_events, references_are_translated, .fini = archive_remove)
{
    OTF2_Archive *a = archive_write();
    OTF2_Archive_OpenEvtFiles(a);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 0);
    write_mapped_events(w);
    OTF2_Archive_CloseEvtWriter(a, w);
    OTF2_Archive_CloseEvtFiles(a);
    OTF2_Archive_OpenDefFiles(a);
    OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a, 0);
    write_map(d, OTF2_MAPPING_REGION, 100, false);
    write_map(d, OTF2_MAPPING_COMM, 200, true);
    write_map(d, OTF2_MAPPING_STRING, 300, false);
    write_map(d, OTF2_MAPPING_ATTRIBUTE, 400, false);
    write_map(d, OTF2_MAPPING_LOCATION, UINT64_C(1) << 40, true);
    OTF2_Archive_CloseDefWriter(a, d);
    OTF2_Archive_CloseDefFiles(a);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);

    const uint64_t mapped[] = {103, UINT32_MAX, 10, 203, 10, UINT64_C(301302011), 104};
    const uint64_t raw[] = {3, 9, 10, 9, 10, UINT64_C(1002011), 4};
    OTF2_Reader *r = archive_read(1);
    OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r, 0);
    for (unsigned round = 0; round < 3; round++) {
        bool is_on = round != 1;
        cr_assert_eq(OTF2_EvtReader_ApplyMappingTables(e, is_on), OTF2_SUCCESS);
        read_mapped(e);
        for (unsigned i = 0; i < 7; i++)
            cr_assert_eq(heard[i].value, (is_on ? mapped : raw)[i], "event %u: %llu", i,
                         (unsigned long long)heard[i].value);
        cr_assert_eq(listed[0][0], is_on ? 404u : 4u);
        cr_assert_eq(listed[0][1], is_on ? 305u : 5u);
        cr_assert_eq(listed[1][0], is_on ? 405u : 5u);
        cr_assert_eq(listed[1][1], is_on ? (UINT64_C(1) << 40) + 2 : 6);
        cr_assert_eq(listed[2][0], 100);
        cr_assert_eq(listed[2][1], 7);
    }
    OTF2_Reader_Close(r);
}

Test(reader_events, null_is_an_error)
{
    uint64_t n;
    OTF2_LocationRef location;
    count_errors();
    cr_assert_eq(OTF2_EvtReader_GetLocationID(NULL, &location), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_EvtReader_GetPos(NULL, &n), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_EvtReader_SetCallbacks(NULL, NULL, NULL), OTF2_ERROR_INTEGRITY_FAULT);
    cr_assert_eq(OTF2_EvtReader_Seek(NULL, 1), OTF2_ERROR_INTEGRITY_FAULT);
    cr_assert_eq(OTF2_EvtReader_ReadEvents(NULL, 1, &n), OTF2_ERROR_INTEGRITY_FAULT);
    cr_assert_eq(OTF2_EvtReader_ReadEventsBackward(NULL, 1, &n), OTF2_ERROR_INTEGRITY_FAULT);
    cr_assert_eq(OTF2_EvtReader_TimeStampRewrite(NULL, 1), OTF2_ERROR_INTEGRITY_FAULT);
    cr_assert_eq(OTF2_EvtReader_ApplyMappingTables(NULL, true), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_EvtReader_ApplyClockOffsets(NULL, true), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(reported.n, 9);
}
