/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the events of each location, and prints the library's answers and events: forward and
 * backward, at once and in pieces, from many positions, interrupted, with and without mapping
 * tables and clock correction. See compare_read.py.
 */
#include "readers.h"

static void put_position(OTF2_EvtReader *e)
{
    uint64_t position = 77;
    OTF2_ErrorCode code = OTF2_EvtReader_GetPos(e, &position);
    printf("position %" PRIu64 " = %d\n", position, (int)code);
}

/*
 * Whether events are read backward as well: never by the reference library, which crashes. Events
 * read backward are compared with the events read forward instead, see check_again.
 */
static bool is_backward;

static void back(OTF2_Reader *r, OTF2_EvtReader *e, uint64_t events)
{
    uint64_t n = 0;
    if (!is_backward)
        return;
    ANSWER(OTF2_Reader_ReadLocalEventsBackward(r, e, events, &n));
    printf("%" PRIu64 "\n", n);
    put_position(e);
}

/* From a position a few events on, and back again. */
static void read_around(OTF2_Reader *r, OTF2_EvtReader *e, uint64_t position)
{
    enum { FEW = 3 };
    uint64_t n = 0;
    printf("at %" PRIu64 "\n", position);
    ANSWER(OTF2_EvtReader_Seek(e, position));
    put_position(e);
    ANSWER(OTF2_Reader_ReadLocalEvents(r, e, FEW, &n));
    printf("%" PRIu64 "\n", n);
    put_position(e);
    back(r, e, FEW + 1);
    /* For the reference library, a file goes on for ever behind its end. */
    if (n == FEW || is_backward)
        ANSWER(OTF2_Reader_ReadLocalEvents(r, e, 1, &n));
    put_position(e);
    back(r, e, FEW);
}

static uint64_t read_forward(OTF2_Reader *r, OTF2_EvtReader *e)
{
    uint64_t n = 0;
    ANSWER(OTF2_Reader_ReadAllLocalEvents(r, e, &n));
    printf("%" PRIu64 " events\n", n);
    put_position(e);
    return n;
}

static OTF2_EvtReader *open_location(OTF2_Reader *r, OTF2_LocationRef location,
                                     struct reading *reading)
{
    OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r, location);
    printf("events of %" PRIu64 ": %s\n", location, e ? "handle" : "NULL");
    if (!e)
        return NULL;
    OTF2_LocationRef id = 0;
    ANSWER(OTF2_EvtReader_GetLocationID(e, &id));
    printf("%" PRIu64 "\n", id);
    OTF2_EvtReaderCallbacks *c = evt_callbacks();
    ANSWER(OTF2_Reader_RegisterEvtCallbacks(r, e, c, reading));
    OTF2_EvtReaderCallbacks_Delete(c);
    ANSWER(OTF2_EvtReader_ApplyMappingTables(e, ways.has_maps));
    ANSWER(OTF2_EvtReader_ApplyClockOffsets(e, ways.has_clock));
    return e;
}

/*
 * A single location in a pass: the reference library's dealings with another location cannot hide
 * anything.
 */
static OTF2_LocationRef current;

static const uint64_t pieces[] = {1, 5, 1000, UINT64_MAX};

static void events_forward(void)
{
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        OTF2_Reader *r = begin_events();
        struct reading reading = {0};
        OTF2_EvtReader *e = open_location(r, current, &reading);
        if (e) {
            put_position(e);
            READ_PIECES(OTF2_Reader_ReadLocalEvents, e, pieces[i]);
            put_position(e);
            ANSWER(OTF2_Reader_CloseEvtReader(r, e));
        }
        end_events(r);
    }
}

/* To and fro, everywhere. */
static void events_backward(void)
{
    OTF2_Reader *r = begin_events();
    struct reading reading = {0};
    OTF2_EvtReader *e = open_location(r, current, &reading);
    uint64_t n = e ? read_forward(r, e) : 0;
    for (size_t i = 0; e && i < sizeof pieces / sizeof pieces[0]; i++) {
        READ_PIECES(OTF2_Reader_ReadLocalEventsBackward, e, pieces[i]);
        put_position(e);
        READ_PIECES(OTF2_Reader_ReadLocalEvents, e, pieces[i]);
        put_position(e);
    }
    for (uint64_t step = n / 60 + 1, i = 0; e && i <= n; i += step)
        read_around(r, e, i % (2 * step) ? i : n - i);
    if (e)
        ANSWER(OTF2_Reader_CloseEvtReader(r, e));
    end_events(r);
}

/*
 * A single position in a pass, without closing anything: if the position is in a new chunk, the
 * reference library gives the same memory back twice.
 */
static uint64_t wanted;

static void events_from_seek(void)
{
    OTF2_Reader *r = begin_events();
    struct reading reading = {0};
    OTF2_EvtReader *e = open_location(r, current, &reading);
    if (e)
        read_around(r, e, wanted);
}

