/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the events of a chunk begin. Records can only be read forward, so going back means to have
 * gone there before: a mark is kept for each so many events of one chunk, and one for each event
 * between two such marks.
 */
#ifndef READER_EVT_PLACES_H
#define READER_EVT_PLACES_H

#include "reader/timed.h"

struct otf2_evt_places;

/* NULL is allowed. */
void otf2_evt_places_free(struct otf2_evt_places *places);

#endif
