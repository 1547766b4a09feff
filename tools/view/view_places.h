/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places from which the reading of a row can continue. Every some thousand events the pass over the
 * archive writes down the position and the open calls. A place also holds the values of metrics,
 * and the number of messages so far on each channel of the row. To read a window, the reader starts
 * at the last place in front of the window. Therefore all calls open at the beginning of the window
 * are known without the events before.
 *
 * Most places hold only the channels that have changed since the previous place. Now and then a
 * place holds all channels. So the bytes to write and the bytes to read stay in proportion.
 */
#ifndef TOOLS_VIEW_PLACES_H
#define TOOLS_VIEW_PLACES_H

#include "tools/view/view_cache.h"
#include "tools/view/view_lane.h"

/* The places of all rows, row by row, in the order of time. */
struct view_place {
    uint64_t time;     /* ns: of the last event in front of the place */
    uint64_t position; /* of that event in the location */
    uint64_t at;       /* beginning of the state in the section */
    uint64_t n_bytes;
};

struct view_places {
    struct cache *cache;
    LIST(struct view_place) all;
    LIST(uint64_t) first; /* by row: index of the first place; another for the end */
    /* While places are written: the row, and the channels of the row so far. */
    uint32_t row;
    uint64_t position;
    uint64_t pending; /* events since the last place */
    uint64_t n_bytes;
    LIST(uint32_t) channels;
    LIST(uint32_t) seen_by; /* by channel: row + 1 */
    size_t since_all;       /* channels written since the last place with all */
};

/* From the first row on, into a section that begins behind the key of p->cache. */
void view_places_begin(struct view_places *p);

/* A lane has gone on by `n` events; 0: the lane is behind the last event. */
void view_places_add(struct view_places *p, const struct view_lane *l, uint64_t n);

/* No more rows; the tables become sections of the cache. */
void view_places_finish(struct view_places *p, uint32_t n_rows, const struct view_exact *exact);

/* Loads the places from a cache, and the channels into `exact`. False: damaged. */
bool view_places_load(struct view_places *p, struct cache *cache, uint32_t n_rows,
                      struct view_exact *exact);

/* The place behind the last event of a row. NULL: a row without places. */
const struct view_place *view_places_last(const struct view_places *p, uint32_t row);

/* The first place of a row, or NULL. */
const struct view_place *view_places_first(const struct view_places *p, uint32_t row);

/* The last place of a row whose events are before a time, or NULL. */
const struct view_place *view_places_before(const struct view_places *p, uint32_t row,
                                            uint64_t time);

/*
 * The number of events of a row from the place `from` (NULL: the beginning) to the first place
 * behind a time.
 */
uint64_t view_places_events(const struct view_places *p, uint32_t row,
                            const struct view_place *from, uint64_t to);

/*
 * The number of messages that a channel of the row has had up to a place. Adds the bytes read to
 * `bytes`.
 */
uint64_t view_places_count(const struct view_places *p, uint32_t row,
                           const struct view_place *place, uint32_t channel, size_t *bytes);

/* The last place of a row in front of an end of a message. NULL: the beginning of the row. */
const struct view_place *view_places_of(const struct view_places *p, uint32_t row,
                                        const struct view_end *end, size_t *bytes);

/* Restores a lane, already begun, to the state of a place. False: the state cannot be read. */
bool view_places_restore(const struct view_places *p, const struct view_place *place,
                         struct view_lane *lane);

void view_places_free(struct view_places *p);

#endif