static void events_backward_first(void)
{
    OTF2_Reader *r = begin_events();
    struct reading reading = {0};
    OTF2_EvtReader *e = open_location(r, current, &reading);
    uint64_t n = 77;
    if (e) {
        ANSWER(OTF2_Reader_ReadLocalEventsBackward(r, e, 3, &n));
        put_position(e);
        read_forward(r, e);
        ANSWER(OTF2_Reader_CloseEvtReader(r, e));
    }
    end_events(r);
}

static void events_interrupted(void)
{
    for (size_t k = 1; k < N_STOPS; k++) {
        OTF2_Reader *r = begin_events();
        struct reading reading = stops[k];
        OTF2_EvtReader *e = open_location(r, current, &reading);
        uint64_t n = 77;
        for (uint64_t i = 0; e && i < 4; i++) {
            if (!ANSWER(OTF2_Reader_ReadLocalEvents(r, e, 5 + i, &n)) && n < 5 + i)
                break;
            printf("%" PRIu64 "\n", n);
            put_position(e);
            reading.stop_at = reading.n + 2 + i;
        }
        for (uint64_t i = 0; e && i < 4; i++) {
            back(r, e, 3 + i);
            reading.stop_at = reading.n + 2;
        }
        if (e)
            ANSWER(OTF2_Reader_CloseEvtReader(r, e));
        end_events(r);
    }
}

enum { SOME_LOCATIONS = 4 };

static void local_events(void (*pass)(void), const char *name)
{
    char text[128];
    for (size_t l = 0; l < n_locations; l++) {
        if (l > SOME_LOCATIONS && l + 1 < n_locations)
            continue;
        current = locations[l];
        snprintf(text, sizeof text, "%s %" PRIu64 ", definitions %d, maps %d, clock %d%s", name,
                 current, ways.has_definitions, ways.has_maps, ways.has_clock,
                 is_backward ? ", backward" : "");
        run_pass(text, pass);
    }
}

/* ---- choice of callbacks ---- */

/*
 * Without callbacks for records of later versions, the callbacks of the earlier records are called.
 */
static void events_by_older_callbacks(void)
{
    OTF2_Reader *r = begin_events();
    struct reading reading = {0};
    OTF2_EvtReader *e = open_location(r, current, &reading);
    OTF2_EvtReaderCallbacks *c = evt_callbacks();
    ANSWER(OTF2_EvtReaderCallbacks_SetThreadForkCallback(c, NULL));
    ANSWER(OTF2_EvtReaderCallbacks_SetThreadJoinCallback(c, NULL));
    ANSWER(OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(c, NULL));
    ANSWER(OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(c, NULL));
    ANSWER(OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(c, NULL));
    ANSWER(OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(c, NULL));
    if (e) {
        ANSWER(OTF2_EvtReader_SetCallbacks(e, c, &reading));
        read_forward(r, e);
    }
    OTF2_EvtReaderCallbacks_Clear(c);
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, evt_Enter);
    if (e) {
        ANSWER(OTF2_EvtReader_Seek(e, 1));
        ANSWER(OTF2_EvtReader_SetCallbacks(e, c, NULL));
        read_forward(r, e);
        ANSWER(OTF2_Reader_CloseEvtReader(r, e));
    }
    OTF2_EvtReaderCallbacks_Delete(c);
    end_events(r);
}

/* Where archives end and their chunks begin is for luck to hit. */
static const uint64_t positions[] = {0,     1,     2,       4,         40,    77,    78,
                                     79,    80,    81,      1000,      4000,  4001,  6320,
                                     10000, 20000, 23698,   30000,     40000, 59000, 60000,
                                     60001, 99999, 1 << 20, UINT64_MAX};

enum { N_POSITIONS = sizeof positions / sizeof positions[0], N_WAYS = 8 };

/*
 * For a large archive four ways must do: each two of the three choices meet in all four
 * combinations. WAYS are the bits of the ways of the run.
 */
static bool is_way_taken(unsigned way)
{
    const char *some = getenv("WAYS");
    unsigned parity = (way ^ way >> 1 ^ way >> 2) & 1;
    return (!is_digest || parity == 0) && (!some || (strtoul(some, NULL, 10) >> way & 1));
}

int main(int argc, char **argv)
{
    if (!begin(argc, argv))
        return 2;
    for (unsigned way = 0; way < N_WAYS; way++) {
        if (!is_way_taken(way))
            continue;
        ways = (struct ways){way & 1, way & 2, way & 4};
        is_checked = !ways.has_clock;
        is_backward = false;
        local_events(events_forward, "events");
        local_events(events_interrupted, "events interrupted");
        local_events(events_by_older_callbacks, "events by older callbacks");
        for (size_t i = 0; i < N_POSITIONS && way % (N_WAYS - 1) == 0; i++) {
            wanted = positions[i];
            local_events(events_from_seek, "events from a position");
        }
        is_backward = true;
        local_events(events_backward, "events");
        local_events(events_backward_first, "events from the begin");
        local_events(events_interrupted, "events interrupted");
    }
    return 0;
}
