/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader writer format format-zlib */
/* The events of several locations by time: the order, the locations that take part, and errors. */
#include "reader/evt_slices.h"
#include "tests/unit/archive_build.h"

enum { MOST_LOCATIONS = 40, MOST_EVENTS = 20000 };

/* The written events, in the order of reading. */
static struct heard written[MOST_EVENTS];
static uint64_t n_written;

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *list, OTF2_RegionRef region)
{
    cr_assert_eq(user, heard);
    return hear(location, time, 0, list, region);
}

static OTF2_GlobalEvtReader *listen(OTF2_Reader *r)
{
    OTF2_GlobalEvtReader *g = OTF2_Reader_GetGlobalEvtReader(r);
    cr_assert_not_null(g);
    OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(c, on_enter);
    cr_assert_eq(OTF2_Reader_RegisterGlobalEvtCallbacks(r, g, c, heard), OTF2_SUCCESS);
    OTF2_GlobalEvtReaderCallbacks_Delete(c);
    n_heard = 0;
    interrupt_at = UINT64_MAX;
    return g;
}

static uint64_t dice(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

/* By time and location; equal events stay in the order of their numbers. */
static int by_time(const void *a, const void *b)
{
    const struct heard *x = a;
    const struct heard *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* n events on locations 0 to `locations` - 1; `step` is how far times advance at most. */
static void write_archive(uint64_t locations, uint64_t n, uint64_t step)
{
    OTF2_EvtWriter *writers[MOST_LOCATIONS];
    uint64_t times[MOST_LOCATIONS];
    OTF2_Archive *a = archive_write();
    OTF2_Archive_OpenEvtFiles(a);
    for (uint64_t i = 0; i < locations; i++) {
        writers[i] = OTF2_Archive_GetEvtWriter(a, i);
        times[i] = 1 + dice() % step;
    }
    for (n_written = 0; n_written < n; n_written++) {
        uint64_t i = dice() % locations;
        times[i] += dice() % step;
        cr_assert_eq(OTF2_EvtWriter_Enter(writers[i], NULL, times[i], (uint32_t)n_written),
                     OTF2_SUCCESS);
        written[n_written] = (struct heard){i, times[i], 0, n_written, 0};
    }
    for (uint64_t i = 0; i < locations; i++)
        OTF2_Archive_CloseEvtWriter(a, writers[i]);
    OTF2_Archive_CloseEvtFiles(a);
    archive_write_defs(a, 0, locations);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    qsort(written, n_written, sizeof written[0], by_time);
}

/* The event readers of `locations` locations; not in the order of their ids. */
static void open_events(OTF2_Reader *r, uint64_t locations)
{
    cr_assert_eq(OTF2_Reader_OpenEvtFiles(r), OTF2_SUCCESS);
    for (uint64_t i = 0; i < locations; i++)
        cr_assert_not_null(OTF2_Reader_GetEvtReader(r, (i + locations / 2) % locations));
}

/* The heard events are the written events, without the locations in `without`. */
static void check(uint64_t without)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < n_written; i++) {
        if (without >> written[i].location & 1)
            continue;
        cr_assert_lt(n, n_heard);
        cr_assert(heard_same(&heard[n], &written[i]), "event %llu", (unsigned long long)n);
        n++;
    }
    cr_assert_eq(n, n_heard);
}

/* Reads in pieces of `piece` events. */
static void read_in_pieces(OTF2_Reader *r, OTF2_GlobalEvtReader *g, uint64_t piece)
{
    uint64_t n;
    int more;
    do {
        cr_assert_eq(OTF2_Reader_HasGlobalEvent(r, g, &more), OTF2_SUCCESS);
        cr_assert_eq(OTF2_Reader_ReadGlobalEvents(r, g, piece, &n), OTF2_SUCCESS);
        cr_assert_eq(more, n > 0);
    } while (n == piece);
    cr_assert_eq(OTF2_Reader_HasGlobalEvent(r, g, &more), OTF2_SUCCESS);
    cr_assert_eq(more, 0);
    cr_assert_eq(OTF2_Reader_ReadGlobalEvent(r, g), OTF2_SUCCESS);
}

