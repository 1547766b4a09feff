/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader writer format format-zlib */
/* Snapshots of one location and of all, from the begin and from a time on. */
#include "tests/unit/archive_build.h"

enum { SNAPSHOTS = 400, RECORDS = 5, METRICS = 30 };

/* What a record says: its kind in the lowest digit. */
enum { START = 1, END = 2, ENTER = 3, METRIC = 4, UNKNOWN = 5 };

static bool is_global;

static OTF2_CallbackCode on_start(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *list, uint64_t n)
{
    cr_assert_eq(user, is_global ? (void *)&is_global : heard);
    cr_assert_eq(n, RECORDS - 2);
    return hear(location, time, 0, list, START);
}

static OTF2_CallbackCode on_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                OTF2_AttributeList *list, uint64_t position)
{
    (void)user;
    return hear(location, time, 0, list, END + 10 * position);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *list, OTF2_TimeStamp original,
                                  OTF2_RegionRef region)
{
    (void)user;
    cr_assert_eq(original, time - 1);
    return hear(location, time, 0, list, ENTER + 10 * (uint64_t)region);
}

static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                   OTF2_AttributeList *list, OTF2_TimeStamp original,
                                   OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types,
                                   const OTF2_MetricValue *values)
{
    (void)user;
    cr_assert_eq(original, time - 2);
    cr_assert_eq(n, METRICS);
    for (unsigned i = 0; i < METRICS; i++)
        cr_assert(types[i] == OTF2_TYPE_UINT64 && values[i].unsigned_int == time * i);
    return hear(location, time, 0, list, METRIC + 10 * (uint64_t)metric);
}

static OTF2_CallbackCode on_unknown(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                    OTF2_AttributeList *list)
{
    (void)user;
    return hear(location, time, 0, list, UNKNOWN);
}

/* Snapshots at 100, 200, ...; those of location 1 one tick later. */
static uint64_t time_of(uint64_t location, uint64_t i)
{
    return 100 * (i + 1) + location;
}

static void write_snapshot(OTF2_SnapWriter *w, OTF2_AttributeList *list, uint64_t location,
                           uint64_t i)
{
    uint64_t time = time_of(location, i);
    OTF2_Type types[METRICS];
    OTF2_MetricValue values[METRICS];
    for (unsigned m = 0; m < METRICS; m++) {
        types[m] = OTF2_TYPE_UINT64;
        values[m].unsigned_int = time * m;
    }
    OTF2_SnapWriter_SnapshotStart(w, NULL, time, RECORDS - 2);
    OTF2_AttributeList_AddUint64(list, 1, i);
    OTF2_SnapWriter_Enter(w, list, time, time - 1, 7);
    OTF2_SnapWriter_Enter(w, NULL, time, time - 1, 8);
    OTF2_SnapWriter_Metric(w, NULL, time, time - 2, 9, METRICS, types, values);
    cr_assert_eq(OTF2_SnapWriter_SnapshotEnd(w, NULL, time, i), OTF2_SUCCESS);
}

static void make(void)
{
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    OTF2_Archive *a = archive_write();
    OTF2_Archive_OpenSnapFiles(a);
    for (uint64_t location = 0; location < 2; location++) {
        OTF2_SnapWriter *w = OTF2_Archive_GetSnapWriter(a, location);
        for (uint64_t i = 0; i < SNAPSHOTS; i++)
            write_snapshot(w, list, location, i);
        OTF2_Archive_CloseSnapWriter(a, w);
    }
    OTF2_Archive_CloseSnapFiles(a);
    OTF2_AttributeList_Delete(list);
    archive_write_defs(a, 0, 2);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    n_heard = 0;
    interrupt_at = UINT64_MAX;
    is_global = false;
}

/* What was heard from record `from` of a location on, counted over all its snapshots. */
static void check_local(uint64_t from, uint64_t n)
{
    cr_assert_eq(n_heard, n);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t snapshot = (from + i) / RECORDS;
        const uint64_t values[RECORDS] = {START, 70 + ENTER, 80 + ENTER, 90 + METRIC,
                                          10 * snapshot + END};
        uint64_t record = (from + i) % RECORDS;
        struct heard wanted = {0, time_of(0, snapshot), 0, values[record], record == 1};
        cr_assert(heard_same(&heard[i], &wanted), "record %llu", (unsigned long long)(from + i));
    }
    n_heard = 0;
}

