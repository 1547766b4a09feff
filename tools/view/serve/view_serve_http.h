/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HTTP for a page and the windows requested by the page. All work is on the caller's thread: the
 * thread answers a window before the next request is looked at.
 *
 * A stranger's program, or another page in the same browser, may send anything. Therefore: no
 * answer without the token, GET alone, only under names of this machine, and a time limit for each
 * connection.
 */
#ifndef TOOLS_VIEW_SERVE_HTTP_H
#define TOOLS_VIEW_SERVE_HTTP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "tools/view/serve/view_serve_request.h"

struct serve_http;

/* The answer to a request. `text`, a line, is borrowed; `bytes` are given away. */
struct serve_answer {
    unsigned status;
    const char *text; /* NULL: bytes */
    void *bytes;      /* of malloc */
    size_t n_bytes;
};

/* The served items. */
struct serve_site {
    char token[SERVE_TOKEN_BYTES + 1];
    const void *page; /* HTML, kept until the end */
    size_t page_bytes;
    /* Answers a window; `is_unwanted` tells when nobody waits for the answer any more. */
    struct serve_answer (*window)(void *user, const struct serve_request *request,
                                  bool (*is_unwanted)(const void *who), const void *who);
    void *user;
};

/* Called first: opens libmicrohttpd. NULL, or the reason why nothing can be served. */
const char *serve_http_missing(void);

/* Listens. NULL with errno; `address` gets the port. */
struct serve_http *serve_http_open(const struct serve_site *site, struct sockaddr *address,
                                   socklen_t bytes);

/* Does all pending work, then waits up to a second for more. False: interrupted by a signal. */
bool serve_http_run(struct serve_http *http, const sigset_t *while_waiting);

/* Seconds since a request was answered. */
double serve_http_idle(const struct serve_http *http);

/* Ends the windows under way. May be called by signal handlers. */
void serve_http_end(void);

void serve_http_close(struct serve_http *http);

#endif
