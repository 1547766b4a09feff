/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader writer format format-zlib */
/* Event files byte by byte: the places of records, the kinds of damage, and the results. */
#include "tests/unit/archive_build.h"

enum { N_SMALL = 9 };

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *list, OTF2_RegionRef region)
{
    (void)user;
    return hear(location, time, position, list, region);
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *user, OTF2_AttributeList *list, uint32_t receiver,
                                 OTF2_CommRef comm, uint32_t tag, uint64_t length)
{
    (void)user;
    return hear(location, time, position, list, receiver + comm + tag + length);
}

static OTF2_CallbackCode on_int(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                void *user, OTF2_AttributeList *list, OTF2_ParameterRef parameter,
                                int64_t value)
{
    (void)user;
    return hear(location, time, position, list, parameter + (uint64_t)value);
}

static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void *user, OTF2_AttributeList *list,
                                   OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types,
                                   const OTF2_MetricValue *values)
{
    (void)user;
    uint64_t sum = metric;
    for (unsigned i = 0; i < n; i++)
        sum += types[i] * values[i].unsigned_int;
    return hear(location, time, position, list, sum);
}

static OTF2_CallbackCode on_unknown(OTF2_LocationRef location, OTF2_TimeStamp time,
                                    uint64_t position, void *user, OTF2_AttributeList *list)
{
    (void)user;
    return hear(location, time, position, list, UINT64_MAX);
}

static OTF2_Reader *reader;

/* An archive whose location 0 has these bytes for events. */
static void make(void)
{
    OTF2_Archive *a = archive_write();
    OTF2_Archive_OpenEvtFiles(a);
    OTF2_Archive_CloseEvtWriter(a, OTF2_Archive_GetEvtWriter(a, 0));
    OTF2_Archive_CloseEvtFiles(a);
    archive_write_defs(a, 0, 1);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    reader = archive_read(1);
    count_errors();
}

static void fini(void)
{
    if (reader)
        OTF2_Reader_Close(reader);
    archive_remove();
}

/* Reads the first n bytes as the location's events; how many were heard is in n_heard. */
static OTF2_ErrorCode read_bytes(const struct build *b, size_t n)
{
    uint64_t read = 77;
    archive_replace("0.evt", b, n);
    n_heard = 0;
    reported.n = 0;
    OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(reader, 0);
    if (!e)
        return OTF2_ERROR_INVALID;
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_enter);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
    OTF2_EvtReaderCallbacks_SetParameterIntCallback(c, on_int);
    OTF2_EvtReaderCallbacks_SetMetricCallback(c, on_metric);
    OTF2_EvtReaderCallbacks_SetUnknownCallback(c, on_unknown);
    OTF2_EvtReader_SetCallbacks(e, c, NULL);
    OTF2_EvtReaderCallbacks_Delete(c);
    OTF2_ErrorCode error = OTF2_EvtReader_ReadEvents(e, HEARD_ROOM, &read);
    cr_assert_eq(read, n_heard);
    /* An error stays an error; backward from the error, all events are as before. */
    if (error)
        cr_assert_eq(OTF2_EvtReader_ReadEvents(e, 1, &read), error);
    cr_assert_eq(read, error ? 0 : n_heard);
    uint64_t heard_forward = n_heard;
    OTF2_ErrorCode back = OTF2_EvtReader_ReadEventsBackward(e, HEARD_ROOM, &read);
    cr_assert_eq(back, heard_forward ? OTF2_SUCCESS : OTF2_ERROR_INVALID_CALL);
    cr_assert_eq(read, heard_forward);
    for (uint64_t i = 0; i < heard_forward; i++)
        cr_assert(heard_same(&heard[i], &heard[n_heard - 1 - i]));
    n_heard = heard_forward;
    cr_assert_eq(OTF2_Reader_CloseEvtReader(reader, e), OTF2_SUCCESS);
    return error;
}

