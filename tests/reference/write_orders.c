/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random orders of the calls that write an archive, within the limits of the reference library: a
 * program may set the callbacks in any order, and writing into memory does not wait for the calls
 * that make directories and files. Each seed is an archive of its own:
 *
 *     write_orders DIR
 *     ORDERS=200 in the environment is the number of archives, SEED=1000 the first seed
 */
#include "archive_calls.h"
#include "telling_callbacks.h"

enum { LOCATIONS = 4, CALLS_MAX = 90, FULL_CHUNK = 30000 };

/* ---- the archive, and the program's writers ---- */

static bool has_flush, has_collectives, has_locks, has_def_chunks, has_ended_defs;
static OTF2_EvtWriter *events[LOCATIONS + 1]; /* the last writer has no location yet */
static OTF2_DefWriter *defs[LOCATIONS];
static OTF2_SnapWriter *snaps[LOCATIONS];
static OTF2_GlobalDefWriter *global_defs;
static OTF2_MarkerWriter *markers;
static OTF2_ThumbWriter *thumbs;
static OTF2_LocationRef next_location;

/* ---- a function for each call ---- */

static void set_flush(void)
{
    if (has_flush)
        return;
    CODE(OTF2_Archive_SetFlushCallbacks(archive, &flush_kinds[draw(2)], NULL));
    has_flush = true;
}

static void set_locks(void)
{
    if (has_locks)
        return;
    CODE(OTF2_Archive_SetLockingCallbacks(archive, &locks, NULL));
    has_locks = true;
}

