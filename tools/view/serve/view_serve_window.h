/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of an archive as they were, with the numbers that its page has. A row is read from the
 * last place in front of the window (view_places.h), so that a window costs the chunks it
 * touches.
 *
 * The other end of a message may be in a row that was not asked for: that one is read as well, in
 * the window and a little around it. Ends that lie elsewhere are looked for: view_serve_far.h.
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
 * Ready to answer, by what is in a cache; `v` has the definitions and the rows, and they and its
 * reader are given away. `key` is what the archive has to be like from now on. NULL: the cache does
 * not fit.
 */
struct serve_windows *serve_windows_open(const struct view *v, struct cache *cache,
                                         const char *key);

/* See struct serve_site. */
struct serve_answer serve_windows_answer(void *windows, const struct serve_request *request,
                                         bool (*is_unwanted)(const void *who), const void *who);

void serve_windows_close(struct serve_windows *w);

#endif
