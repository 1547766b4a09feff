/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_slices.h"

#include "reader/evt_slices.h"
#include "tools/print/print_define.h"

enum {
    SLICE = 8192,          /* events, about: with few, workers wait for each other */
    SLICE_EACH = 8,        /* and so many of a location, since a slice looks at all of them */
    TEXT_BYTES = 256,      /* of an event: the text of most slices fits into a buffer, */
    BUFFER_MOST = 1 << 24, /* bytes: else it is passed on in pieces */
    GROWTH = 4,            /* of a slice with few events to the next */
};

struct slices slices_begin(OTF2_GlobalEvtReader *events)
{
    uint64_t least = nlocations * SLICE_EACH;
    return (
        struct slices){.events = events, .span = 1, .events_each = least < SLICE ? SLICE : least};
}

size_t slices_room(const struct slices *s)
{
    uint64_t room = s->events_each * TEXT_BYTES;
    return room < BUFFER_MOST ? room : BUFFER_MOST;
}

bool slices_next(struct slices *s)
{
    return otf2_global_evt_next(s->events, &s->first);
}

static uint64_t next_span(const struct slices *s, uint64_t n)
{
    uint64_t span = s->span;
    if (n > 2 * s->events_each)
        span = (uint64_t)((double)span * (double)s->events_each / (double)n);
    else if (n < s->events_each / 2)
        span = span < UINT64_MAX / GROWTH ? span * GROWTH : UINT64_MAX;
    return span ? span : 1;
}

OTF2_ErrorCode slices_read(struct slices *s, bool is_mine)
{
    OTF2_TimeStamp last = s->first + s->span;
    uint64_t n = 0;
    if (last < s->first)
        last = UINT64_MAX;
    OTF2_ErrorCode code = is_mine ? otf2_global_evt_read_to(s->events, last, &n)
                                  : otf2_global_evt_skip_to(s->events, last, &n);
    s->n_read += n;
    s->span = next_span(s, n);
    return code;
}
