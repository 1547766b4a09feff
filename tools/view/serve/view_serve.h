/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur view --serve: serves the page, and the windows of the archive requested by the page, to this
 * machine alone.
 *
 *     view_serve           from the cache, or made; and then served
 *     view_serve_listen    where, for whom, and until when
 *     view_serve_request   the parts of a request
 *     view_serve_http      HTTP, by libmicrohttpd
 *     view_serve_window    windows, read from the last place in front of the window
 *     view_serve_answer    the contents of a window, as bytes
 *     view_serve_keep      further results of the pass
 */
#ifndef TOOLS_VIEW_SERVE_H
#define TOOLS_VIEW_SERVE_H

#include "tools/view/view_part.h"

/*
 * Serves the page of a view whose archive is open. `read` is the pass over the archive, needed when
 * no cache fits, and `open` opens the archive once more. Returns the status of the process.
 */
int view_serve(struct view *v, void (*open)(struct view *v),
               struct view_part *(*read)(struct view *v));

#endif