static const struct shape {
    uint64_t locations;
    uint64_t n;
    uint64_t step; /* 1: all at the same time */
} shapes[] = {{1, 100, 10},    {2, 1000, 10},
              {3, 1000, 3},    {4, 2000, 1000},
              {5, 2000, 1},    {16, 5000, 100},
              {17, 5000, 50},  {33, 9000, 7},
              {40, 20000, 40}, {9, 500, UINT64_C(1) << 55}};

Test(reader_merge, events_come_by_time_and_location)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const uint64_t pieces[] = {UINT64_MAX - 1, 1, 7};
        write_archive(shapes[i].locations, shapes[i].n, shapes[i].step);
        for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
            OTF2_Reader *r = archive_read(shapes[i].locations);
            open_events(r, shapes[i].locations);
            OTF2_GlobalEvtReader *g = listen(r);
            read_in_pieces(r, g, pieces[p]);
            check(0);
            cr_assert_eq(OTF2_Reader_CloseGlobalEvtReader(r, g), OTF2_SUCCESS);
            OTF2_Reader_Close(r);
        }
        archive_remove();
    }
}

/* Two readers share the events: a reader reads a slice, the second reader passes over the slice. */
static void read_by_turns(OTF2_GlobalEvtReader *const g[2], uint64_t longest)
{
    for (unsigned turn = dice() % 2;; turn = dice() % 2) {
        OTF2_TimeStamp first[2];
        uint64_t n[2];
        bool is_more = otf2_global_evt_next(g[0], &first[0]);
        cr_assert_eq(otf2_global_evt_next(g[1], &first[1]), is_more);
        if (!is_more)
            return;
        cr_assert_eq(first[0], first[1]);
        OTF2_TimeStamp last = dice() % 8 ? first[0] + dice() % longest : first[0];
        cr_assert_eq(otf2_global_evt_read_to(g[turn], last, &n[turn]), OTF2_SUCCESS);
        cr_assert_eq(otf2_global_evt_skip_to(g[!turn], last, &n[!turn]), OTF2_SUCCESS);
        cr_assert_gt(n[0], 0);
        cr_assert_eq(n[0], n[1]);
        cr_assert_leq(heard[n_heard - 1].time, last);
    }
}

Test(reader_merge, slices_of_time_are_all_events)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        OTF2_Reader *r[2];
        OTF2_GlobalEvtReader *g[2];
        write_archive(shapes[i].locations, shapes[i].n, shapes[i].step);
        for (unsigned k = 0; k < 2; k++) {
            r[k] = archive_read(shapes[i].locations);
            open_events(r[k], shapes[i].locations);
            g[k] = listen(r[k]);
        }
        read_by_turns(g, 10 * shapes[i].step);
        check(0);
        for (unsigned k = 0; k < 2; k++) {
            cr_assert_eq(OTF2_Reader_CloseGlobalEvtReader(r[k], g[k]), OTF2_SUCCESS);
            OTF2_Reader_Close(r[k]);
        }
        archive_remove();
    }
}

Test(reader_merge, every_event_can_interrupt, .fini = archive_remove)
{
    enum { LOCATIONS = 5, N = 300 };
    uint64_t n;
    write_archive(LOCATIONS, N, 4);
    OTF2_Reader *r = archive_read(LOCATIONS);
    open_events(r, LOCATIONS);
    OTF2_GlobalEvtReader *g = listen(r);
    for (uint64_t i = 1; i <= N; i++) {
        interrupt_at = i;
        cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(g, N, &n), OTF2_ERROR_INTERRUPTED_BY_CALLBACK);
        cr_assert_eq(n, 1);
    }
    check(0);
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(g, N, &n), OTF2_SUCCESS);
    cr_assert_eq(n, 0);
    OTF2_Reader_Close(r);
}