static OTF2_SnapReader *listen(OTF2_Reader *r)
{
    cr_assert_eq(OTF2_Reader_OpenSnapFiles(r), OTF2_SUCCESS);
    OTF2_SnapReader *s = OTF2_Reader_GetSnapReader(r, 0);
    OTF2_SnapReaderCallbacks *c = OTF2_SnapReaderCallbacks_New();
    OTF2_SnapReaderCallbacks_SetSnapshotStartCallback(c, on_start);
    OTF2_SnapReaderCallbacks_SetSnapshotEndCallback(c, on_end);
    OTF2_SnapReaderCallbacks_SetEnterCallback(c, on_enter);
    OTF2_SnapReaderCallbacks_SetMetricCallback(c, on_metric);
    OTF2_SnapReaderCallbacks_SetUnknownCallback(c, on_unknown);
    cr_assert_eq(OTF2_Reader_RegisterSnapCallbacks(r, s, c, heard), OTF2_SUCCESS);
    OTF2_SnapReaderCallbacks_Delete(c);
    return s;
}

Test(reader_snaps, records_come_as_they_were_written, .init = make, .fini = archive_remove)
{
    uint64_t n;
    OTF2_LocationRef location;
    OTF2_Reader *r = archive_read(2);
    OTF2_SnapReader *s = listen(r);
    cr_assert_eq(OTF2_SnapReader_GetLocationID(s, &location), OTF2_SUCCESS);
    cr_assert_eq(location, 0);
    cr_assert_eq(OTF2_SnapReader_ReadSnapshots(s, 7, &n), OTF2_SUCCESS);
    cr_assert_eq(n, 7);
    check_local(0, 7);
    cr_assert_eq(OTF2_Reader_ReadAllLocalSnapshots(r, s, &n), OTF2_SUCCESS);
    cr_assert_eq(n, SNAPSHOTS * RECORDS - 7);
    check_local(7, n);
    cr_assert_eq(OTF2_SnapReader_ReadSnapshots(s, 7, &n), OTF2_SUCCESS);
    cr_assert_eq(n, 0);
    OTF2_Reader_Close(r);
}

Test(reader_snaps, the_last_snapshot_before_a_time_is_found, .init = make, .fini = archive_remove)
{
    uint64_t n;
    bool found;
    OTF2_Reader *r = archive_read(2);
    OTF2_SnapReader *s = listen(r);
    for (uint64_t i = 0; i < SNAPSHOTS; i++) {
        const uint64_t times[] = {time_of(0, i), time_of(0, i) + 1, time_of(0, i + 1) - 1};
        for (unsigned t = 0; t < 3; t++) {
            cr_assert_eq(OTF2_SnapReader_Seek(s, times[t], &found), OTF2_SUCCESS);
            cr_assert(found);
            cr_assert_eq(OTF2_SnapReader_ReadSnapshots(s, 3, &n), OTF2_SUCCESS);
            check_local(i * RECORDS, 3);
        }
    }
    cr_assert_eq(OTF2_SnapReader_Seek(s, UINT64_MAX, &found), OTF2_SUCCESS);
    cr_assert(found);
    cr_assert_eq(OTF2_SnapReader_ReadSnapshots(s, 100, &n), OTF2_SUCCESS);
    check_local((SNAPSHOTS - 1) * RECORDS, RECORDS);
    cr_assert_eq(OTF2_SnapReader_Seek(s, time_of(0, 0) - 1, &found), OTF2_SUCCESS);
    cr_assert_not(found);
    cr_assert_eq(OTF2_SnapReader_ReadSnapshots(s, 1, &n), OTF2_SUCCESS);
    check_local(0, 1);
    OTF2_Reader_Close(r);
}

Test(reader_snaps, every_record_can_interrupt, .init = make, .fini = archive_remove)
{
    uint64_t n;
    OTF2_Reader *r = archive_read(2);
    OTF2_SnapReader *s = listen(r);
    for (uint64_t i = 1; i <= SNAPSHOTS * RECORDS; i++) {
        interrupt_at = i;
        cr_assert_eq(OTF2_SnapReader_ReadSnapshots(s, 100, &n), OTF2_ERROR_INTERRUPTED_BY_CALLBACK);
        cr_assert_eq(n, 1);
    }
    check_local(0, SNAPSHOTS * RECORDS);
    OTF2_Reader_Close(r);
}

static OTF2_GlobalSnapReader *listen_to_all(OTF2_Reader *r)
{
    OTF2_GlobalSnapReader *g = OTF2_Reader_GetGlobalSnapReader(r);
    cr_assert_not_null(g);
    OTF2_GlobalSnapReaderCallbacks *c = OTF2_GlobalSnapReaderCallbacks_New();
    OTF2_GlobalSnapReaderCallbacks_SetSnapshotStartCallback(c, on_start);
    OTF2_GlobalSnapReaderCallbacks_SetSnapshotEndCallback(c, on_end);
    OTF2_GlobalSnapReaderCallbacks_SetEnterCallback(c, on_enter);
    OTF2_GlobalSnapReaderCallbacks_SetMetricCallback(c, on_metric);
    OTF2_GlobalSnapReaderCallbacks_SetUnknownCallback(c, on_unknown);
    is_global = true;
    cr_assert_eq(OTF2_Reader_RegisterGlobalSnapCallbacks(r, g, c, &is_global), OTF2_SUCCESS);
    OTF2_GlobalSnapReaderCallbacks_Delete(c);
    return g;
}

