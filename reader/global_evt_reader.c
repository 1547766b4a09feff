/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/evt_reader.h"
#include "reader/evt_slices.h"

#include <otf2x/otf2x.h>

static bool leaves_out;

void OTF2X_LeaveOutLocations(void)
{
    leaves_out = true;
}

#define READER_KIND Evt
#define IS_REFUSED(location) ((location)->evt_has_failed && !leaves_out)
#define READER_FIELD evt
#define TIME_OF(reader) ((reader)->time)
#include "reader/global_reader_functions.h"

/* `look` for all but the common case. */
static __attribute__((noinline)) uint64_t look_closer(OTF2_GlobalEvtReader *g, uint64_t i)
{
    OTF2_EvtReader *e = g->sources[i].reader;
    enum otf2_evt_step step = otf2_evt_find(e);
    if (step != OTF2_EVT_DELIVERED)
        return end_source(g, i, step == OTF2_EVT_FAILED);
    e->position++;
    return otf2_merge_key(&g->merge, e->time, i);
}

/* The key of a source's next event. */
static inline uint64_t look(OTF2_GlobalEvtReader *g, OTF2_EvtReader *e, uint64_t i)
{
    enum { CACHE_LINE = 64 };
    const uint8_t *p = e->stream.at;
    if (__builtin_expect(p >= e->stream.fast_end, 0))
        return look_closer(g, i);
    /* No hardware foresees the next addresses of hundreds of files. */
    __builtin_prefetch(p + CACHE_LINE);
    if (*p == OTF2_FRAME_TIME) {
        OTF2_TimeStamp time;
        memcpy(&time, p + 1, sizeof time);
        otf2_evt_set_time(e, time);
        e->stream.at = p += OTF2_FRAME_TIME_BYTES;
    }
    if (*p < OTF2_FRAME_FIRST_RECORD && (*p != OTF2_FRAME_ATTRIBUTES || !otf2_evt_take_list(e, p)))
        return look_closer(g, i);
    e->position++;
    return otf2_merge_key(&g->merge, e->time, i);
}

static void begin(OTF2_GlobalEvtReader *g)
{
    for (uint64_t i = 0; i < g->n; i++) {
        OTF2_EvtReader *e = g->sources[i].reader;
        if (!e)
            continue;
        otf2_evt_refresh(e);
        otf2_evt_set_time(e, e->stream.time);
        g->sources[i].is_live = true;
        look_closer(g, i);
    }
    g->is_begun = true;
}

/* Delivers the current event of a source. */
static inline enum otf2_evt_step deliver(OTF2_GlobalEvtReader *g, OTF2_EvtReader *e)
{
    const uint8_t *p = e->stream.at;
    otf2_evt_deliver *usual = otf2_evt_deliver_global[*p];
    bool is_fast = p < e->stream.fast_end && usual;
    return __builtin_expect(is_fast, 1) ? usual(e, p, g) : otf2_evt_deliver_checked(e, p, g);
}

/*
 * Delivers events of the first source while the source stays first, and in front of the key `stop`.
 * Returns the number of delivered events.
 */
static inline uint64_t drain(OTF2_GlobalEvtReader *g, uint64_t limit, uint64_t stop,
                             enum otf2_evt_step *end)
{
    uint64_t i = otf2_merge_source(&g->merge, g->merge.winner);
    OTF2_EvtReader *e = g->sources[i].reader;
    uint64_t second = otf2_merge_second(&g->merge, i);
    uint64_t next;
    uint64_t n = 0;
    /* The next source is known already; without another source, the source itself is next. */
    __builtin_prefetch(g->sources[otf2_merge_source(&g->merge, second)].reader);
    second = second < stop ? second : stop;
    do {
        *end = deliver(g, e);
        if (__builtin_expect(*end == OTF2_EVT_FAILED, 0)) {
            next = end_source(g, i, true);
            break;
        }
        n++;
        next = look(g, e, i);
    } while (next < second && n < limit && *end == OTF2_EVT_DELIVERED);
    otf2_merge_replace(&g->merge, i, next);
    return n;
}