/* Not all locations, a few locations only in part, and a location that is closed on the way. */
Test(reader_merge, what_is_open_takes_part, .fini = archive_remove)
{
    enum { LOCATIONS = 7, N = 2000, FEW = 10 };
    uint64_t n;
    write_archive(LOCATIONS, N, 5);
    OTF2_Reader *r = archive_read(LOCATIONS);
    count_errors();
    cr_assert_null(OTF2_Reader_GetGlobalEvtReader(r));
    cr_assert_eq(reported.code, OTF2_ERROR_INVALID_ARGUMENT);
    open_events(r, LOCATIONS);
    cr_assert_eq(OTF2_Reader_CloseEvtReader(r, OTF2_Reader_GetEvtReader(r, 2)), OTF2_SUCCESS);
    OTF2_EvtReader *third = OTF2_Reader_GetEvtReader(r, 3);
    OTF2_EvtReader *fourth = OTF2_Reader_GetEvtReader(r, 4);
    OTF2_GlobalEvtReader *g = listen(r);

    cr_assert_eq(OTF2_EvtReader_ReadEvents(third, 1, &n), OTF2_ERROR_INVALID_CALL);
    cr_assert_eq(OTF2_EvtReader_ReadEventsBackward(third, 1, &n), OTF2_ERROR_INVALID_CALL);
    cr_assert_eq(OTF2_EvtReader_Seek(third, 1), OTF2_ERROR_INVALID_CALL);
    cr_assert_eq(OTF2_EvtReader_TimeStampRewrite(third, 1), OTF2_ERROR_INVALID_CALL);
    cr_assert_eq(OTF2_Reader_CloseEvtReader(r, fourth), OTF2_SUCCESS);
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(g, N / 2, &n), OTF2_SUCCESS);
    cr_assert_eq(n, N / 2);
    cr_assert_eq(OTF2_Reader_CloseEvtReader(r, third), OTF2_SUCCESS);
    uint64_t before = n_heard;
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(g, N, &n), OTF2_SUCCESS);
    /* From there on as if the third did not exist. */
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n_written; i++)
        if (written[i].location != 2 && written[i].location != 4)
            written[kept++] = written[i];
    n_written = kept;
    kept = before;
    for (uint64_t i = before; i < n_written; i++)
        if (written[i].location != 3)
            written[kept++] = written[i];
    n_written = kept;
    check(0);
    cr_assert_eq(OTF2_Reader_CloseGlobalEvtReader(r, g), OTF2_SUCCESS);
    /* Closing the global reader has closed its location readers. */
    cr_assert_null(OTF2_Reader_GetGlobalEvtReader(r));
    cr_assert_not_null(OTF2_Reader_GetEvtReader(r, 1));
    g = listen(r);
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(g, FEW, &n), OTF2_SUCCESS);
    cr_assert_eq(n, FEW);
    for (unsigned i = 0; i < FEW; i++)
        cr_assert_eq(heard[i].location, 1);
    OTF2_Reader_Close(r);
}

static OTF2_EvtReader *watched[2];
static uint64_t positions[2];

static OTF2_CallbackCode on_enter_watched(OTF2_LocationRef location, OTF2_TimeStamp time,
                                          void *user, OTF2_AttributeList *list,
                                          OTF2_RegionRef region)
{
    (void)time, (void)user, (void)list, (void)region;
    uint64_t p;
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(OTF2_EvtReader_GetPos(watched[i], &p), OTF2_SUCCESS);
        /* The position of the delivered event, or of the location's next event. */
        cr_assert_eq(p, positions[i] + 1);
    }
    positions[location]++;
    return OTF2_CALLBACK_SUCCESS;
}

Test(reader_merge, positions_are_those_of_the_next_events, .fini = archive_remove)
{
    enum { LOCATIONS = 2, N = 100 };
    uint64_t n;
    write_archive(LOCATIONS, N, 100);
    OTF2_Reader *r = archive_read(LOCATIONS);
    open_events(r, LOCATIONS);
    watched[0] = OTF2_Reader_GetEvtReader(r, 0);
    watched[1] = OTF2_Reader_GetEvtReader(r, 1);
    OTF2_GlobalEvtReader *g = listen(r);
    OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(c, on_enter_watched);
    cr_assert_eq(OTF2_GlobalEvtReader_SetCallbacks(g, c, NULL), OTF2_SUCCESS);
    OTF2_GlobalEvtReaderCallbacks_Delete(c);
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(g, N / 2, &n), OTF2_SUCCESS);
    cr_assert_eq(positions[0] + positions[1], N / 2);
    OTF2_Reader_Close(r);
}

static void build_enter(struct build *b, uint64_t time, uint8_t region)
{
    BUILD(b, 5);
    build_number(b, time, 8);
    BUILD(b, 12, 1, region);
}

