/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader writer format format-zlib */
/* Readers of definitions and markers: the records for callbacks, and the state of locations. */
#include "tests/unit/defs_build.h"

TestSuite(reader_defs, .init = begin, .fini = end);

/* ---- every kind of record ---- */

enum { COUNT = 3 };

static const uint64_t numbers[COUNT] = {0x0101010101010101, 0x0202020202020202, 0x0303030303030303};

static void fill_field(char *at, const struct otf2_kind_info *kind, unsigned i,
                       const OTF2_IdMap *map)
{
    const void *pointer = kind->wire == OTF2_WIRE_TEXT    ? "a text"
                          : kind->wire == OTF2_WIRE_IDMAP ? (const void *)map
                                                          : numbers;
    uint64_t number = kind->shown == OTF2_SHOWN_COUNT ? (uint64_t)COUNT : i + 1;
    if (kind->wire == OTF2_WIRE_TEXT || kind->wire == OTF2_WIRE_IDMAP ||
        kind->shown >= OTF2_SHOWN_ARRAY_NUMBER)
        memcpy(at, &pointer, sizeof pointer);
    else
        memcpy(at, &number, kind->wire == OTF2_WIRE_VALUE ? sizeof number : kind->size);
}

static void build_filled(struct build *b, const struct otf2_record *rec)
{
    char data[sizeof(union otf2_any_record)];
    OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(COUNT, numbers, false);
    memset(data, 0, sizeof data);
    for (unsigned i = 0; i < rec->nfields; i++)
        fill_field(data + rec->fields[i].offset, &otf2_kinds[rec->fields[i].kind], i, map);
    build_record(b, rec, data);
    OTF2_IdMap_Free(map);
}

/* The records that callbacks got, encoded again: the same bytes as in the file. */
static struct build heard;
static unsigned n_heard;
static unsigned interrupt_at;

