/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A request to spur view --serve. Nothing is unescaped and no path is made of the request: there
 * are three things to ask for, by name, behind a token.
 *
 *     /TOKEN/                              the page
 *     /TOKEN/window?from=NS&to=NS[&rows=LIST][&sections=LIST]
 *     /TOKEN/alive                         nothing; the page is still looked at
 */
#ifndef TOOLS_VIEW_SERVE_REQUEST_H
#define TOOLS_VIEW_SERVE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SERVE_TOKEN_BYTES = 32, /* hexadecimal digits */
    SERVE_RANGES_MAX = 512,
    SERVE_ROWS_MAX = 4096,
    SERVE_URI_MAX = 8192,
};

/* The possible sections of an answer. */
enum serve_section {
    SERVE_CALLS,
    SERVE_MESSAGES,
    SERVE_COLLECTIVES,
    SERVE_SAMPLES,
    SERVE_COUNTERS,
    SERVE_SECTIONS
};

enum serve_what { SERVE_PAGE, SERVE_WINDOW, SERVE_ALIVE };

struct serve_request {
    enum serve_what what;
    uint64_t from; /* ns since the beginning */
    uint64_t to;   /* not before from */
    struct serve_range {
        uint32_t first;
        uint32_t last;
    } rows[SERVE_RANGES_MAX]; /* ascending */
    size_t n_ranges;          /* 0: all rows */
    uint64_t n_rows;          /* in the ranges */
    unsigned sections;        /* bits, by enum serve_section */
};

/*
 * Reads the target of a request as received. NULL: the request can be answered. Else a line for the
 * client, and the status of HTTP. A wrong token and an unknown name get the same answer.
 */
const char *serve_request_read(struct serve_request *request, const char *target, const char *token,
                               unsigned *status);

/* Whether a Host header names this machine by a name that no page from another machine can have. */
bool serve_host_is_loopback(const char *host);

#endif
