/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events of one location, and how they get to the program: by the location's own reader, or by
 * the global one that merges several.
 *
 * An event is decoded when it is delivered, from the bytes where they lie in the file's window. For
 * the usual case there are functions without checks, straight-line code from otf2_events.def, found
 * by the id byte; they leave to otf2_evt_deliver_checked() whatever is not as expected.
 */
#ifndef READER_EVT_READER_H
#define READER_EVT_READER_H

#include <otf2/otf2.h>

#include "reader/callbacks.h"
#include "reader/clock.h"
#include "reader/location_state.h"
#include "reader/reader.h"
#include "reader/timed.h"

enum otf2_evt_step {
    OTF2_EVT_DELIVERED,
    OTF2_EVT_INTERRUPTED, /* delivered as well */
    OTF2_EVT_ENDED,
    OTF2_EVT_FAILED /* the stream's error is to be returned */
};

struct otf2_evt_places; /* where the events of a chunk begin, for going back */

/* What each event needs is at the begin and fills one line of the cache, if that is aligned. */
struct OTF2_EvtReader_struct {
    OTF2_TimeStamp time; /* corrected, of the event that is next or being delivered */
    uint64_t position;   /* of the event that was delivered last, or is being delivered */
    OTF2_LocationRef id;
    uint32_t has_maps;                     /* something is translated */
    uint32_t has_attributes;               /* of that event */
    const struct otf2_clock_points *clock; /* NULL: nothing is corrected */
    struct otf2_timed stream;

    OTF2_IdMap *const *maps;      /* by OTF2_MappingType */
    OTF2_GlobalEvtReader *global; /* that reads these events; NULL: none */
    uint64_t source;              /* its number there */
    OTF2_AttributeList attributes;
    struct otf2_clock clock_at;
    struct otf2_location *location;
    OTF2_Reader *reader;
    struct otf2_evt_places *places; /* NULL: none were asked for */
    void *scratch;                  /* for the arrays of unusual records */
    size_t scratch_bytes;
    bool applies_maps;
    bool applies_clock;
    void *user_data;
    OTF2_EvtReaderCallbacks callbacks;
    void *memory; /* that it lies in */
};

struct OTF2_GlobalEvtReader_struct;

/*
 * Delivers the event at `p`, in front of fast_end of its stream, whose time is known. `g` is NULL
 * for the location's own callbacks. NULL where no event can begin with this byte.
 */
typedef enum otf2_evt_step otf2_evt_deliver(OTF2_EvtReader *e, const uint8_t *p,
                                            OTF2_GlobalEvtReader *g);
extern otf2_evt_deliver *const otf2_evt_deliver_local[256];
extern otf2_evt_deliver *const otf2_evt_deliver_global[256];

/* The same with all checks; the event is at stream.at, `p` is ignored. */
otf2_evt_deliver otf2_evt_deliver_checked;

/* Delivers the next event to the location's own callbacks, wherever it is. */
enum otf2_evt_step otf2_evt_step(OTF2_EvtReader *e);

/* Goes to the next event with all checks: OTF2_EVT_DELIVERED when there is one. */
enum otf2_evt_step otf2_evt_find(OTF2_EvtReader *e);

/*
 * Calls back for the event of that table index and decoded struct for which there is no callback,
 * but perhaps one of an older version for the same. The answer of the program.
 */
OTF2_CallbackCode otf2_evt_call_older(OTF2_EvtReader *e, OTF2_GlobalEvtReader *g,
                                      OTF2_TimeStamp time, enum otf2_evt_index number,
                                      const void *record);

/* Looks at what the local definitions and the program say by now. */
void otf2_evt_refresh(OTF2_EvtReader *e);

static inline void otf2_evt_set_time(OTF2_EvtReader *e, OTF2_TimeStamp time)
{
    e->stream.time = time;
    e->time = time;
    if (__builtin_expect(e->clock != NULL, 0))
        e->time = otf2_clock_correct(&e->clock_at, e->clock, time);
}

/*
 * Over the attribute list at `p`, in front of fast_end, to its event. NULL when there is anything
 * unusual about it.
 */
const uint8_t *otf2_evt_take_list(OTF2_EvtReader *e, const uint8_t *p);

/* Out of the merge, without a word to the program. */
void otf2_global_evt_reader_forget(OTF2_GlobalEvtReader *g, OTF2_EvtReader *local);

#endif