static void open_two(const struct build *first, const struct build *second, OTF2_Reader **r,
                     OTF2_GlobalEvtReader **g)
{
    archive_replace("0.evt", first, first->n);
    archive_replace("1.evt", second, second->n);
    *r = archive_read(2);
    open_events(*r, 2);
    *g = listen(*r);
    count_errors();
}

/* A location that cannot be read on is an error, once, and leaves the rest unharmed. */
Test(reader_merge, a_damaged_location_leaves_the_others, .fini = archive_remove)
{
    OTF2_Reader *r;
    OTF2_GlobalEvtReader *g;
    uint64_t n;
    struct build good = {0};
    struct build bad = {0};
    write_archive(2, 2, 5);
    build_header(&good);
    build_header(&bad);
    for (uint8_t i = 1; i <= 10; i++)
        build_enter(&good, 10U * i, i);
    build_end(&good);
    build_enter(&bad, 15, 100);
    build_enter(&bad, 25, 101);
    open_two(&good, &bad, &r, &g);
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(g, 100, &n), OTF2_ERROR_INVALID_DATA);
    cr_assert_eq(n, 4);
    cr_assert_eq(reported.n, 1);
    cr_assert_not_null(strstr(reported.text, "1.evt"));
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(g, 100, &n), OTF2_SUCCESS);
    cr_assert_eq(n, 8);
    cr_assert_eq(n_heard, 12);
    OTF2_Reader_Close(r);

    /* From the very first event on. */
    bad.n = 0;
    build_header(&bad);
    BUILD(&bad, 14, 1, 9, 2);
    open_two(&bad, &good, &r, &g);
    int more;
    cr_assert_eq(OTF2_GlobalEvtReader_HasEvent(g, &more), OTF2_SUCCESS);
    cr_assert_eq(more, 1);
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvent(g), OTF2_ERROR_INVALID_DATA);
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(g, 100, &n), OTF2_SUCCESS);
    cr_assert_eq(n, 10);
    OTF2_Reader_Close(r);
    build_free(&good);
    build_free(&bad);
}

/* Times that decrease, and times as far apart as can be. */
Test(reader_merge, any_times_are_merged, .fini = archive_remove)
{
    const uint64_t first[] = {5, UINT64_MAX, 3, UINT64_MAX - 1, 7, UINT64_C(1) << 63};
    const uint64_t second[] = {4, UINT64_MAX, UINT64_MAX, 0, 6, 1};
    const uint64_t wanted[] = {
        4, 5, UINT64_MAX, 3, UINT64_MAX - 1, 7, UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX, 0, 6, 1};
    enum { N = sizeof first / sizeof first[0] };
    OTF2_Reader *r;
    OTF2_GlobalEvtReader *g;
    uint64_t n;
    struct build b[2] = {{0}, {0}};
    write_archive(2, 2, 5);
    build_header(&b[0]);
    build_header(&b[1]);
    for (unsigned i = 0; i < N; i++) {
        build_enter(&b[0], first[i], (uint8_t)i);
        build_enter(&b[1], second[i], (uint8_t)i);
    }
    build_end(&b[0]);
    build_end(&b[1]);
    open_two(&b[0], &b[1], &r, &g);
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(g, 100, &n), OTF2_SUCCESS);
    cr_assert_eq(n, 2 * N);
    for (unsigned i = 0; i < 2 * N; i++)
        cr_assert_eq(heard[i].time, wanted[i], "event %u: %llu", i,
                     (unsigned long long)heard[i].time);
    OTF2_Reader_Close(r);
    build_free(&b[0]);
    build_free(&b[1]);
}

/* ---- events with different names in older programs ---- */

static char names[256];

#define OLDER(Name, ...)                                                                           \
    static OTF2_CallbackCode older_##Name(OTF2_LocationRef location, OTF2_TimeStamp time,          \
                                          void *user, OTF2_AttributeList *list __VA_ARGS__)

static OTF2_CallbackCode older(const char *name, uint64_t a, uint64_t b)
{
    size_t n = strlen(names);
    snprintf(names + n, sizeof names - n, "%s(%llu,%llu) ", name, (unsigned long long)a,
             (unsigned long long)b);
    return OTF2_CALLBACK_SUCCESS;
}

OLDER(fork, , uint32_t threads)
{
    (void)location, (void)time, (void)user, (void)list;
    return older("fork", threads, 0);
}

