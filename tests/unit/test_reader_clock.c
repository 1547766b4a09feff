/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader writer format format-zlib */
/* The times of a location's events, corrected by the clock offsets of its local definitions. */
#include "tests/unit/archive_build.h"

static OTF2_TimeStamp stop_time;

static OTF2_CallbackCode on_flush(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *list, OTF2_TimeStamp stop)
{
    (void)user;
    stop_time = stop;
    return hear(location, time, position, list, 0);
}

struct point {
    uint64_t time;
    int64_t offset;
};

static const struct point points[] = {{1000, 10}, {2000, 20}, {3000, -3000}, {3001, 5}};

/* To the nearest integer, halves to the even one. */
static int64_t rounded(double x)
{
    int64_t below = (int64_t)x - (x < (double)(int64_t)x);
    double rest = x - (double)below;
    return rest > 0.5 || (rest == 0.5 && below % 2) ? below + 1 : below;
}

/* By the interval of two points; what a ruler would say. */
static uint64_t corrected(uint64_t time, unsigned interval)
{
    const struct point *p = &points[interval];
    double slope = (double)(p[1].offset - p[0].offset) / (double)(p[1].time - p[0].time);
    double distance = (double)(int64_t)(time - p->time);
    return time + (uint64_t)(p->offset + rounded(slope * distance));
}

static void write_clock(unsigned n)
{
    OTF2_Archive *a = archive_write();
    OTF2_Archive_OpenEvtFiles(a);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 0);
    const uint64_t times[] = {0, 999, 1000, 1050, 1150, 2000, 2001, 2999, 3000};
    for (unsigned i = 0; i < sizeof times / sizeof times[0]; i++)
        OTF2_EvtWriter_Enter(w, NULL, times[i], 1);
    /* Moves the clock into its last interval, for the event at the same time as well. */
    OTF2_EvtWriter_BufferFlush(w, NULL, 3000, 5000);
    OTF2_EvtWriter_Enter(w, NULL, 3000, 1);
    OTF2_EvtWriter_Enter(w, NULL, 9000, 1);
    OTF2_Archive_CloseEvtWriter(a, w);
    OTF2_Archive_CloseEvtFiles(a);
    OTF2_Archive_OpenDefFiles(a);
    OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a, 0);
    for (unsigned i = 0; i < n; i++)
        OTF2_DefWriter_WriteClockOffset(d, points[i].time, points[i].offset, 0);
    OTF2_Archive_CloseDefWriter(a, d);
    OTF2_Archive_CloseDefFiles(a);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

static void read_clock(OTF2_EvtReader *e, const uint64_t *wanted)
{
    enum { N = 12 };
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, hear_enter);
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(c, on_flush);
    cr_assert_eq(hear_anew(e, c), N);
    for (unsigned i = 0; i < N; i++)
        cr_assert_eq(heard[i].time, wanted[i], "event %u: %llu instead of %llu", i,
                     (unsigned long long)heard[i].time, (unsigned long long)wanted[i]);
}

Test(reader_clock, times_are_corrected, .fini = archive_remove)
{
    const uint64_t raw[] = {0, 999, 1000, 1050, 1150, 2000, 2001, 2999, 3000, 3000, 3000, 9000};
    const uint64_t fixed[] = {corrected(0, 0),    corrected(999, 0),  corrected(1000, 0),
                              corrected(1050, 0), corrected(1150, 0), corrected(2000, 0),
                              corrected(2001, 1), corrected(2999, 1), corrected(3000, 1),
                              corrected(3000, 1), corrected(3000, 2), corrected(9000, 2)};
    /* Halves become even numbers: 1050 is 0.5 behind the first offset, 1150 1.5. */
    cr_assert_eq(fixed[3], 1060);
    cr_assert_eq(fixed[4], 1162);
    write_clock(4);
    OTF2_Reader *r = archive_read(1);
    OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r, 0);
    read_clock(e, fixed);
    cr_assert_eq(stop_time, corrected(5000, 2));
    cr_assert_eq(OTF2_EvtReader_ApplyClockOffsets(e, false), OTF2_SUCCESS);
    read_clock(e, raw);
    cr_assert_eq(stop_time, 5000);
    cr_assert_eq(OTF2_EvtReader_ApplyClockOffsets(e, true), OTF2_SUCCESS);
    read_clock(e, fixed);
    OTF2_Reader_Close(r);
}

Test(reader_clock, one_point_corrects_nothing, .fini = archive_remove)
{
    const uint64_t raw[] = {0, 999, 1000, 1050, 1150, 2000, 2001, 2999, 3000, 3000, 3000, 9000};
    write_clock(1);
    OTF2_Reader *r = archive_read(1);
    read_clock(OTF2_Reader_GetEvtReader(r, 0), raw);
    OTF2_Reader_Close(r);
}
