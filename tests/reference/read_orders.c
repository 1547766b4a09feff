/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random orders of the calls that read an archive, within the limits of the reference library; see
 * compare_read.py. In the environment, ORDERS=200 is the number of orders and SEED=1000 the first
 * seed.
 */
#include "orders.h"
#include "readers.h"

enum { CALLS_MAX = 60, FEW = 5 };

/* ---- the archive, and the program's readers and handles ---- */

static OTF2_Reader *reader;
static bool has_hint, is_selected[MANY_LOCATIONS], has_events, has_defs;
static OTF2_EvtReader *events[MANY_LOCATIONS];
static bool has_ended[MANY_LOCATIONS], has_read_events;
static OTF2_DefReader *defs[MANY_LOCATIONS];
static bool has_read_defs[MANY_LOCATIONS];
static OTF2_GlobalDefReader *global_defs;
static bool has_read_global_defs;
static OTF2_GlobalEvtReader *merged;
static OTF2_MarkerReader *markers;
static bool has_asked_markers, has_read_markers;
static struct reading reading;

/* The last location is absent from the archive. */
static size_t any_location(void)
{
    size_t i = draw(n_locations);
    printf("%" PRIu64 ": ", locations[i]);
    return i;
}

static void count_of(uint64_t n)
{
    printf("  %" PRIu64 "\n", n);
}

/* ---- a function for each call ---- */

static void ask_numbers(void)
{
    uint64_t n = 77, m = 77;
    uint32_t k = 77, l = 77;
    uint8_t x = 77, y = 77, z = 77;
    ANSWER(OTF2_Reader_GetNumberOfLocations(reader, &n));
    ANSWER(OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &m));
    ANSWER(OTF2_Reader_GetNumberOfSnapshots(reader, &k));
    ANSWER(OTF2_Reader_GetNumberOfThumbnails(reader, &l));
    ANSWER(OTF2_Reader_GetVersion(reader, &x, &y, &z));
    printf("  %" PRIu64 " %" PRIu64 " %u %u %d.%d.%d\n", n, m, k, l, x, y, z);
    ANSWER(OTF2_Reader_GetChunkSize(reader, &n, &m));
    printf("  %" PRIu64 " %" PRIu64 "\n", n, m);
}

