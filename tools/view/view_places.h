/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places from which a row can be read on. Every some thousand events the pass over the archive
 * writes down where it is and which calls are open. It also writes the values of metrics, and how
 * many messages each channel of the row has had. A window is read from the last place in front of
 * it, so that it knows what is open at its beginning without the events before.
 *
 * Of channels a place has those that have changed since the one before it; now and then it has all,
 * so that what is written, and what has to be read, stays in proportion.
 */
#ifndef TOOLS_VIEW_PLACES_H
#define TOOLS_VIEW_PLACES_H

#include "tools/view/view_cache.h"
#include "tools/view/view_lane.h"

/* The places of all rows, row by row; those of a row by their times. */
struct place {
    uint64_t time;     /* ns: of the last event in front of it */
    uint64_t position; /* of that event in its location */
    uint64_t at;       /* where its state begins in the section, */
    uint64_t n_bytes;
};

struct view_places {
    struct cache *cache;
    LIST(struct place) all;
    LIST(uint64_t) first; /* by row: of its places; one more for the end */
    /* While they are written: the row, and of its channels those that it has had. */
    uint32_t row;
    uint64_t position;
    uint64_t pending; /* events since the last place */
    uint64_t n_bytes;
    LIST(uint32_t) channels;
    LIST(uint32_t) seen_by; /* by channel: row + 1 */
    size_t since_all;       /* channels that were written since all were */
};

/* From the first row on, into a section that begins behind the key of p->cache. */
void view_places_begin(struct view_places *p);

/* A lane is behind so many more events; 0: behind its last one. */
void view_places_add(struct view_places *p, const struct view_lane *l, uint64_t n);

/* No more rows; the tables become sections of their own. */
void view_places_finish(struct view_places *p, uint32_t n_rows, const struct view_exact *exact);

/* Those of a cache, and the channels, into `exact`. False: they are not sound. */
bool view_places_load(struct view_places *p, struct cache *cache, uint32_t n_rows,
                      struct view_exact *exact);

/* The place behind the last event of a row. NULL: it has none. */
const struct place *view_places_last(const struct view_places *p, uint32_t row);

/* The first place of a row, or NULL. */
const struct place *view_places_first(const struct view_places *p, uint32_t row);

/* The last place of a row whose events are before a time, or NULL. */
const struct place *view_places_before(const struct view_places *p, uint32_t row, uint64_t time);

/* Events of a row from there, NULL: its beginning, to the first place behind a time. */
uint64_t view_places_events(const struct view_places *p, uint32_t row, const struct place *from,
                            uint64_t to);

/* How many messages a channel of the row has had there. Adds what was read for it. */
uint64_t view_places_count(const struct view_places *p, uint32_t row, const struct place *place,
                           uint32_t channel, size_t *bytes);

/* The last place of a row in front of one end of a message. NULL: its beginning. */
const struct place *view_places_of(const struct view_places *p, uint32_t row,
                                   const struct view_end *end, size_t *bytes);

/* A lane, which has begun, as it was at a place. False: it cannot be read. */
bool view_places_restore(const struct view_places *p, const struct place *place,
                         struct view_lane *lane);

void view_places_free(struct view_places *p);

#endif
