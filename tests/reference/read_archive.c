/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads an archive at once, in pieces and interrupted, and prints what it is told: the anchor file,
 * definitions, events of all locations by time, snapshots and markers. See compare_read.py.
 */
#include "readers.h"

/* ---- the anchor file ---- */

static void put_properties(OTF2_Reader *r)
{
    static const char *const wanted[] = {"SOME::TRUTH", "some::truth", "SOME::PROPERTY",
                                         "NO::ONE",     "wrong",       ""};
    uint32_t n = 77;
    char **names = NULL;
    ANSWER(OTF2_Reader_GetPropertyNames(r, &n, &names));
    for (uint32_t i = 0; i < n; i++) {
        char *value = NULL;
        ANSWER(OTF2_Reader_GetProperty(r, names[i], &value));
        printf("%s: %s\n", names[i], value);
        free(value);
    }
    free(names);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char *value = NULL;
        bool truth = false;
        ANSWER(OTF2_Reader_GetProperty(r, wanted[i], &value));
        printf("%s: %s\n", wanted[i], value ? value : "NULL");
        free(value);
        ANSWER(OTF2_Reader_GetBoolProperty(r, wanted[i], &truth));
        printf("%d\n", truth);
    }
}

static void read_anchor(void)
{
    OTF2_Reader *r = open_reader();
    uint8_t major = 0, minor = 0, bugfix = 0;
    uint64_t events = 0, definitions = 0;
    OTF2_FileSubstrate substrate = 0;
    OTF2_Compression compression = 0;
    uint32_t number = 0;
    char *text = NULL;
    bool truth = false;
    ANSWER(OTF2_Reader_GetVersion(r, &major, &minor, &bugfix));
    printf("%u.%u.%u\n", major, minor, bugfix);
    ANSWER(OTF2_Reader_GetChunkSize(r, &events, &definitions));
    printf("%" PRIu64 " %" PRIu64 "\n", events, definitions);
    ANSWER(OTF2_Reader_GetFileSubstrate(r, &substrate));
    ANSWER(OTF2_Reader_GetCompression(r, &compression));
    printf("%u %u\n", substrate, compression);
    ANSWER(OTF2_Reader_GetNumberOfLocations(r, &events));
    ANSWER(OTF2_Reader_GetNumberOfGlobalDefinitions(r, &definitions));
    printf("%" PRIu64 " %" PRIu64 "\n", events, definitions);
    ANSWER(OTF2_Reader_GetTraceId(r, &events));
    printf("%" PRIx64 "\n", events);
    ANSWER(OTF2_Reader_GetNumberOfSnapshots(r, &number));
    printf("%u\n", number);
    ANSWER(OTF2_Reader_GetNumberOfThumbnails(r, &number));
    printf("%u\n", number);
    ANSWER(OTF2_Reader_GetMachineName(r, &text));
    printf("%s\n", text);
    free(text);
    ANSWER(OTF2_Reader_GetCreator(r, &text));
    printf("%s\n", text);
    free(text);
    ANSWER(OTF2_Reader_GetDescription(r, &text));
    printf("%s\n", text);
    free(text);
    ANSWER(OTF2_Reader_IsPrimary(r, &truth));
    ANSWER(OTF2_Reader_IsMaster(r, &truth));
    printf("%d\n", truth);
    put_properties(r);
    ANSWER(OTF2_Reader_Close(r));
}

/* ---- definitions ---- */

static void global_definitions(void)
{
    for (size_t i = 0; i < N_SIZES; i++) {
        for (size_t k = 0; k < N_STOPS; k++) {
            OTF2_Reader *r = open_reader();
            struct reading reading = stops[k];
            read_global_definitions(r, sizes[i], &reading);
            ANSWER(OTF2_Reader_Close(r));
        }
    }
    OTF2_Reader *r = open_reader();
    read_global_definitions(r, UINT64_MAX, NULL);
    ANSWER(OTF2_Reader_Close(r));
}

static void local_definitions(void)
{
    for (size_t i = 0; i < N_SIZES; i++) {
        for (size_t k = 0; k < N_STOPS; k++) {
            OTF2_Reader *r = open_reader();
            select_locations(r);
            struct reading reading = stops[k];
            read_local_definitions(r, sizes[i], &reading);
            ANSWER(OTF2_Reader_Close(r));
        }
    }
}

/* ---- events of all locations ---- */

static OTF2_GlobalEvtReader *open_global(OTF2_Reader *r, struct reading *reading, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (has_file(locations[i], "evt") && !OTF2_Reader_GetEvtReader(r, locations[i]))
            printf("no events of %" PRIu64 "\n", locations[i]);
    OTF2_GlobalEvtReader *g = OTF2_Reader_GetGlobalEvtReader(r);
    printf("global: %s\n", g ? "handle" : "NULL");
    if (!g)
        return NULL;
    OTF2_GlobalEvtReaderCallbacks *c = global_evt_callbacks();
    ANSWER(OTF2_Reader_RegisterGlobalEvtCallbacks(r, g, c, reading));
    OTF2_GlobalEvtReaderCallbacks_Delete(c);
    return g;
}

