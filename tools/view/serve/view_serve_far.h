/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of a window whose ends lie elsewhere. The n-th message that was sent on a channel is the
 * n-th that was received, and places (view_places.h) tell how many a channel has had. So either end
 * can be found, however far away it is. Also those that are under way over the whole window.
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

    /* Reads a row from a place (NULL: its beginning) until the next one. */
    void (*read)(void *user, uint32_t row, const struct place *place);
    bool (*is_over)(void *user);
    void *user;

    size_t n_bytes; /* of places that were looked at */
    uint64_t n_events;
    bool is_too_much; /* not all of them were looked for */
};

/* Marks the rows, which were not read, that may have sent or received before the window what rows
 * that were asked for have not. */
void serve_far_peers(struct serve_far *f, bool *is_peer);

/* Adds the halves that are missing. */
void serve_far_find(struct serve_far *f);

#endif