static void build_time(struct build *b, uint64_t time)
{
    BUILD(b, 5);
    build_number(b, time, 8);
}

/* Two attributes, 7 and 8, with a byte each. */
static void build_list(struct build *b)
{
    BUILD(b, 6, 10, 1, 2, 1, 7, 1, 0xaa, 1, 8, 1, 0xbb);
}

/* An event of each shape: short, with a list, long, cut short, unknown, with arrays. */
static void build_small(struct build *b)
{
    build_header(b);
    build_time(b, 1000);
    BUILD(b, 12, 0);
    BUILD(b, 13, 2);
    build_number(b, 300, 2);
    build_time(b, 1010);
    build_list(b);
    BUILD(b, 14, 9, 1, 1, 0, 1, 7, 3);
    build_number(b, 0x100000, 3);
    BUILD(b, 12, 0xff);
    build_frame(b, 14, 5, true);
    BUILD(b, 1, 1, 0, 0, 0);
    build_time(b, 1020);
    build_list(b);
    BUILD(b, 200, 3, 9, 9, 9);
    BUILD(b, 33, 11, 1, 4, 8);
    build_number(b, (uint64_t)-2, 8);
    BUILD(b, 31, 9, 1, 5, 2, 4, 1, 6, 8, 1, 7);
    build_time(b, 1030);
    BUILD(b, 13, 4);
    build_number(b, 0x01020304, 4);
    build_end(b);
}

static const struct heard small[N_SMALL] = {
    {0, 1000, 1, 0, 0},          {0, 1000, 2, 300, 0},
    {0, 1010, 3, 0x100008, 2},   {0, 1010, 4, UINT32_MAX, 0},
    {0, 1010, 5, 1, 0},          {0, 1020, 6, UINT64_MAX, 2},
    {0, 1020, 7, 2, 0},          {0, 1020, 8, 5 + 4 * 6 + 8 * 7, 0},
    {0, 1030, 9, 0x01020304, 0},
};

static void check_small(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        cr_assert(heard_same(&heard[i], &small[i]), "event %llu: %llu at %llu",
                  (unsigned long long)i + 1, (unsigned long long)heard[i].value,
                  (unsigned long long)heard[i].time);
}

Test(event_files, either_byte_order_is_read, .init = make, .fini = fini)
{
    for (int is_big = 0; is_big < 2; is_big++) {
        struct build b = {.is_big = is_big};
        build_small(&b);
        cr_assert_eq(read_bytes(&b, b.n), OTF2_SUCCESS);
        cr_assert_eq(n_heard, N_SMALL);
        check_small(N_SMALL);
        cr_assert_eq(reported.n, 0);
        build_free(&b);
    }
}

Test(event_files, byte_orders_may_change_with_the_chunk, .init = make, .fini = fini)
{
    struct build b = {0};
    build_small(&b);
    b.n -= 2;
    b.is_big = true;
    build_next_chunk(&b);
    BUILD(&b, 12, 2, 1, 0);
    build_time(&b, 5000);
    BUILD(&b, 12, 2, 1, 1);
    b.is_big = false;
    build_next_chunk(&b);
    BUILD(&b, 12, 2, 1, 0);
    build_end(&b);
    cr_assert_eq(read_bytes(&b, b.n), OTF2_SUCCESS);
    cr_assert_eq(n_heard, N_SMALL + 3);
    check_small(N_SMALL);
    cr_assert(heard_same(&heard[N_SMALL], &(struct heard){0, 1030, 10, 256, 0}));
    cr_assert(heard_same(&heard[N_SMALL + 1], &(struct heard){0, 5000, 11, 257, 0}));
    cr_assert(heard_same(&heard[N_SMALL + 2], &(struct heard){0, 5000, 12, 1, 0}));
    build_free(&b);
}