static void put_has_event(OTF2_Reader *r, OTF2_GlobalEvtReader *g)
{
    int flag = 77;
    ANSWER(OTF2_Reader_HasGlobalEvent(r, g, &flag));
    printf("%d\n", flag);
}

static void global_events_at_once(void)
{
    OTF2_Reader *r = begin_events();
    struct reading reading = {0};
    OTF2_GlobalEvtReader *g = open_global(r, &reading, n_locations);
    uint64_t n = 77;
    if (g) {
        put_has_event(r, g);
        ANSWER(OTF2_Reader_ReadAllGlobalEvents(r, g, &n));
        printf("%" PRIu64 "\n", n);
        put_has_event(r, g);
        ANSWER(OTF2_Reader_ReadAllGlobalEvents(r, g, &n));
        printf("%" PRIu64 "\n", n);
        ANSWER(OTF2_Reader_ReadGlobalEvent(r, g));
        ANSWER(OTF2_Reader_CloseGlobalEvtReader(r, g));
    }
    end_events(r);
}

static void global_events_in_pieces(void)
{
    for (size_t i = 0; i < N_SIZES; i++) {
        OTF2_Reader *r = begin_events();
        struct reading reading = {0};
        OTF2_GlobalEvtReader *g = open_global(r, &reading, n_locations / 2 + 1);
        for (unsigned k = 0; g && k < 9; k++) {
            put_has_event(r, g);
            ANSWER(OTF2_Reader_ReadGlobalEvent(r, g));
        }
        if (g) {
            READ_PIECES(OTF2_Reader_ReadGlobalEvents, g, sizes[i]);
            put_has_event(r, g);
            ANSWER(OTF2_Reader_CloseGlobalEvtReader(r, g));
        }
        end_events(r);
    }
}

static void global_events_interrupted(void)
{
    for (size_t k = 1; k < N_STOPS; k++) {
        OTF2_Reader *r = begin_events();
        struct reading reading = stops[k];
        OTF2_GlobalEvtReader *g = open_global(r, &reading, n_locations);
        uint64_t n = 77;
        for (uint64_t i = 0; g && i < 4; i++) {
            ANSWER(OTF2_Reader_ReadGlobalEvents(r, g, 5 + i, &n));
            printf("%" PRIu64 "\n", n);
            reading.stop_at = reading.n + 2 + i;
        }
        if (g)
            ANSWER(OTF2_Reader_CloseGlobalEvtReader(r, g));
        end_events(r);
    }
}

/* Calling contexts become regions where the global definitions are known. */
static void global_events_by_older_callbacks(void)
{
    OTF2_Reader *r = open_reader();
    struct reading reading = {0};
    read_global_definitions(r, UINT64_MAX, NULL);
    select_locations(r);
    read_local_definitions(r, UINT64_MAX, NULL);
    ANSWER(OTF2_Reader_OpenEvtFiles(r));
    OTF2_GlobalEvtReader *g = open_global(r, &reading, n_locations);
    OTF2_GlobalEvtReaderCallbacks *c = global_evt_callbacks();
    ANSWER(OTF2_GlobalEvtReaderCallbacks_SetThreadForkCallback(c, NULL));
    ANSWER(OTF2_GlobalEvtReaderCallbacks_SetThreadJoinCallback(c, NULL));
    ANSWER(OTF2_GlobalEvtReaderCallbacks_SetThreadAcquireLockCallback(c, NULL));
    ANSWER(OTF2_GlobalEvtReaderCallbacks_SetThreadReleaseLockCallback(c, NULL));
    ANSWER(OTF2_GlobalEvtReaderCallbacks_SetCallingContextEnterCallback(c, NULL));
    ANSWER(OTF2_GlobalEvtReaderCallbacks_SetCallingContextLeaveCallback(c, NULL));
    if (g) {
        uint64_t n = 77;
        ANSWER(OTF2_GlobalEvtReader_SetCallbacks(g, c, &reading));
        ANSWER(OTF2_GlobalEvtReader_ReadEvents(g, UINT64_MAX, &n));
        printf("%" PRIu64 "\n", n);
        ANSWER(OTF2_Reader_CloseGlobalEvtReader(r, g));
    }
    OTF2_GlobalEvtReaderCallbacks_Delete(c);
    end_events(r);
}

/* ---- snapshots ---- */

static OTF2_Reader *begin_snapshots(void)
{
    OTF2_Reader *r = open_reader();
    select_locations(r);
    ANSWER(OTF2_Reader_OpenSnapFiles(r));
    return r;
}

static void end_snapshots(OTF2_Reader *r)
{
    ANSWER(OTF2_Reader_CloseSnapFiles(r));
    ANSWER(OTF2_Reader_Close(r));
}

