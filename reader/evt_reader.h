/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events of a location, and their way to the program: by the location's own reader, or by the
 * global reader, which merges several locations.
 *
 * An event is decoded when delivered, from its bytes in the file's window. For the usual case there
 * are functions without checks, straight-line code from otf2_events.def, found by the id byte. In
 * every unusual case these functions leave the event to otf2_evt_deliver_checked().
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

struct otf2_evt_places; /* the begins of a chunk's events, for going back */

/* The data for each event are at the begin and fill one line of the cache, if aligned. */
struct OTF2_EvtReader_struct {
    OTF2_TimeStamp time; /* corrected, of the event that is next or being delivered */
    uint64_t position;   /* of the last event delivered, or being delivered */
    OTF2_LocationRef id;
    uint32_t has_maps;                     /* ids are translated */
    uint32_t has_attributes;               /* of the same event */
    const struct otf2_clock_points *clock; /* NULL: times are not corrected */
    struct otf2_timed stream;

    OTF2_IdMap *const *maps;      /* by OTF2_MappingType */
    OTF2_GlobalEvtReader *global; /* the global reader of these events; NULL: none */
    uint64_t source;              /* number of this reader in the global reader */
    OTF2_AttributeList attributes;
    struct otf2_clock clock_at;
    struct otf2_location *location;
    OTF2_Reader *reader;
    struct otf2_evt_places *places; /* NULL: not asked for */
    void *scratch;                  /* for the arrays of unusual records */
    size_t scratch_bytes;
    bool applies_maps;
    bool applies_clock;
    void *user_data;
    OTF2_EvtReaderCallbacks callbacks;
    void *memory; /* the memory around this struct */
};

struct OTF2_GlobalEvtReader_struct;

/*
 * Delivers the event at `p`, in front of fast_end of the event's stream, at a known time. `g` is
 * NULL for the location's own callbacks. The table has NULL where no event can begin with the byte.
 */
typedef enum otf2_evt_step otf2_evt_deliver(OTF2_EvtReader *e, const uint8_t *p,
                                            OTF2_GlobalEvtReader *g);
extern otf2_evt_deliver *const otf2_evt_deliver_local[256];
extern otf2_evt_deliver *const otf2_evt_deliver_global[256];

/* The same with all checks; the event is at stream.at, `p` is ignored. */
otf2_evt_deliver otf2_evt_deliver_checked;

/* Delivers the next event to the location's own callbacks, wherever the event lies. */
enum otf2_evt_step otf2_evt_step(OTF2_EvtReader *e);

/* Goes to the next event with all checks; OTF2_EVT_DELIVERED: there is an event. */
enum otf2_evt_step otf2_evt_find(OTF2_EvtReader *e);

/*
 * For an event without a callback, given by table index and decoded struct: calls the callback of
 * an older version of the event, if set. Returns the answer of the program.
 */
OTF2_CallbackCode otf2_evt_call_older(OTF2_EvtReader *e, OTF2_GlobalEvtReader *g,
                                      OTF2_TimeStamp time, enum otf2_evt_index number,
                                      const void *record);

/* Takes in changes of the local definitions and of the program's settings. */
void otf2_evt_refresh(OTF2_EvtReader *e);

static inline void otf2_evt_set_time(OTF2_EvtReader *e, OTF2_TimeStamp time)
{
    e->stream.time = time;
    e->time = time;
    if (__builtin_expect(e->clock != NULL, 0))
        e->time = otf2_clock_correct(&e->clock_at, e->clock, time);
}

/*
 * Goes over the attribute list at `p`, in front of fast_end, to the list's event. NULL: an unusual
 * list.
 */
const uint8_t *otf2_evt_take_list(OTF2_EvtReader *e, const uint8_t *p);

/* Takes a reader out of the merge, without telling the program. */
void otf2_global_evt_reader_forget(OTF2_GlobalEvtReader *g, OTF2_EvtReader *local);

#endif