Test(reader_snaps, all_locations_come_by_time, .init = make, .fini = archive_remove)
{
    enum { ALL = 2 * SNAPSHOTS * RECORDS };
    uint64_t n;
    OTF2_Reader *r = archive_read(2);
    count_errors();
    cr_assert_null(OTF2_Reader_GetGlobalSnapReader(r));
    OTF2_SnapReader *s = listen(r);
    cr_assert_not_null(OTF2_Reader_GetSnapReader(r, 1));
    OTF2_GlobalSnapReader *g = listen_to_all(r);
    bool found;
    cr_assert_eq(OTF2_SnapReader_ReadSnapshots(s, 1, &n), OTF2_ERROR_INVALID_CALL);
    cr_assert_eq(OTF2_SnapReader_Seek(s, 1, &found), OTF2_ERROR_INVALID_CALL);
    interrupt_at = 8;
    cr_assert_eq(OTF2_GlobalSnapReader_ReadSnapshots(g, 100, &n),
                 OTF2_ERROR_INTERRUPTED_BY_CALLBACK);
    cr_assert_eq(n, 8);
    cr_assert_eq(OTF2_Reader_ReadGlobalSnapshots(r, g, 10, &n), OTF2_SUCCESS);
    cr_assert_eq(n, 10);
    cr_assert_eq(OTF2_Reader_ReadAllGlobalSnapshots(r, g, &n), OTF2_SUCCESS);
    cr_assert_eq(n_heard, ALL);
    for (uint64_t i = 0; i < ALL; i++) {
        uint64_t snapshot = i / RECORDS / 2;
        uint64_t location = i / RECORDS % 2;
        cr_assert_eq(heard[i].location, location);
        cr_assert_eq(heard[i].time, time_of(location, snapshot));
    }
    cr_assert_eq(OTF2_Reader_CloseGlobalSnapReader(r, g), OTF2_SUCCESS);
    cr_assert_null(OTF2_Reader_GetGlobalSnapReader(r));
    OTF2_Reader_Close(r);
}

Test(reader_snaps, files_may_be_cut_or_of_later_versions, .init = make, .fini = archive_remove)
{
    static const uint8_t records[] = {5, 9, 0, 0, 0, 0, 0, 0, 0, 10, 2,  1,  3, 99, 2,
                                      7, 7, 6, 6, 1, 1, 1, 7, 0, 0,  13, 12, 8, 0,  0,
                                      0, 0, 0, 0, 0, 1, 5, 9, 9, 11, 2,  1,  4};
    uint64_t n;
    uint64_t most = 0;
    struct build b = {0};
    build_header(&b);
    build_bytes(&b, records, sizeof records);
    build_end(&b);
    count_errors();
    for (size_t cut = 1; cut < b.n; cut++) {
        OTF2_Reader *r = archive_read(1);
        archive_replace("0.snap", &b, cut);
        n_heard = 0;
        OTF2_ErrorCode error = OTF2_SnapReader_ReadSnapshots(listen(r), 100, &n);
        cr_assert_eq(error, cut < b.n - 1 ? OTF2_ERROR_INVALID_DATA : OTF2_SUCCESS);
        cr_assert_eq(n, n_heard);
        cr_assert_geq(n, most);
        most = n;
        OTF2_Reader_Close(r);
    }
    cr_assert_eq(most, 4);
    cr_assert(heard_same(&heard[0], &(struct heard){0, 9, 0, START, 0}));
    cr_assert(heard_same(&heard[1], &(struct heard){0, 9, 0, UNKNOWN, 0}));
    cr_assert(heard_same(&heard[2], &(struct heard){0, 9, 0, ENTER + 50, 1}));
    cr_assert(heard_same(&heard[3], &(struct heard){0, 9, 0, END + 40, 0}));
    build_free(&b);
}

Test(reader_snaps, null_is_an_error)
{
    uint64_t n;
    bool found;
    OTF2_LocationRef location;
    count_errors();
    cr_assert_eq(OTF2_SnapReader_GetLocationID(NULL, &location), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_SnapReader_SetCallbacks(NULL, NULL, NULL), OTF2_ERROR_INTEGRITY_FAULT);
    cr_assert_eq(OTF2_SnapReader_Seek(NULL, 1, &found), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_SnapReader_ReadSnapshots(NULL, 1, &n), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_GlobalSnapReader_SetCallbacks(NULL, NULL, NULL), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_GlobalSnapReader_ReadSnapshots(NULL, 1, &n), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(reported.n, 6);
}