static OTF2_CallbackCode answer(void *user)
{
    cr_expect_eq(user, &heard);
    return ++n_heard == interrupt_at ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

#define ARGUMENT(Row, kind, name_) .name_ = name_,
#define HEAR(prefix, table, Index, Name, ...)                                                      \
    static OTF2_CallbackCode hear_##prefix##_##Name(                                               \
        void *userData OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))                                    \
    {                                                                                              \
        struct otf2_##prefix##_##Name data = {OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__)};              \
        build_record(&heard, &table[Index##Name], &data);                                          \
        return answer(userData);                                                                   \
    }
#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    HEAR(def, otf2_defs, OTF2_DEF_, Name, __VA_ARGS__)
#define LOCAL_DEF SHARED_DEF
#define GLOBAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF
#define MARKER(Name, NAME, id, major, minor, ...)                                                  \
    HEAR(marker, otf2_markers, OTF2_MARK_, Name, __VA_ARGS__)
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB

static OTF2_CallbackCode hear_unknown(void *userData)
{
    BUILD(&heard, 99, 1, 0);
    return answer(userData);
}

static const OTF2_GlobalDefReaderCallbacks global_callbacks = {
    .Unknown = hear_unknown,
#define SHARED_DEF(Name, ...) .Name = hear_def_##Name,
#define LOCAL_DEF(...)
#define GLOBAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF
};

static const OTF2_DefReaderCallbacks local_callbacks = {
    .Unknown = hear_unknown,
#define SHARED_DEF(Name, ...) .Name = hear_def_##Name,
#define LOCAL_DEF SHARED_DEF
#define GLOBAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF
};

static const OTF2_MarkerReaderCallbacks marker_callbacks = {
    .Unknown = hear_unknown,
#define MARKER(Name, ...) .Name = hear_marker_##Name,
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
};

/* All kinds of records of a place and an unknown kind, twice; returns the number. */
static unsigned build_all(struct build *b, enum otf2_place place)
{
    unsigned n = 0;
    build_header(b);
    for (unsigned round = 0; round < 2; round++) {
        if (round)
            build_next_chunk(b);
        for (unsigned id = 5; id < 99; id++) {
            const struct otf2_record *rec = otf2_record_by_id(place, (uint8_t)id);
            bool is_once =
                rec == &otf2_defs[OTF2_DEF_MappingTable] || rec == &otf2_defs[OTF2_DEF_ClockOffset];
            if (!rec || (round && is_once))
                continue;
            build_filled(b, rec);
            n++;
        }
        BUILD(b, 99, 1, 0);
        n++;
    }
    build_end(b);
    return n;
}

/* A kind of reader. */
struct subject {
    enum otf2_place place;
    const char *file;
    OTF2_GlobalDefReader *global;
    OTF2_DefReader *local;
    OTF2_MarkerReader *marker;
};

static void subject_open(struct subject *s)
{
    OTF2_ErrorCode error = OTF2_ERROR_INVALID;
    if (s->place == OTF2_PLACE_GLOBAL_DEFS) {
        s->global = otf2_global_def_reader_open(&reader);
        error = OTF2_GlobalDefReader_SetCallbacks(s->global, &global_callbacks, &heard);
    } else if (s->place == OTF2_PLACE_LOCAL_DEFS) {
        s->local = otf2_def_reader_open(&reader, otf2_locations_intern(&reader.locations, 7));
        error = OTF2_DefReader_SetCallbacks(s->local, &local_callbacks, &heard);
    } else {
        s->marker = otf2_marker_reader_open(&reader);
        error = OTF2_MarkerReader_SetCallbacks(s->marker, &marker_callbacks, &heard);
    }
    cr_assert_eq(error, OTF2_SUCCESS, "%s", reported.text);
    heard.n = 0;
    n_heard = 0;
    interrupt_at = 0;
}

static OTF2_ErrorCode subject_read(struct subject *s, uint64_t to_read, uint64_t *n)
{
    if (s->global)
        return OTF2_GlobalDefReader_ReadDefinitions(s->global, to_read, n);
    if (s->local)
        return OTF2_DefReader_ReadDefinitions(s->local, to_read, n);
    return OTF2_MarkerReader_ReadMarkers(s->marker, to_read, n);
}

static void subject_close(struct subject *s)
{
    if (s->global)
        otf2_global_def_reader_close(s->global);
    else if (s->local)
        otf2_def_reader_close(s->local);
    else
        otf2_marker_reader_close(s->marker);
    s->global = NULL;
    s->local = NULL;
    s->marker = NULL;
    otf2_locations_fini(&reader.locations); /* a location's maps stay when a reader closes */
}

/* The heard records are the content of the file but for chunk headers, padding and end. */
static void check_heard(const struct build *b)
{
    size_t at = 18;
    for (size_t i = 0; i < heard.n; i++, at++) {
        if (b->bytes[at] == 0 && at % BUILD_CHUNK_BYTES && heard.bytes[i] != 0)
            at = BUILD_CHUNK_BYTES + 18;
        cr_assert_eq(heard.bytes[i], b->bytes[at], "byte %zu of what was heard", i);
    }
    cr_assert_eq(b->bytes[at], 2, "all of it");
}

static void try_subject(struct subject *s)
{
    struct build b = {0};
    uint64_t n = 99;
    unsigned all = build_all(&b, s->place);
    save(&b, s->file);
    subject_open(s);
    cr_expect_eq(subject_read(s, OTF2_UNDEFINED_UINT64, &n), OTF2_SUCCESS, "%s", reported.text);
    cr_expect_eq(n, all);
    cr_expect_eq(n_heard, all);
    check_heard(&b);
    cr_expect_eq(subject_read(s, 10, &n), OTF2_SUCCESS, "there is nothing behind the end");
    cr_expect_eq(n, 0);
    subject_close(s);

    /* In pieces, from nothing at all to everything. */
    for (uint64_t piece = 1; piece <= all + 1; piece++) {
        uint64_t sum = 0;
        subject_open(s);
        cr_expect_eq(subject_read(s, 0, &n), OTF2_SUCCESS);
        cr_expect_eq(n, 0);
        do {
            cr_expect_eq(subject_read(s, piece, &n), OTF2_SUCCESS);
            sum += n;
        } while (n == piece);
        cr_expect_eq(sum, all);
        check_heard(&b);
        subject_close(s);
    }
    /* Interrupted at each record: the record counts, and the next record comes next. */
    for (unsigned at = 1; at <= all; at++) {
        subject_open(s);
        interrupt_at = at;
        cr_expect_eq(subject_read(s, all, &n), OTF2_ERROR_INTERRUPTED_BY_CALLBACK);
        cr_expect_eq(n, at);
        cr_expect_eq(subject_read(s, all, &n), OTF2_SUCCESS);
        cr_expect_eq(n, all - at);
        check_heard(&b);
        subject_close(s);
    }
    cr_expect_eq(reported.n, 0, "%s", reported.text);
    build_free(&b);
}

Test(reader_defs, global)
{
    try_subject(&(struct subject){.place = OTF2_PLACE_GLOBAL_DEFS, .file = "traces.def"});
}

Test(reader_defs, local)
{
    try_subject(&(struct subject){.place = OTF2_PLACE_LOCAL_DEFS, .file = "traces/7.def"});
}

Test(reader_defs, markers)
{
    try_subject(&(struct subject){.place = OTF2_PLACE_MARKERS, .file = "traces.marker"});
}

Test(reader_defs, without_callbacks)
{
    struct build b = {0};
    uint64_t n;
    unsigned all = build_all(&b, OTF2_PLACE_GLOBAL_DEFS);
    save(&b, "traces.def");
    OTF2_GlobalDefReader *g = otf2_global_def_reader_open(&reader);
    cr_expect_eq(OTF2_GlobalDefReader_ReadDefinitions(g, 10, &n), OTF2_SUCCESS);
    cr_expect_eq(n, 10);
    /* Callbacks can be set, and set again, at any time. */
    n_heard = 0;
    OTF2_GlobalDefReader_SetCallbacks(g, &global_callbacks, &heard);
    OTF2_GlobalDefReader_ReadDefinitions(g, 5, &n);
    cr_expect_eq(n_heard, 5);
    OTF2_GlobalDefReader_SetCallbacks(g, &(OTF2_GlobalDefReaderCallbacks){0}, NULL);
    cr_expect_eq(OTF2_GlobalDefReader_ReadDefinitions(g, OTF2_UNDEFINED_UINT64, &n), OTF2_SUCCESS);
    cr_expect_eq(n, all - 15);
    cr_expect_eq(n_heard, 5);
    otf2_global_def_reader_close(g);
    build_free(&b);
}

/* ---- arguments ---- */

Test(reader_defs, arguments)
{
    struct build b = {0};
    uint64_t n = 4711;
    OTF2_LocationRef id = 0;
    build_header(&b);
    build_end(&b);
    save(&b, "traces.def");
    save(&b, "traces.marker");
    save(&b, "traces/7.def");
    OTF2_GlobalDefReader *g = otf2_global_def_reader_open(&reader);
    OTF2_DefReader *d = otf2_def_reader_open(&reader, otf2_locations_intern(&reader.locations, 7));
    OTF2_MarkerReader *m = otf2_marker_reader_open(&reader);
#define GIVES(code, call)                                                                          \
    reported.n = 0;                                                                                \
    cr_expect_eq(call, code, #call);                                                               \
    cr_expect_eq(reported.n, (code) ? 1 : 0, #call);
    GIVES(OTF2_ERROR_INTEGRITY_FAULT, OTF2_GlobalDefReader_SetCallbacks(NULL, &global_callbacks, 0))
    GIVES(OTF2_ERROR_INVALID_ARGUMENT, OTF2_GlobalDefReader_SetCallbacks(g, NULL, 0))
    GIVES(OTF2_ERROR_INVALID_ARGUMENT, OTF2_GlobalDefReader_ReadDefinitions(NULL, 1, &n))
    GIVES(OTF2_ERROR_INVALID_ARGUMENT, OTF2_GlobalDefReader_ReadDefinitions(g, 1, NULL))
    GIVES(OTF2_ERROR_INTEGRITY_FAULT, OTF2_DefReader_SetCallbacks(NULL, &local_callbacks, 0))
    GIVES(OTF2_ERROR_INVALID_ARGUMENT, OTF2_DefReader_SetCallbacks(d, NULL, 0))
    GIVES(OTF2_ERROR_INVALID_ARGUMENT, OTF2_DefReader_ReadDefinitions(NULL, 1, &n))
    GIVES(OTF2_ERROR_INVALID_ARGUMENT, OTF2_DefReader_ReadDefinitions(d, 1, NULL))
    GIVES(OTF2_ERROR_INTEGRITY_FAULT, OTF2_DefReader_GetLocationID(NULL, &id))
    GIVES(OTF2_ERROR_INVALID_ARGUMENT, OTF2_DefReader_GetLocationID(d, NULL))
    GIVES(OTF2_SUCCESS, OTF2_DefReader_GetLocationID(d, &id))
    cr_expect_eq(id, 7);
    GIVES(OTF2_ERROR_INTEGRITY_FAULT, OTF2_MarkerReader_SetCallbacks(NULL, &marker_callbacks, 0))
    GIVES(OTF2_ERROR_INVALID_ARGUMENT, OTF2_MarkerReader_SetCallbacks(m, NULL, 0))
    GIVES(OTF2_ERROR_INVALID_ARGUMENT, OTF2_MarkerReader_ReadMarkers(NULL, 1, &n))
    GIVES(OTF2_ERROR_INVALID_ARGUMENT, OTF2_MarkerReader_ReadMarkers(m, 1, NULL))
    cr_expect_eq(n, 4711);
    otf2_global_def_reader_close(g);
    otf2_def_reader_close(d);
    otf2_marker_reader_close(m);
    build_free(&b);
}

Test(reader_defs, files_that_are_missing)
{
    cr_expect_null(otf2_global_def_reader_open(&reader));
    cr_expect_eq(reported.n, 1);
    cr_expect_eq(reported.code, OTF2_ERROR_ENOENT);
    cr_expect(strstr(reported.text, "traces.def"), "%s", reported.text);
    cr_expect_null(otf2_def_reader_open(&reader, otf2_locations_intern(&reader.locations, 7)));
    cr_expect(strstr(reported.text, "traces/7.def"), "%s", reported.text);
    cr_expect_null(otf2_marker_reader_open(&reader));
    cr_expect(strstr(reported.text, "traces.marker"), "%s", reported.text);
    cr_expect_null(otf2_thumb_reader_open(&reader, 3));
    cr_expect(strstr(reported.text, "traces.3.thumb"), "%s", reported.text);
    cr_expect_eq(reported.n, 4);
}

/* ---- the state of locations ---- */

static void build_map(struct build *b, OTF2_MappingType type, const uint64_t *ids, unsigned n)
{
    OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(n, ids, false);
    build_record(b, &otf2_defs[OTF2_DEF_MappingTable],
                 &(struct otf2_def_MappingTable){.mappingType = type, .idMap = map});
    OTF2_IdMap_Free(map);
}

static void build_clock(struct build *b, uint64_t time, int64_t offset)
{
    build_record(b, &otf2_defs[OTF2_DEF_ClockOffset],
                 &(struct otf2_def_ClockOffset){.time = time, .offset = offset});
}

static uint64_t mapped(const struct otf2_location *location, OTF2_MappingType type, uint64_t id)
{
    uint64_t global = 4711;
    cr_assert_not_null(location->maps[type]);
    OTF2_IdMap_GetGlobalId(location->maps[type], id, &global);
    return global;
}

Test(reader_defs, tables_and_offsets_stay_with_the_location)
{
    static const uint64_t first[] = {5, 6, 7};
    static const uint64_t second[] = {8, 9};
    struct build b = {0};
    uint64_t n;
    build_header(&b);
    build_map(&b, OTF2_MAPPING_REGION, first, 3);
    build_clock(&b, 10, 1);
    build_map(&b, OTF2_MAPPING_REGION, second, 2); /* the first stays in force */
    build_map(&b, OTF2_MAPPING_COMM, second, 2);
    build_clock(&b, 10, 2); /* not later */
    build_clock(&b, 20, -3);
    build_clock(&b, 15, 4);       /* earlier */
    build_map(&b, 200, first, 3); /* a type of a later version, */
    build_map(&b, 200, first, 3); /* unknown to the reader */
    build_clock(&b, 21, 5);
    build_end(&b);
    save(&b, "traces/7.def");
    struct otf2_location *location = otf2_locations_intern(&reader.locations, 7);
    for (unsigned with_callbacks = 0; with_callbacks < 2; with_callbacks++) {
        OTF2_DefReader *d = otf2_def_reader_open(&reader, location);
        heard.n = 0;
        n_heard = 0;
        interrupt_at = 3; /* an error counts for more than the callback's answer */
        if (with_callbacks)
            OTF2_DefReader_SetCallbacks(d, &local_callbacks, &heard);
        if (!with_callbacks) {
            cr_expect_eq(OTF2_DefReader_ReadDefinitions(d, 99, &n),
                         OTF2_ERROR_DUPLICATE_MAPPING_TABLE);
            cr_expect_eq(n, 3, "it counts");
            cr_expect_eq(OTF2_DefReader_ReadDefinitions(d, 99, &n), OTF2_ERROR_INTEGRITY_FAULT);
            cr_expect_eq(n, 1, "it does not count");
            cr_expect_eq(OTF2_DefReader_ReadDefinitions(d, 99, &n), OTF2_ERROR_INTEGRITY_FAULT);
            cr_expect_eq(n, 1);
            cr_expect_eq(OTF2_DefReader_ReadDefinitions(d, 99, &n), OTF2_SUCCESS);
            cr_expect_eq(n, 3);
            cr_expect_eq(reported.n, 3);
        } else {
            /* The locations know all of it already; callbacks hear of everything all the same. */
            OTF2_ErrorCode error;
            unsigned faults = 0;
            while ((error = OTF2_DefReader_ReadDefinitions(d, 99, &n)) != OTF2_SUCCESS) {
                cr_expect(error == OTF2_ERROR_DUPLICATE_MAPPING_TABLE ||
                          error == OTF2_ERROR_INTEGRITY_FAULT);
                faults++;
            }
            cr_expect_eq(faults, 3 + 5);
            cr_expect_eq(n_heard, 10);
            check_heard(&b);
        }
        otf2_def_reader_close(d);
        cr_expect_eq(mapped(location, OTF2_MAPPING_REGION, 1), 6);
        cr_expect_eq(mapped(location, OTF2_MAPPING_COMM, 1), 9);
        cr_expect_null(location->maps[OTF2_MAPPING_STRING]);
        cr_assert_eq(location->clock.n, 3);
        cr_expect_eq(location->clock.points[1].time, 20);
        cr_expect_eq(location->clock.points[1].offset, -3);
        cr_expect_eq(location->clock.points[2].time, 21);
    }
    build_free(&b);
}

/* The later of two contexts with the same id counts; order and pieces do not. */
Test(reader_defs, calling_contexts_have_regions)
{
    enum { N = 5000 };
    struct build b = {0};
    uint64_t n = 0;
    build_header(&b);
    for (unsigned i = 0; i < N; i++)
        build_record(&b, &otf2_defs[OTF2_DEF_CallingContext],
                     &(struct otf2_def_CallingContext){.self = N - i, .region = i});
    build_record(&b, &otf2_defs[OTF2_DEF_CallingContext],
                 &(struct otf2_def_CallingContext){.self = 3, .region = 4711});
    build_end(&b);
    save(&b, "traces.def");
    for (uint64_t piece = 100; piece < 2 * N; piece *= 2) {
        OTF2_GlobalDefReader *g = otf2_global_def_reader_open(&reader);
        do
            cr_assert_eq(OTF2_GlobalDefReader_ReadDefinitions(g, piece, &n), OTF2_SUCCESS);
        while (n);
        otf2_global_def_reader_close(g);
        for (unsigned i = 1; i <= N; i++) {
            OTF2_RegionRef region = 0;
            cr_assert(otf2_context_regions_find(&reader.context_regions, i, &region));
            cr_assert_eq(region, i == 3 ? 4711 : N - i);
        }
        OTF2_RegionRef none;
        cr_expect_not(otf2_context_regions_find(&reader.context_regions, 0, &none));
        cr_expect_not(otf2_context_regions_find(&reader.context_regions, N + 1, &none));
        otf2_context_regions_fini(&reader.context_regions);
    }
    build_free(&b);
}
