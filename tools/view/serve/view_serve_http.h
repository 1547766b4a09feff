/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HTTP for one page and the windows that it asks for. One thread, that of the caller: it answers a
 * window before it looks at the next request.
 *
 * A stranger's program, or a page that a browser shows beside this one, may send anything: no
 * answer without the token, GET alone, only under names of this machine, and each connection has an
 * end.
 */
#ifndef TOOLS_VIEW_SERVE_HTTP_H
#define TOOLS_VIEW_SERVE_HTTP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "tools/view/serve/view_serve_request.h"

struct serve_http;

/* What a request gets. `text`, a line, is borrowed; `bytes` are given away. */
struct serve_answer {
    unsigned status;
    const char *text; /* NULL: bytes */
    void *bytes;      /* of malloc */
    size_t n_bytes;
};

/* What is served. */
struct serve_site {
    char token[SERVE_TOKEN_BYTES + 1];
    const void *page; /* HTML, kept until the end */
    size_t page_bytes;
    /* Answers a window; `is_unwanted` tells when nobody waits for it any more. */
    struct serve_answer (*window)(void *user, const struct serve_request *request,
                                  bool (*is_unwanted)(const void *who), const void *who);
    void *user;
};

/* First, opens libmicrohttpd. NULL, or why nothing can be served. */
const char *serve_http_missing(void);

/* Listens. NULL with errno; `address` gets the port. */
struct serve_http *serve_http_open(const struct serve_site *site, struct sockaddr *address,
                                   socklen_t bytes);

/* Does what can be done, waits up to a second for more. False: interrupted by a signal. */
bool serve_http_run(struct serve_http *http, const sigset_t *while_waiting);

/* Seconds since a request was answered. */
double serve_http_idle(const struct serve_http *http);

/* Windows that are under way end. Signals may call it. */
void serve_http_end(void);

void serve_http_close(struct serve_http *http);

#endif
