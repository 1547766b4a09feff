/* SPDX-License-Identifier: BSD-3-Clause */
/* Where spur view --serve listens, for whom, and until when. */
#ifndef TOOLS_VIEW_SERVE_LISTEN_H
#define TOOLS_VIEW_SERVE_LISTEN_H

#include <sys/socket.h>

#include "tools/view/serve/view_serve_http.h"

/* Where the server listens. */
struct serve_address {
    struct sockaddr_storage socket;
    socklen_t bytes;
};

/*
 * Reads ADDR:PORT, ADDR, :PORT or PORT; NULL: the default. Without a port the system chooses one.
 * False: it is none, or other machines could reach it, which was said.
 */
bool serve_address_read(struct serve_address *address, const char *text);

/* 32 hexadecimal digits that nobody guesses. False: the system has none, which was said. */
bool serve_token_make(char token[SERVE_TOKEN_BYTES + 1]);

/*
 * Serves until SIGINT or SIGTERM, or for `idle` seconds nobody has asked (0: never mind). Prints
 * the address to standard output. The status of the process.
 */
int serve(const struct serve_site *site, struct serve_address *address, double idle);

#endif