Test(event_files, a_cut_file_gives_what_is_intact, .init = make, .fini = fini)
{
    struct build b = {0};
    uint64_t most = 0;
    build_small(&b);
    /* The last byte is nobody's business. */
    for (size_t n = 1; n < b.n - 1; n++) {
        OTF2_ErrorCode error = read_bytes(&b, n);
        cr_assert_eq(error, OTF2_ERROR_INVALID_DATA, "%zu bytes: %d", n, (int)error);
        check_small(n_heard);
        cr_assert_geq(n_heard, most);
        most = n_heard;
        cr_assert_not_null(strstr(reported.text, "0.evt"));
    }
    cr_assert_eq(most, N_SMALL);
    cr_assert_eq(read_bytes(&b, b.n - 1), OTF2_SUCCESS);
    cr_assert_eq(n_heard, N_SMALL);
    build_free(&b);
}

Test(event_files, an_error_tells_file_and_offset, .init = make, .fini = fini)
{
    struct build b = {0};
    build_header(&b);
    BUILD(&b, 12, 0);
    BUILD(&b, 14, 100);
    OTF2_EvtReader *e;
    uint64_t n;
    archive_replace("0.evt", &b, b.n);
    e = OTF2_Reader_GetEvtReader(reader, 0);
    cr_assert_eq(OTF2_EvtReader_ReadEvents(e, 10, &n), OTF2_ERROR_INVALID_DATA);
    cr_assert_eq(n, 1);
    cr_assert_eq(reported.n, 1);
    cr_assert_not_null(strstr(reported.text, "/traces/0.evt"), "%s", reported.text);
    cr_assert_not_null(strstr(reported.text, "offset 20"), "%s", reported.text);
    build_free(&b);
}

/* Any byte may be anything: nothing is to be expected but an end. */
Test(event_files, damaged_bytes_do_no_harm, .init = make, .fini = fini)
{
    static const uint8_t values[] = {0, 1, 2, 3, 5, 6, 7, 9, 12, 31, 0x7f, 0x80, 0xfe, 0xff};
    uint64_t n;
    struct build b = {0};
    build_small(&b);
    for (size_t at = 0; at < b.n; at++) {
        for (size_t v = 0; v < sizeof values; v++) {
            uint8_t before = b.bytes[at];
            b.bytes[at] = values[v];
            archive_replace("0.evt", &b, b.n);
            OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(reader, 0);
            cr_assert_not_null(e);
            OTF2_EvtReader_ReadEvents(e, HEARD_ROOM, &n);
            cr_assert_leq(n, b.n);
            OTF2_EvtReader_ReadEventsBackward(e, HEARD_ROOM, &n);
            cr_assert_leq(n, b.n);
            OTF2_EvtReader_Seek(e, 3);
            OTF2_EvtReader_TimeStampRewrite(e, 1);
            OTF2_EvtReader_ReadEvents(e, HEARD_ROOM, &n);
            OTF2_Reader_CloseEvtReader(reader, e);
            b.bytes[at] = before;
        }
    }
    build_free(&b);
}

Test(event_files, timestamps_may_stand_anywhere, .init = make, .fini = fini)
{
    struct build b = {0};
    build_header(&b);
    BUILD(&b, 12, 1, 1);
    build_time(&b, 10);
    build_time(&b, 20);
    build_time(&b, 30);
    BUILD(&b, 12, 1, 2);
    build_list(&b);
    build_time(&b, 40);
    BUILD(&b, 12, 1, 3);
    build_time(&b, 25);
    BUILD(&b, 12, 1, 4);
    build_time(&b, 50);
    build_end(&b);
    cr_assert_eq(read_bytes(&b, b.n), OTF2_SUCCESS);
    cr_assert_eq(n_heard, 4);
    cr_assert(heard_same(&heard[0], &(struct heard){0, 0, 1, 1, 0}));
    cr_assert(heard_same(&heard[1], &(struct heard){0, 30, 2, 2, 0}));
    cr_assert(heard_same(&heard[2], &(struct heard){0, 40, 3, 3, 2}));
    cr_assert(heard_same(&heard[3], &(struct heard){0, 25, 4, 4, 0}));
    build_free(&b);
}

