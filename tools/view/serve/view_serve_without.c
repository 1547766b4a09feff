/* SPDX-License-Identifier: BSD-3-Clause */
/* spur view that was built without libmicrohttpd: CMake takes this in place of view_serve_http.c.
 */
#include "tools/view/serve/view_serve_http.h"

#include <errno.h>
#include <stddef.h>

const char *serve_http_missing(void)
{
    return "this spur was built without libmicrohttpd (Debian: libmicrohttpd-dev)";
}

struct serve_http *serve_http_open(const struct serve_site *site, struct sockaddr *address,
                                   socklen_t bytes)
{
    (void)site, (void)address, (void)bytes;
    errno = ENOSYS;
    return NULL;
}

bool serve_http_run(struct serve_http *http, const sigset_t *while_waiting)
{
    (void)http, (void)while_waiting;
    return false;
}

double serve_http_idle(const struct serve_http *http)
{
    (void)http;
    return 0.0;
}

void serve_http_end(void)
{
}

void serve_http_close(struct serve_http *http)
{
    (void)http;
}
