/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of an archive in full, with the numbering of the page. A row is read from the last place
 * in front of the window (view_places.h), so that a window costs only the chunks inside.
 *
 * The other end of a message may be in a row that was not asked for. That row is read as well, in
 * the window and a little around the window. Ends further away are searched for: view_serve_far.h.
 */
#ifndef TOOLS_VIEW_SERVE_WINDOW_H
#define TOOLS_VIEW_SERVE_WINDOW_H

#include "tools/view/serve/view_serve_http.h"
#include "tools/view/view_numbers.h"
#include "tools/view/view_places.h"

enum {
    WINDOW_EVENTS_MAX = 1000000,
    WINDOW_S_MAX = 10,
};

struct serve_windows;

/*
 * The state for answers from a cache. `v` has the definitions and the rows; the definitions, the
 * rows and the reader of `v` now belong to the windows. `key` is the required state of the archive
 * from now on. NULL: the cache does not fit.
 */
struct serve_windows *serve_windows_open(const struct view *v, struct cache *cache,
                                         const char *key);

/* See struct serve_site. */
struct serve_answer serve_windows_answer(void *windows, const struct serve_request *request,
                                         bool (*is_unwanted)(const void *who), const void *who);

void serve_windows_close(struct serve_windows *w);

#endif