static OTF2_SnapReader *open_snapshots(OTF2_Reader *r, OTF2_LocationRef location,
                                       struct reading *reading)
{
    OTF2_SnapReader *s = OTF2_Reader_GetSnapReader(r, location);
    printf("snapshots of %" PRIu64 ": %s\n", location, s ? "handle" : "NULL");
    if (!s)
        return NULL;
    OTF2_LocationRef id = 0;
    ANSWER(OTF2_SnapReader_GetLocationID(s, &id));
    OTF2_SnapReaderCallbacks *c = snap_callbacks();
    ANSWER(OTF2_Reader_RegisterSnapCallbacks(r, s, c, reading));
    OTF2_SnapReaderCallbacks_Delete(c);
    return s;
}

static void local_snapshots(void)
{
    for (size_t k = 0; k < N_STOPS; k++) {
        OTF2_Reader *r = begin_snapshots();
        for (size_t i = 0; i < n_locations; i++) {
            struct reading reading = stops[k];
            OTF2_SnapReader *s = open_snapshots(r, locations[i], &reading);
            if (!s)
                continue;
            READ_PIECES(OTF2_Reader_ReadLocalSnapshots, s, sizes[i % N_SIZES]);
            ANSWER(OTF2_Reader_CloseSnapReader(r, s));
        }
        end_snapshots(r);
    }
}

static void snapshots_by_time(void)
{
    static const uint64_t times[] = {0, 99, 100, 101, 150, 200, 201, 301, 302, 1000, 7, UINT64_MAX};
    for (size_t t = 0; t < sizeof times / sizeof times[0]; t++) {
        OTF2_Reader *r = begin_snapshots();
        for (size_t i = 0; i < n_locations; i++) {
            struct reading reading = {0};
            OTF2_SnapReader *s = open_snapshots(r, locations[i], &reading);
            bool is_found = false;
            uint64_t n = 77;
            if (!s)
                continue;
            ANSWER(OTF2_SnapReader_Seek(s, times[t], &is_found));
            printf("%d\n", is_found);
            ANSWER(OTF2_SnapReader_ReadSnapshots(s, 4, &n));
            printf("%" PRIu64 "\n", n);
            ANSWER(OTF2_SnapReader_Seek(s, times[(t + 5) % 11], &is_found));
            printf("%d\n", is_found);
            ANSWER(OTF2_Reader_ReadAllLocalSnapshots(r, s, &n));
            printf("%" PRIu64 "\n", n);
            ANSWER(OTF2_Reader_CloseSnapReader(r, s));
        }
        end_snapshots(r);
    }
}

static void global_snapshots(void)
{
    for (size_t i = 0; i < N_SIZES * N_STOPS; i++) {
        OTF2_Reader *r = begin_snapshots();
        struct reading reading = stops[i % N_STOPS];
        for (size_t l = 0; l < n_locations; l++)
            if (has_file(locations[l], "snap"))
                printf("%s\n", OTF2_Reader_GetSnapReader(r, locations[l]) ? "handle" : "NULL");
        OTF2_GlobalSnapReader *g = OTF2_Reader_GetGlobalSnapReader(r);
        OTF2_GlobalSnapReaderCallbacks *c = global_snap_callbacks();
        printf("global: %s\n", g ? "handle" : "NULL");
        if (g) {
            ANSWER(OTF2_Reader_RegisterGlobalSnapCallbacks(r, g, c, &reading));
            READ_PIECES(OTF2_Reader_ReadGlobalSnapshots, g, sizes[i / N_STOPS]);
            ANSWER(OTF2_Reader_CloseGlobalSnapReader(r, g));
        }
        OTF2_GlobalSnapReaderCallbacks_Delete(c);
        end_snapshots(r);
    }
}

/* ---- markers ---- */

static void markers(void)
{
    for (size_t i = 0; i < N_SIZES * N_STOPS; i++) {
        OTF2_Reader *r = open_reader();
        struct reading reading = stops[i % N_STOPS];
        OTF2_MarkerReader *m = OTF2_Reader_GetMarkerReader(r);
        OTF2_MarkerReaderCallbacks *c = marker_callbacks();
        printf("markers: %s\n", m ? "handle" : "NULL");
        if (m) {
            ANSWER(OTF2_Reader_RegisterMarkerCallbacks(r, m, c, &reading));
            READ_PIECES(OTF2_Reader_ReadMarkers, m, sizes[i / N_STOPS]);
            ANSWER(OTF2_Reader_CloseMarkerReader(r, m));
        }
        OTF2_MarkerReaderCallbacks_Delete(c);
        ANSWER(OTF2_Reader_Close(r));
    }
}

int main(int argc, char **argv)
{
    if (!begin(argc, argv))
        return 2;
    PASS(read_anchor);
    PASS(global_definitions);
    PASS(local_definitions);
    PASS(global_events_at_once);
    PASS(global_events_in_pieces);
    PASS(global_events_interrupted);
    ways.has_definitions = true;
    run_pass("global_events_at_once by definitions", global_events_at_once);
    run_pass("global_events_in_pieces by definitions", global_events_in_pieces);
    PASS(global_events_by_older_callbacks);
    PASS(local_snapshots);
    PASS(snapshots_by_time);
    PASS(global_snapshots);
    PASS(markers);
    return 0;
}
