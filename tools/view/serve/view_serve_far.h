/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of a window with a far end. The n-th message sent on a channel is the n-th message
 * received, and places (view_places.h) tell the number of messages of a channel so far. So either
 * end can be found, at any distance. Messages that are under way over the whole window are found,
 * too.
 */
#ifndef TOOLS_VIEW_SERVE_FAR_H
#define TOOLS_VIEW_SERVE_FAR_H

#include "tools/view/view_places.h"

struct serve_far {
    const struct view_places *places;
    struct view_part *part;
    const bool *is_asked; /* by row */
    const bool *is_read;
    uint64_t from; /* of the window */

    /* Reads a row from a place (NULL: the beginning of the row) to the next place. */
    void (*read)(void *user, uint32_t row, const struct view_place *place);
    bool (*is_over)(void *user);
    void *user;

    size_t n_bytes; /* of visited places */
    uint64_t n_events;
    bool is_too_much; /* the search for messages was given up early */
};

/*
 * Marks unread rows that may have sent or received messages before the window whose opposite ends
 * the wanted rows have not had yet.
 */
void serve_far_peers(struct serve_far *f, bool *is_peer);

/* Adds the missing halves. */
void serve_far_find(struct serve_far *f);

#endif