static void set_collectives(void)
{
    if (has_collectives)
        return;
    if (draw(2))
        CODE(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    else
        CODE(OTF2_Archive_SetCollectiveCallbacks(archive, &collectives, NULL, NULL, NULL));
    has_collectives = true;
}

static void set_def_chunks(void)
{
    if (!has_collectives || has_def_chunks)
        return;
    CODE(OTF2_Archive_SetDefChunkSize(archive, CHUNK_MIN));
    has_def_chunks = true;
}

static void get_numbers(void)
{
    uint64_t n = 77, m = 77;
    uint32_t k = 77, l = 77;
    OTF2_FileSubstrate substrate = 77;
    OTF2_Compression compression = 77;
    CODE(OTF2_Archive_GetNumberOfLocations(archive, &n));
    CODE(OTF2_Archive_GetNumberOfGlobalDefinitions(archive, &m));
    CODE(OTF2_Archive_GetNumberOfSnapshots(archive, &k));
    CODE(OTF2_Archive_GetNumberOfThumbnails(archive, &l));
    CODE(OTF2_Archive_GetFileSubstrate(archive, &substrate));
    CODE(OTF2_Archive_GetCompression(archive, &compression));
    printf("  %" PRIu64 " %" PRIu64 " %u %u %d %d\n", n, m, k, l, substrate, compression);
    CODE(OTF2_Archive_GetChunkSize(archive, &n, &m));
    if (has_def_chunks)
        printf("  %" PRIu64 " %" PRIu64 "\n", n, m);
}

static void get_more(void)
{
    uint64_t n = 77;
    uint8_t x = 77, y = 77, z = 77;
    bool is_primary = false;
    CODE(OTF2_Archive_GetTraceId(archive, &n));
    CODE(OTF2_Archive_GetVersion(archive, &x, &y, &z));
    printf("  %d\n", x == OTF2_VERSION_MAJOR && y >= OTF2_VERSION_MINOR);
    CODE(OTF2_Archive_IsPrimary(archive, &is_primary));
    CODE(OTF2_Archive_IsMaster(archive, &is_primary));
    printf("  %d\n", is_primary);
}

static void set_snapshots(void)
{
    CODE(OTF2_Archive_SetNumberOfSnapshots(archive, (uint32_t)draw(5)));
}

static void files(void)
{
    switch (draw(6)) {
    case 0:
        CODE(OTF2_Archive_OpenEvtFiles(archive));
        break;
    case 1:
        CODE(OTF2_Archive_CloseEvtFiles(archive));
        break;
    case 2:
        CODE(OTF2_Archive_OpenDefFiles(archive));
        break;
    case 3:
        CODE(OTF2_Archive_CloseDefFiles(archive));
        break;
    case 4:
        CODE(OTF2_Archive_OpenSnapFiles(archive));
        break;
    default:
        CODE(OTF2_Archive_CloseSnapFiles(archive));
    }
}

static void get_event_writer(void)
{
    uint64_t i = draw(LOCATIONS + 1);
    OTF2_EvtWriter *w = i < LOCATIONS
                            ? HANDLE(OTF2_Archive_GetEvtWriter(archive, i))
                            : HANDLE(OTF2_Archive_GetEvtWriter(archive, OTF2_UNDEFINED_LOCATION));
    printf("  %" PRIu64 ": %s\n", i, events[i] ? events[i] == w ? "the same" : "another" : "new");
    events[i] = w;
}

static OTF2_AttributeList *attributes(void)
{
    static OTF2_AttributeList *list;
    if (!list)
        list = OTF2_AttributeList_New();
    OTF2_AttributeList_RemoveAllAttributes(list);
    for (uint64_t n = draw(3); n; n--)
        OTF2_AttributeList_AddUint64(list, (OTF2_AttributeRef)n, draw(1000));
    return list;
}

static OTF2_EvtWriter *any_event_writer(uint64_t *i)
{
    *i = draw(LOCATIONS + 1);
    printf("%" PRIu64 ": ", *i);
    return events[*i];
}

static void write_event(void)
{
    uint64_t i;
    OTF2_EvtWriter *w = any_event_writer(&i);
    now += draw(3);
    switch (draw(4)) {
    case 0:
        CODE(OTF2_EvtWriter_Enter(w, attributes(), now, (uint32_t)draw(9)));
        break;
    case 1:
        CODE(OTF2_EvtWriter_Leave(w, NULL, now, (uint32_t)draw(300)));
        break;
    case 2:
        CODE(OTF2_EvtWriter_MpiSend(w, attributes(), now, 1, 2, 3, draw(100000)));
        break;
    default:
        CODE(OTF2_EvtWriter_ThreadAcquireLock(w, NULL, now, OTF2_PARADIGM_OPENMP, 1, 2));
    }
}

/* More than a chunk. Both libraries refuse an event earlier than the last written event. */
static void write_many_events(void)
{
    uint64_t i, n = FULL_CHUNK + draw(FULL_CHUNK);
    OTF2_EvtWriter *w = any_event_writer(&i);
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (!has_flush || !w)
        return;
    for (uint64_t k = 0; k < n && !code; k++)
        code = OTF2_EvtWriter_Enter(w, NULL, ++now, (uint32_t)k);
    printf("many: %d\n", code);
}

static void ask_event_writer(void)
{
    uint64_t i, n = 77;
    OTF2_LocationRef location = 77;
    OTF2_EvtWriter *w = any_event_writer(&i);
    CODE(OTF2_EvtWriter_GetNumberOfEvents(w, &n));
    CODE(OTF2_EvtWriter_GetLocationID(w, &location));
    printf("  %" PRIu64 " %" PRIx64 "\n", n, location);
}

static void use_user_data(void)
{
    uint64_t i;
    void *data = NULL;
    OTF2_EvtWriter *w = any_event_writer(&i);
    CODE(OTF2_EvtWriter_SetUserData(w, &now));
    CODE(OTF2_EvtWriter_GetUserData(w, &data));
    printf("  %d\n", data == &now);
}

static void rewind_events(void)
{
    uint64_t i;
    OTF2_EvtWriter *w = any_event_writer(&i);
    uint32_t id = (uint32_t)draw(2);
    switch (draw(4)) {
    case 0:
        CODE(OTF2_EvtWriter_Rewind(w, id));
        break;
    case 1:
        CODE(OTF2_EvtWriter_ClearRewindPoint(w, id));
        break;
    default:
        CODE(OTF2_EvtWriter_StoreRewindPoint(w, id));
    }
}

static void set_location(void)
{
    uint64_t i;
    OTF2_EvtWriter *w = any_event_writer(&i);
    CODE(OTF2_EvtWriter_SetLocationID(w, next_location));
    if (i == LOCATIONS && w) {
        events[i] = NULL; /* of a location without a second writer */
        next_location++;
    }
}

static void close_event_writer(void)
{
    uint64_t i;
    OTF2_EvtWriter *w = any_event_writer(&i);
    CODE(OTF2_Archive_CloseEvtWriter(archive, w));
    events[i] = NULL;
}

static void get_def_writer(void)
{
    uint64_t i = draw(LOCATIONS);
    defs[i] = HANDLE(OTF2_Archive_GetDefWriter(archive, i));
}

static void write_def(void)
{
    uint64_t i = draw(LOCATIONS);
    CODE(OTF2_DefWriter_WriteString(defs[i], (uint32_t)draw(300), texts[draw(4)]));
    CODE(OTF2_DefWriter_WriteGroup(defs[i], 1, 2, OTF2_GROUP_TYPE_LOCATIONS, OTF2_PARADIGM_MPI, 0,
                                   2, (const uint64_t[]){draw(9), draw(9)}));
}

static void write_many_defs(void)
{
    uint64_t i = draw(LOCATIONS);
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (uint32_t k = 0; k < FULL_CHUNK && !code && defs[i] && has_flush; k++)
        code = OTF2_DefWriter_WriteString(defs[i], k, "some text");
    printf("many definitions: %d\n", code);
}

static void ask_def_writer(void)
{
    OTF2_LocationRef location = 77;
    CODE(OTF2_DefWriter_GetLocationID(defs[draw(LOCATIONS)], &location));
    printf("  %" PRIx64 "\n", location);
}

static void close_def_writer(void)
{
    uint64_t i = draw(LOCATIONS);
    CODE(OTF2_Archive_CloseDefWriter(archive, defs[i]));
    defs[i] = NULL;
}

/*
 * A second writer writes the file anew, and the reference library counts the definitions of both.
 */
static void get_global_defs(void)
{
    if (!has_collectives || has_ended_defs)
        return;
    global_defs = HANDLE(OTF2_Archive_GetGlobalDefWriter(archive));
}

static void write_global_def(void)
{
    OTF2_GlobalDefWriter *g = global_defs;
    uint64_t n = 77, m = 77;
    switch (draw(3)) {
    case 0:
        CODE(OTF2_GlobalDefWriter_WriteString(g, (uint32_t)draw(300), texts[draw(4)]));
        break;
    case 1:
        CODE(OTF2_GlobalDefWriter_WriteLocation(g, draw(9), 0, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                draw(9), 0));
        break;
    default:
        CODE(OTF2_GlobalDefWriter_GetNumberOfDefinitions(g, &n));
        CODE(OTF2_GlobalDefWriter_GetNumberOfLocations(g, &m));
        printf("  %" PRIu64 " %" PRIu64 "\n", n, m);
    }
}

static void close_global_defs(void)
{
    CODE(OTF2_Archive_CloseGlobalDefWriter(archive, global_defs));
    has_ended_defs |= global_defs != NULL;
    global_defs = NULL;
}

static void get_markers(void)
{
    if (!has_collectives)
        return;
    markers = HANDLE(OTF2_Archive_GetMarkerWriter(archive));
}

static void write_marker(void)
{
    CODE(OTF2_MarkerWriter_WriteDefMarker(markers, (uint32_t)draw(9), "group", "category",
                                          OTF2_SEVERITY_LOW));
    CODE(OTF2_MarkerWriter_WriteMarker(markers, now, draw(9), (uint32_t)draw(9),
                                       OTF2_MARKER_SCOPE_LOCATION, draw(9), texts[draw(4)]));
}

static void close_markers(void)
{
    CODE(OTF2_Archive_CloseMarkerWriter(archive, markers));
    markers = NULL;
}

static void get_snap_writer(void)
{
    uint64_t i = draw(LOCATIONS);
    snaps[i] = HANDLE(OTF2_Archive_GetSnapWriter(archive, i));
}

static void write_snap(void)
{
    uint64_t i = draw(LOCATIONS);
    now += draw(3);
    CODE(OTF2_SnapWriter_SnapshotStart(snaps[i], NULL, now, draw(9)));
    CODE(OTF2_SnapWriter_Enter(snaps[i], attributes(), now, draw(9), (uint32_t)draw(9)));
    CODE(OTF2_SnapWriter_SnapshotEnd(snaps[i], NULL, now, draw(9)));
}

static void close_snap_writer(void)
{
    uint64_t i = draw(LOCATIONS);
    CODE(OTF2_Archive_CloseSnapWriter(archive, snaps[i]));
    snaps[i] = NULL;
}

static void get_thumbs(void)
{
    static const uint64_t refs[] = {1, 2};
    thumbs = HANDLE(OTF2_Archive_GetThumbWriter(archive, "name", "text", OTF2_THUMBNAIL_TYPE_REGION,
                                                3, 2, refs));
}

static void write_thumb(void)
{
    CODE(OTF2_ThumbWriter_WriteSample(thumbs, draw(9), 2, (const uint64_t[]){draw(9), draw(9)}));
}

/* ---- orders ---- */

static const struct order calls[] = {
    {set_flush, 4},
    {set_collectives, 2},
    {set_locks, 1},
    {set_def_chunks, 2},
    {set_text, 1},
    {get_text, 1},
    {set_property, 3},
    {get_property, 1},
    {get_names, 1},
    {get_numbers, 1},
    {get_more, 1},
    {set_snapshots, 1},
    {files, 2},
    {get_event_writer, 8},
    {write_event, 16},
    {write_many_events, 1},
    {ask_event_writer, 2},
    {use_user_data, 1},
    {rewind_events, 3},
    {set_location, 2},
    {close_event_writer, 2},
    {get_def_writer, 4},
    {write_def, 4},
    {write_many_defs, 1},
    {ask_def_writer, 1},
    {close_def_writer, 1},
    {get_global_defs, 2},
    {write_global_def, 4},
    {close_global_defs, 1},
    {get_markers, 1},
    {write_marker, 2},
    {close_markers, 1},
    {get_snap_writer, 2},
    {write_snap, 2},
    {close_snap_writer, 1},
    {get_thumbs, 1},
    {write_thumb, 1},
};

static uint64_t seed;

static void one_seed(const char *directory)
{
    order_begin(seed);
    has_def_chunks = draw(4);
    next_location = 100;
    char path[1024];
    snprintf(path, sizeof path, "%s/%" PRIu64, directory, seed);
    archive = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN,
                                has_def_chunks ? (uint64_t)CHUNK_MIN : OTF2_UNDEFINED_UINT64,
                                draw(9) ? OTF2_SUBSTRATE_POSIX : OTF2_SUBSTRATE_NONE,
                                OTF2_COMPRESSION_NONE);
    if (draw(3))
        set_flush();
    if (draw(3))
        set_collectives();
    for (uint64_t n = 10 + draw(CALLS_MAX); n; n--)
        ORDER_ANY(calls);
    set_collectives();
    CODE(OTF2_Archive_Close(archive));
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    uint64_t end = order_first() + order_count(100);
    for (seed = order_first(); seed < end; seed++) {
        char name[ORDER_NAME];
        run_case(order_name(seed, name), one_seed, argc > 1 ? argv[1] : ".");
    }
    return 0;
}