static void ask_texts(void)
{
    char *text[3] = {NULL};
    uint32_t n = 77;
    char **all = NULL;
    ANSWER(OTF2_Reader_GetMachineName(reader, &text[0]));
    ANSWER(OTF2_Reader_GetCreator(reader, &text[1]));
    ANSWER(OTF2_Reader_GetDescription(reader, &text[2]));
    ANSWER(OTF2_Reader_GetPropertyNames(reader, &n, &all));
    for (int i = 0; i < 3; i++) {
        printf("  %s\n", text[i] ? text[i] : "NULL");
        free(text[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        printf("  %s\n", all[i]);
    free(all);
}

static void set_hint(void)
{
    bool truth = draw(2);
    if (!has_hint)
        ANSWER(OTF2_Reader_SetHint(reader, OTF2_HINT_GLOBAL_READER, &truth));
    has_hint = true;
}

static void select_one(void)
{
    size_t i = any_location();
    is_selected[i] = !ANSWER(OTF2_Reader_SelectLocation(reader, locations[i])) || is_selected[i];
}

static void files_of_events(void)
{
    if (has_events)
        ANSWER(OTF2_Reader_CloseEvtFiles(reader));
    else
        ANSWER(OTF2_Reader_OpenEvtFiles(reader));
    has_events = !has_events;
}

static void files_of_defs(void)
{
    if (has_defs)
        ANSWER(OTF2_Reader_CloseDefFiles(reader));
    else
        ANSWER(OTF2_Reader_OpenDefFiles(reader));
    has_defs = !has_defs;
}

static void get_global_defs(void)
{
    global_defs = HANDLE(OTF2_Reader_GetGlobalDefReader(reader));
}

static void listen_to_global_defs(void)
{
    OTF2_GlobalDefReaderCallbacks *c = global_def_callbacks();
    if (global_defs)
        ANSWER(OTF2_Reader_RegisterGlobalDefCallbacks(reader, global_defs, c, &reading));
    OTF2_GlobalDefReaderCallbacks_Delete(c);
}

static void read_global_defs(void)
{
    uint64_t n = 77, wanted = draw(3) ? 1 + draw(FEW) : UINT64_MAX;
    if (!global_defs || has_read_global_defs)
        return;
    ANSWER(OTF2_Reader_ReadGlobalDefinitions(reader, global_defs, wanted, &n));
    has_read_global_defs = n < wanted;
    count_of(n);
}

static void close_global_defs(void)
{
    if (global_defs)
        ANSWER(OTF2_Reader_CloseGlobalDefReader(reader, global_defs));
    global_defs = NULL;
    has_read_global_defs = false;
}

/* Asked again for a missing file, the reference library gives a reader of nothing. */
static void get_defs(void)
{
    size_t i = any_location();
    if (!has_file(locations[i], "def"))
        return;
    defs[i] = HANDLE(OTF2_Reader_GetDefReader(reader, locations[i]));
}

static void listen_to_defs(void)
{
    OTF2_DefReaderCallbacks *c = def_callbacks();
    size_t i = any_location();
    if (defs[i])
        ANSWER(OTF2_Reader_RegisterDefCallbacks(reader, defs[i], c, &reading));
    OTF2_DefReaderCallbacks_Delete(c);
}

static void read_defs(void)
{
    size_t i = any_location();
    uint64_t n = 77, wanted = draw(3) ? 1 + draw(FEW) : UINT64_MAX;
    if (!defs[i] || has_read_defs[i])
        return;
    ANSWER(OTF2_Reader_ReadLocalDefinitions(reader, defs[i], wanted, &n));
    has_read_defs[i] = n < wanted;
    count_of(n);
}

static void close_defs(void)
{
    size_t i = any_location();
    if (defs[i])
        ANSWER(OTF2_Reader_CloseDefReader(reader, defs[i]));
    defs[i] = NULL;
    has_read_defs[i] = false;
}

static void get_events(void)
{
    size_t i = any_location();
    if (!has_file(locations[i], "evt") || merged)
        return;
    OTF2_EvtReader *e = HANDLE(OTF2_Reader_GetEvtReader(reader, locations[i]));
    printf("  %d\n", e == events[i]);
    events[i] = e;
}

static void listen_to_events(void)
{
    OTF2_EvtReaderCallbacks *c = evt_callbacks();
    size_t i = any_location();
    if (events[i] && !merged)
        ANSWER(OTF2_Reader_RegisterEvtCallbacks(reader, events[i], c, &reading));
    OTF2_EvtReaderCallbacks_Delete(c);
}

/* Behind the end the reference library reads whatever is there. */
static void read_events(void)
{
    size_t i = any_location();
    uint64_t n = 77, wanted = draw(3) ? 1 + draw(FEW) : UINT64_MAX;
    if (!events[i] || has_ended[i] || merged)
        return;
    has_read_events = true;
    ANSWER(OTF2_Reader_ReadLocalEvents(reader, events[i], wanted, &n));
    has_ended[i] = n < wanted;
    count_of(n);
}

static void seek_events(void)
{
    size_t i = any_location();
    uint64_t position = 77;
    if (!events[i] || merged)
        return;
    has_read_events = true;
    has_ended[i] = ANSWER(OTF2_EvtReader_Seek(events[i], 1 + draw(FEW)));
    ANSWER(OTF2_EvtReader_GetPos(events[i], &position));
    count_of(position);
}

static void map_events(void)
{
    size_t i = any_location();
    bool is_on = draw(2);
    if (!events[i] || merged)
        return;
    if (draw(2))
        ANSWER(OTF2_EvtReader_ApplyMappingTables(events[i], is_on));
    else
        ANSWER(OTF2_EvtReader_ApplyClockOffsets(events[i], is_on));
}

static void close_events(void)
{
    size_t i = any_location();
    if (events[i] && !merged)
        ANSWER(OTF2_Reader_CloseEvtReader(reader, events[i]));
    else
        return;
    events[i] = NULL;
    has_ended[i] = false;
}

/*
 * The merged reader takes over the readers of locations, at their first events. The reference
 * library lets go of the merged reader at its end, so a program that asks again gets a new reader,
 * or NULL.
 */
static void get_merged(void)
{
    if (!has_read_events && !merged)
        merged = HANDLE(OTF2_Reader_GetGlobalEvtReader(reader));
}

static void listen_to_merged(void)
{
    OTF2_GlobalEvtReaderCallbacks *c = global_evt_callbacks();
    if (merged)
        ANSWER(OTF2_Reader_RegisterGlobalEvtCallbacks(reader, merged, c, &reading));
    OTF2_GlobalEvtReaderCallbacks_Delete(c);
}

static void read_merged(void)
{
    uint64_t n = 77;
    int more = 77;
    if (!merged)
        return;
    ANSWER(OTF2_GlobalEvtReader_HasEvent(merged, &more));
    count_of((uint64_t)more);
    ANSWER(OTF2_Reader_ReadGlobalEvents(reader, merged, draw(3) ? 1 + draw(FEW) : UINT64_MAX, &n));
    count_of(n);
}

static void get_markers(void)
{
    if (!has_asked_markers || markers)
        markers = HANDLE(OTF2_Reader_GetMarkerReader(reader));
    has_asked_markers = true;
}

static void listen_to_markers(void)
{
    OTF2_MarkerReaderCallbacks *c = marker_callbacks();
    if (markers)
        ANSWER(OTF2_Reader_RegisterMarkerCallbacks(reader, markers, c, &reading));
    OTF2_MarkerReaderCallbacks_Delete(c);
}

static void read_markers(void)
{
    uint64_t n = 77, wanted = draw(3) ? 1 + draw(FEW) : UINT64_MAX;
    if (!markers || has_read_markers)
        return;
    ANSWER(OTF2_Reader_ReadMarkers(reader, markers, wanted, &n));
    has_read_markers = n < wanted;
    count_of(n);
}

/* ---- orders ---- */

static const struct order calls[] = {
    {ask_numbers, 1},       {ask_texts, 1},        {set_hint, 1},
    {select_one, 8},        {files_of_events, 3},  {files_of_defs, 3},
    {get_global_defs, 3},   {read_global_defs, 6}, {listen_to_global_defs, 3},
    {close_global_defs, 1}, {get_defs, 6},         {listen_to_defs, 4},
    {read_defs, 6},         {close_defs, 1},       {get_events, 8},
    {listen_to_events, 6},  {read_events, 10},     {seek_events, 2},
    {map_events, 2},        {close_events, 1},     {get_merged, 1},
    {listen_to_merged, 2},  {read_merged, 3},      {get_markers, 1},
    {listen_to_markers, 1}, {read_markers, 2},
};

static uint64_t seed;

static void one_seed(void)
{
    order_begin(seed);
    reader = open_reader();
    for (uint64_t n = 10 + draw(CALLS_MAX); n; n--)
        ORDER_ANY(calls);
    ANSWER(OTF2_Reader_Close(reader));
}

int main(int argc, char **argv)
{
    if (!begin(argc, argv))
        return 2;
    uint64_t end = order_first() + order_count(40);
    for (seed = order_first(); seed < end; seed++) {
        char name[ORDER_NAME];
        run_pass(order_name(seed, name), one_seed);
    }
    return 0;
}