OLDER(join, )
{
    (void)location, (void)time, (void)user, (void)list;
    return older("join", 0, 0);
}

OLDER(acquire, , uint32_t lock, uint32_t order)
{
    (void)location, (void)time, (void)user, (void)list;
    return older("acquire", lock, order);
}

OLDER(release, , uint32_t lock, uint32_t order)
{
    (void)location, (void)time, (void)user, (void)list;
    return older("release", lock, order);
}

OLDER(enter, , OTF2_RegionRef region)
{
    (void)location, (void)time, (void)user, (void)list;
    return older("enter", region, 0);
}

OLDER(leave, , OTF2_RegionRef region)
{
    (void)location, (void)time, (void)user, (void)list;
    return older("leave", region, 0);
}

static void write_newer(void)
{
    OTF2_Archive *a = archive_write();
    OTF2_Archive_OpenEvtFiles(a);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 0);
    for (int i = 0; i < 2; i++) {
        OTF2_Paradigm model = i ? OTF2_PARADIGM_OPENMP : OTF2_PARADIGM_PTHREAD;
        OTF2_EvtWriter_ThreadFork(w, NULL, 1, model, 8);
        OTF2_EvtWriter_ThreadAcquireLock(w, NULL, 1, model, 5, 6);
        OTF2_EvtWriter_ThreadReleaseLock(w, NULL, 1, model, 5, 6);
        OTF2_EvtWriter_ThreadJoin(w, NULL, 1, model);
    }
    OTF2_EvtWriter_CallingContextEnter(w, NULL, 1, 3, 2);
    OTF2_EvtWriter_CallingContextLeave(w, NULL, 1, 3);
    OTF2_EvtWriter_CallingContextEnter(w, NULL, 1, 4, 2);
    OTF2_Archive_CloseEvtWriter(a, w);
    OTF2_Archive_CloseEvtFiles(a);
    archive_write_defs(a, 0, 1);
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(a);
    OTF2_GlobalDefWriter_WriteCallingContext(d, 3, 77, 0, OTF2_UNDEFINED_CALLING_CONTEXT);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

Test(reader_merge, older_names_stand_in, .fini = archive_remove)
{
    write_newer();
    for (int has_defs = 0; has_defs < 2; has_defs++) {
        uint64_t n;
        OTF2_Reader *r = archive_read(1);
        if (has_defs) {
            OTF2_GlobalDefReader *d = OTF2_Reader_GetGlobalDefReader(r);
            cr_assert_eq(OTF2_Reader_ReadAllGlobalDefinitions(r, d, &n), OTF2_SUCCESS);
        }
        open_events(r, 1);
        OTF2_GlobalEvtReader *g = listen(r);
        OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();
        OTF2_GlobalEvtReaderCallbacks_SetOmpForkCallback(c, older_fork);
        OTF2_GlobalEvtReaderCallbacks_SetOmpJoinCallback(c, older_join);
        OTF2_GlobalEvtReaderCallbacks_SetOmpAcquireLockCallback(c, older_acquire);
        OTF2_GlobalEvtReaderCallbacks_SetOmpReleaseLockCallback(c, older_release);
        OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(c, older_enter);
        OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(c, older_leave);
        OTF2_GlobalEvtReader_SetCallbacks(g, c, NULL);
        OTF2_GlobalEvtReaderCallbacks_Delete(c);
        names[0] = '\0';
        cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(g, 100, &n), OTF2_SUCCESS);
        cr_assert_eq(n, 11);
        cr_assert_str_eq(names, has_defs ? "fork(8,0) acquire(5,6) release(5,6) join(0,0) "
                                           "enter(77,0) leave(77,0) "
                                         : "fork(8,0) acquire(5,6) release(5,6) join(0,0) ");
        OTF2_Reader_Close(r);
    }
}

Test(reader_merge, null_is_an_error)
{
    uint64_t n;
    int more;
    count_errors();
    cr_assert_eq(OTF2_GlobalEvtReader_SetCallbacks(NULL, NULL, NULL), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvent(NULL), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_GlobalEvtReader_ReadEvents(NULL, 1, &n), OTF2_ERROR_INTEGRITY_FAULT);
    cr_assert_eq(OTF2_GlobalEvtReader_HasEvent(NULL, &more), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(reported.n, 4);
}