/* The same far away from the end of the file, where events are read without checks. */
Test(event_files, unusual_events_in_the_middle, .init = make, .fini = fini)
{
    enum { BEFORE = 1000 };
    struct build b = {0};
    build_header(&b);
    for (unsigned i = 0; i < BEFORE; i++)
        BUILD(&b, 12, 1, 1);
    size_t begin = b.n;
    struct build s = {0};
    build_small(&s);
    build_bytes(&b, s.bytes + 18, s.n - 20);
    /* Attributes of a later version, leading zeros of an older version, an empty list. */
    BUILD(&b, 14, 12, 1, 1, 0, 1, 7, 3, 0, 0, 0x10, 4, 4, 4);
    BUILD(&b, 12, 4, 1, 0, 0, 0);
    BUILD(&b, 6, 1, 0, 12, 1, 1);
    for (unsigned i = 0; i < BEFORE; i++)
        BUILD(&b, 12, 1, 1);
    build_end(&b);
    cr_assert_eq(read_bytes(&b, b.n), OTF2_SUCCESS);
    cr_assert_eq(n_heard, 2 * BEFORE + N_SMALL + 3);
    for (unsigned i = 0; i < N_SMALL; i++) {
        struct heard wanted = small[i];
        wanted.position += BEFORE;
        cr_assert(heard_same(&heard[BEFORE + i], &wanted), "event %u", i);
    }
    uint64_t last = BEFORE + N_SMALL;
    cr_assert(heard_same(&heard[last], &(struct heard){0, 1030, last + 1, 0x100008, 0}));
    cr_assert(heard_same(&heard[last + 1], &(struct heard){0, 1030, last + 2, 1, 0}));
    cr_assert(heard_same(&heard[last + 2], &(struct heard){0, 1030, last + 3, 1, 0}));

    /* Impossible counts, in turn. */
    static const uint8_t bad[][4] = {{12, 5, 1, 1},    {12, 0x80, 1, 1},     {14, 2, 9, 1},
                                     {31, 3, 0, 0xff}, {22, 0xfe, 0, 0},     {1, 1, 1, 1},
                                     {6, 2, 1, 9},     {6, 0xff, 0xff, 0xff}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        b.n = begin;
        build_bytes(&b, bad[i], sizeof bad[i]);
        for (unsigned j = 0; j < 10; j++)
            BUILD(&b, 0xfe, 0xfe, 0xfe, 0xfe);
        uint64_t n;
        archive_replace("0.evt", &b, b.n);
        OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(reader, 0);
        cr_assert_eq(OTF2_EvtReader_ReadEvents(e, HEARD_ROOM, &n), OTF2_ERROR_INVALID_DATA,
                     "row %zu", i);
        cr_assert_eq(n, BEFORE, "row %zu: %llu", i, (unsigned long long)n);
        OTF2_Reader_CloseEvtReader(reader, e);
    }
    build_free(&s);
    build_free(&b);
}

/*
 * No room for the mark at the end of a chunk, and a single byte for the mark at the end of the
 * file.
 */
Test(event_files, chunks_may_be_full_to_the_last_byte, .init = make, .fini = fini)
{
    struct build b = {0};
    uint64_t n = 1;
    build_header(&b);
    for (; b.n + 2 <= BUILD_CHUNK_BYTES; n++)
        BUILD(&b, 12, 0);
    build_next_chunk(&b);
    BUILD(&b, 12, 1, 1);
    for (; b.n + 3 <= 2 * BUILD_CHUNK_BYTES; n++)
        BUILD(&b, 12, 0);
    build_end(&b);
    cr_assert_eq(b.n, 2 * BUILD_CHUNK_BYTES + 1);
    cr_assert_eq(read_bytes(&b, b.n), OTF2_SUCCESS);
    cr_assert_eq(n_heard, n);
    build_free(&b);
}