OTF2_ErrorCode OTF2_GlobalEvtReader_ReadEvents(OTF2_GlobalEvtReader *reader, uint64_t recordsToRead,
                                               uint64_t *recordsRead)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, no_reader);
    if (!recordsRead)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    enum otf2_evt_step end = OTF2_EVT_DELIVERED;
    uint64_t n = 0;
    while (n < recordsToRead && end == OTF2_EVT_DELIVERED && settle(reader) && !reader->has_failed)
        n += drain(reader, recordsToRead - n, otf2_merge_ended, &end);
    *recordsRead = n;
    return result_of(reader, recordsToRead > 0, end == OTF2_EVT_INTERRUPTED);
}

OTF2_ErrorCode OTF2_GlobalEvtReader_ReadEvent(OTF2_GlobalEvtReader *reader)
{
    uint64_t n;
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    return OTF2_GlobalEvtReader_ReadEvents(reader, 1, &n);
}

OTF2_ErrorCode OTF2_GlobalEvtReader_HasEvent(OTF2_GlobalEvtReader *reader, int *flag)
{
    if (!reader || !flag)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    *flag = settle(reader) || reader->has_failed;
    return OTF2_SUCCESS;
}

/* ---- slices ---- */

bool otf2_global_evt_next(OTF2_GlobalEvtReader *g, OTF2_TimeStamp *time)
{
    *time = 0;
    if (!settle(g))
        return g->has_failed;
    *time = g->sources[otf2_merge_source(&g->merge, g->merge.winner)].reader->time;
    return true;
}

OTF2_ErrorCode otf2_global_evt_read_to(OTF2_GlobalEvtReader *g, OTF2_TimeStamp last, uint64_t *n)
{
    enum otf2_evt_step end = OTF2_EVT_DELIVERED;
    *n = 0;
    while (end == OTF2_EVT_DELIVERED && settle(g) && !g->has_failed) {
        uint64_t stop = otf2_merge_behind(&g->merge, last);
        if (g->merge.winner >= stop)
            break;
        *n += drain(g, UINT64_MAX, stop, &end);
    }
    return result_of(g, true, end == OTF2_EVT_INTERRUPTED);
}

/*
 * The limit for passing an event of this id without decoding. The byte behind the id is a length or
 * the length of the only number. The event is passed if the byte is below the limit. An event with
 * a time of its own is never passed: the times that a reader has corrected decide the correction of
 * the next times.
 */
static const uint8_t passed_below[256] = {
#define IS_TIME(Row, kind, name) || (int)OTF2_KIND_##kind == (int)OTF2_KIND_TIME
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    [id] = (0 OTF2_SEQ(IS_TIME, Name, __VA_ARGS__))                 ? 0                            \
           : OTF2_ROW_IS_SINGLETON(Name, major, minor, __VA_ARGS__) ? sizeof(uint64_t) + 1         \
                                                                    : OTF2_WIRE_LONG,
#include <otf2/otf2_events.def>
#undef EVENT
#undef IS_TIME
};

/* Passes the current event of a source. False: the event is broken. */
static inline bool pass(OTF2_EvtReader *e)
{
    static OTF2_GlobalEvtReader nobody;
    const uint8_t *p = e->stream.at;
    if (__builtin_expect(p >= e->stream.fast_end || p[1] >= passed_below[*p], 0))
        return otf2_evt_deliver_checked(e, p, &nobody) == OTF2_EVT_DELIVERED;
    e->stream.at = p + 2 + p[1];
    if (e->has_attributes) {
        otf2_attributes_clear(&e->attributes);
        e->has_attributes = false;
    }
    return true;
}

OTF2_ErrorCode otf2_global_evt_skip_to(OTF2_GlobalEvtReader *g, OTF2_TimeStamp last, uint64_t *n)
{
    *n = 0;
    if (!settle(g) || g->has_failed)
        return result_of(g, true, false);
    for (uint64_t i = 0; i < g->n && !g->has_failed; i++) {
        OTF2_EvtReader *e = g->sources[i].reader;
        while (g->sources[i].is_live && e->time <= last) {
            if (!pass(e)) {
                end_source(g, i, true);
                break;
            }
            *n += 1;
            look(g, e, i);
        }
    }
    g->merge.is_stale = true;
    return result_of(g, true, false);
}
