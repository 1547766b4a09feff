/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/serve/view_serve_listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "tools/base/say.h"

/* ---- where ---- */

/* ADDR and PORT of a text; the name of the machine may be in brackets. False: too long. */
static bool split(const char *text, char *name, size_t room, const char **port)
{
    const char *colon = strrchr(text, ':');
    const char *bracket = strrchr(text, ']');
    size_t n = strlen(text);
    *port = NULL;
    if (n && strspn(text, "0123456789") == n) {
        *port = text;
        n = 0;
    } else if (colon && (bracket ? colon > bracket : colon == strchr(text, ':'))) {
        *port = colon + 1;
        n = (size_t)(colon - text);
    }
    if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
        text++;
        n -= 2;
    }
    if (n >= room)
        return false;
    memcpy(name, text, n);
    name[n] = '\0';
    return true;
}

static bool read_port(const char *text, in_port_t *port)
{
    unsigned long n = 0;
    if (text && (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 5))
        return false;
    if (text)
        n = strtoul(text, NULL, 10);
    *port = htons((uint16_t)n);
    return n <= UINT16_MAX;
}

/* An address of the loopback, of whichever family. */
static bool is_loopback(struct serve_address *address, const char *name, in_port_t port)
{
    struct sockaddr_in *four = (struct sockaddr_in *)&address->socket;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address->socket;
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET6, name, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = port;
        address->bytes = sizeof *six;
        return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
    }
    if (!*name || !strcmp(name, "localhost"))
        name = "127.0.0.1";
    four->sin_family = AF_INET;
    four->sin_port = port;
    address->bytes = sizeof *four;
    return inet_pton(AF_INET, name, &four->sin_addr) == 1 &&
           four->sin_addr.s_addr == htonl(INADDR_LOOPBACK);
}

bool serve_address_read(struct serve_address *address, const char *text)
{
    char name[256];
    const char *word;
    in_port_t port;
    if (!text)
        text = "";
    if (!split(text, name, sizeof name, &word) || !read_port(word, &port)) {
        say("--serve wants ADDR:PORT, as in 127.0.0.1:8080, not '%s'", text);
        return false;
    }
    if (is_loopback(address, name, port))
        return true;
    say("--serve %s: the server answers only this machine (127.0.0.1, [::1]), because everybody "
        "who "
        "reaches it can read the trace; for another machine, serve here and run there: "
        "ssh -L PORT:127.0.0.1:PORT THIS-MACHINE",
        text);
    return false;
}

/* ---- for whom ---- */

bool serve_token_make(char token[SERVE_TOKEN_BYTES + 1])
{
    unsigned char bytes[SERVE_TOKEN_BYTES / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        say("getrandom: %s", strerror(errno));
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* ---- until when ---- */

static volatile sig_atomic_t was_told_to_end;

static void on_signal(int signal)
{
    (void)signal;
    was_told_to_end = 1;
    serve_http_end();
}

/* From here on they come while the server waits, and where a window looks. */
static void take_signals(sigset_t *while_waiting)
{
    sigset_t ending;
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigprocmask(SIG_SETMASK, NULL, while_waiting);
    sigdelset(while_waiting, SIGINT);
    sigdelset(while_waiting, SIGTERM);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void show(const struct serve_site *site, const struct serve_address *address)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)&address->socket;
    /* The port stands at the same place in both families. */
    unsigned port = ntohs(four->sin_port);
    const char *host = four->sin_family == AF_INET6 ? "[::1]" : "127.0.0.1";
    char machine[256] = "THIS-MACHINE";
    printf("http://%s:%u/%s/\n", host, port, site->token);
    fflush(stdout);
    if (gethostname(machine, sizeof machine - 1))
        strcpy(machine, "THIS-MACHINE");
    if (getenv("SSH_CONNECTION"))
        say("to see it on the machine that you sit at, run there: ssh -L %u:%s:%u %s", port, host,
            port, machine);
    say("open the address in a browser; Ctrl-C ends the server");
}

int serve(const struct serve_site *site, struct serve_address *address, double idle)
{
    sigset_t while_waiting;
    struct serve_http *http =
        serve_http_open(site, (struct sockaddr *)&address->socket, address->bytes);
    if (!http) {
        say("--serve: %s", strerror(errno));
        return 1;
    }
    take_signals(&while_waiting);
    show(site, address);
    while (!was_told_to_end && !(idle > 0.0 && serve_http_idle(http) > idle))
        serve_http_run(http, &while_waiting);
    if (!was_told_to_end)
        say("no request for %g seconds: the server ends (--idle)", idle);
    serve_http_close(http);
    return 0;
}
