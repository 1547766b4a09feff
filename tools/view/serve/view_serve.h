/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur view --serve: the page, and the windows of the archive that it asks for, to this machine
 * alone.
 *
 *     view_serve           from the cache, or made; and then served
 *     view_serve_listen    where, for whom, and until when
 *     view_serve_request   what a request asks for
 *     view_serve_http      HTTP, by libmicrohttpd
 *     view_serve_window    windows, read from the last place in front of them
 *     view_serve_answer    what was found there, as bytes
 *     view_serve_keep      what else the pass has found out
 */
#ifndef TOOLS_VIEW_SERVE_H
#define TOOLS_VIEW_SERVE_H

#include "tools/view/view_part.h"

/*
 * Serves the page of a view whose archive is open. `read` is the pass over it, which is needed when
 * there is no cache that fits, and `open` opens it once more. The status of the process.
 */
int view_serve(struct view *v, void (*open)(struct view *v),
               struct view_part *(*read)(struct view *v));

#endif
