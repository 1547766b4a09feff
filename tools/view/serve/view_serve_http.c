/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/serve/view_serve_http.h"

#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTIONS_MAX = 64,
    CONNECTION_BYTES = 32 << 10, /* a target of SERVE_URI_MAX and a browser's headers */
    /*
     * Limits: a silent connection, a connection still sending the request, a connection still
     * reading the answer.
     */
    SILENT_S = 10,
    ASK_S = 10,
    ANSWER_S = 600,
};

struct connection {
    struct connection *next;
    struct connection *previous;
    int socket;
    bool is_answered; /* and reads */
    double since;
};

struct serve_http {
    const struct serve_site *site;
    struct MHD_Daemon *daemon;
    struct MHD_Response *page;
    struct connection list; /* head of the list */
    double answered;
    int epoll;
};

/* The library is opened when pages are served: without serving, no such library is needed. */
#define LIBRARY "libmicrohttpd.so.12"

static struct {
#define MHD_CALL(name) __typeof__(MHD_##name) *name;
#include "tools/view/serve/view_serve_calls.def"
#undef MHD_CALL
} mhd;

static volatile sig_atomic_t is_ending;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- answers ---- */

/* Without 'unsafe-inline': the page names its script and its style by their digests. */
static const char *const headers[][2] = {
    {MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
    {MHD_HTTP_HEADER_X_CONTENT_TYPE_OPTIONS, "nosniff"},
    {MHD_HTTP_HEADER_X_FRAME_OPTIONS, "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
};
static const char text_policy[] = "default-src 'none'; frame-ancestors 'none'";
/*
 * The page's own policy comes on top of page_policy; browsers allow only the intersection of both.
 */
static const char page_policy[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

static bool dress(struct MHD_Response *response, const char *type, const char *policy)
{
    bool is_well = response != NULL;
    for (size_t i = 0; is_well && i < sizeof headers / sizeof headers[0]; i++)
        is_well = mhd.add_response_header(response, headers[i][0], headers[i][1]) == MHD_YES;
    return is_well && mhd.add_response_header(response, "Content-Security-Policy", policy) &&
           mhd.add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
}

/* Gives the response away. Without memory the connection is closed. */
static enum MHD_Result queue(struct MHD_Connection *c, unsigned status,
                             struct MHD_Response *response, const char *type)
{
    enum MHD_Result result = MHD_NO;
    if (dress(response, type, text_policy) &&
        (status != MHD_HTTP_METHOD_NOT_ALLOWED ||
         mhd.add_response_header(response, MHD_HTTP_HEADER_ALLOW, MHD_HTTP_METHOD_GET)))
        result = mhd.queue_response(c, status, response);
    if (response)
        mhd.destroy_response(response);
    return result;
}

static enum MHD_Result tell(struct MHD_Connection *c, unsigned status, const char *line)
{
    char *text = NULL;
    int n = *line ? asprintf(&text, "%s\n", line) : 0;
    if (n < 0)
        return MHD_NO;
    return queue(c, status,
                 mhd.create_response_from_buffer((size_t)n, text ? text : (char[]){""},
                                                 text ? MHD_RESPMEM_MUST_FREE
                                                      : MHD_RESPMEM_PERSISTENT),
                 "text/plain; charset=utf-8");
}

/* ---- the client ---- */

/*
 * Whether the client has closed the connection. A client closes when its answer is not wanted any
 * more.
 */
static bool is_gone(const void *who)
{
    const int *socket = who;
    struct pollfd p = {.fd = *socket, .events = POLLRDHUP};
    return is_ending || (poll(&p, 1, 0) == 1 && p.revents);
}

struct asked {
    const char *host;
    unsigned hosts;
    bool is_foreign; /* a page of another origin asks */
};

static enum MHD_Result look_at(void *user, enum MHD_ValueKind kind, const char *key,
                               const char *value)
{
    struct asked *a = user;
    (void)kind;
    if (!strcasecmp(key, MHD_HTTP_HEADER_HOST)) {
        a->host = value;
        a->hosts++;
    }
    if (!strcasecmp(key, "Sec-Fetch-Site"))
        a->is_foreign |=
            !value || (strcmp(value, "same-origin") != 0 && strcmp(value, "none") != 0);
    return MHD_YES;
}

/* The reason for a refusal; NULL: the client may ask. */
static const char *forbidden(struct MHD_Connection *c)
{
    struct asked a = {0};
    mhd.get_connection_values(c, MHD_HEADER_KIND, look_at, &a);
    if (a.hosts != 1 || !a.host || !serve_host_is_loopback(a.host))
        return "this server answers to localhost, 127.0.0.1 and [::1] only; see spur view --help";
    return a.is_foreign ? "this server answers to its own page only" : NULL;
}

static bool has_body(struct MHD_Connection *c)
{
    return mhd.lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING) ||
           mhd.lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
}

static enum MHD_Result answer_window(struct serve_http *http, struct MHD_Connection *c,
                                     const struct serve_request *request)
{
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    int socket = info ? info->connect_fd : -1;
    struct serve_answer a = http->site->window(http->site->user, request, is_gone, &socket);
    if (a.text)
        return tell(c, a.status, a.text);
    return queue(c, a.status,
                 mhd.create_response_from_buffer(a.n_bytes, a.bytes, MHD_RESPMEM_MUST_FREE),
                 "application/octet-stream");
}

static enum MHD_Result answer(struct serve_http *http, struct MHD_Connection *c, const char *method,
                              const char *target)
{
    struct serve_request request;
    unsigned status = MHD_HTTP_FORBIDDEN;
    const char *wrong = forbidden(c);
    if (!wrong && strcmp(method, MHD_HTTP_METHOD_GET) != 0) {
        status = MHD_HTTP_METHOD_NOT_ALLOWED;
        wrong = "there is nothing here but to GET";
    }
    if (!wrong && has_body(c)) {
        status = MHD_HTTP_BAD_REQUEST;
        wrong = "a request has no body here";
    }
    if (!wrong)
        wrong = serve_request_read(&request, target, http->site->token, &status);
    if (wrong)
        return tell(c, status, wrong);
    http->answered = now();
    if (request.what == SERVE_PAGE)
        return mhd.queue_response(c, MHD_HTTP_OK, http->page);
    if (request.what == SERVE_ALIVE)
        return tell(c, MHD_HTTP_NO_CONTENT, "");
    enum MHD_Result result = answer_window(http, c, &request);
    http->answered = now();
    return result;
}

/* ---- connections ---- */

static struct connection *connection_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void mark(struct MHD_Connection *c, bool is_answered)
{
    struct connection *own = connection_of(c);
    if (!own)
        return;
    own->is_answered = is_answered;
    own->since = now();
}

static void on_connection(void *user, struct MHD_Connection *c, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct serve_http *http = user;
    struct connection *own = *context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED && own) {
        own->next->previous = own->previous;
        own->previous->next = own->next;
        free(own);
        *context = NULL;
    }
    if (code != MHD_CONNECTION_NOTIFY_STARTED)
        return;
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    own = malloc(sizeof *own);
    if (!own || !info) {
        free(own);
        return; /* MHD applies its own limits */
    }
    *own = (struct connection){http->list.next, &http->list, info->connect_fd, false, now()};
    own->next->previous = own;
    own->previous->next = own;
    *context = own;
}

/* MHD closes a silent connection, but would keep a connection that sends a byte now and then. */
static void end_slow_ones(struct serve_http *http)
{
    double time = now();
    for (struct connection *c = http->list.next; c != &http->list; c = c->next)
        if (time - c->since > (c->is_answered ? ANSWER_S : ASK_S))
            shutdown(c->socket, SHUT_RDWR);
}

/* ---- requests ---- */

/* A request during reading and answering. */
struct request {
    bool is_begun;
    char target[]; /* as received, without unescaping */
};

/* NULL without memory. */
static void *on_target(void *user, const char *target, struct MHD_Connection *c)
{
    size_t n = strlen(target) + 1;
    struct request *request = malloc(sizeof *request + n);
    (void)user, (void)c;
    if (!request)
        return NULL;
    request->is_begun = false;
    memcpy(request->target, target, n);
    return request;
}

/* Called when the headers are there, and again when everything is. */
static enum MHD_Result on_request(void *user, struct MHD_Connection *c, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *bytes, void **context)
{
    struct request *request = *context;
    (void)url, (void)version, (void)data;
    *bytes = 0; /* the content of a body is ignored */
    if (!request)
        return MHD_NO;
    bool is_plain = !strcmp(method, MHD_HTTP_METHOD_GET) && !has_body(c);
    if (!request->is_begun && is_plain) {
        request->is_begun = true;
        return MHD_YES;
    }
    mark(c, true);
    return answer(user, c, method, request->target);
}

static void on_completed(void *user, struct MHD_Connection *c, void **context,
                         enum MHD_RequestTerminationCode code)
{
    (void)user, (void)code;
    mark(c, false);
    free(*context);
    *context = NULL;
}

/* ---- the daemon ---- */

static bool find_port(struct serve_http *http, struct sockaddr *address, socklen_t bytes)
{
    const union MHD_DaemonInfo *listening =
        mhd.get_daemon_info(http->daemon, MHD_DAEMON_INFO_LISTEN_FD);
    const union MHD_DaemonInfo *epoll = mhd.get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (!listening || !epoll || getsockname(listening->listen_fd, address, &bytes))
        return false;
    http->epoll = epoll->epoll_fd;
    return true;
}

static struct MHD_Daemon *start(struct serve_http *http, struct sockaddr *address)
{
    unsigned flags = MHD_USE_EPOLL;
    if (address->sa_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    return mhd.start_daemon(flags, 0, NULL, NULL, on_request, http, MHD_OPTION_SOCK_ADDR, address,
                            MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
                            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENT_S,
                            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, on_target,
                            http, MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
                            MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_END);
}

const char *serve_http_missing(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool is_whole = library != NULL;
#define MHD_CALL(name)                                                                             \
    if (library)                                                                                   \
        *(void **)&mhd.name = dlsym(library, "MHD_" #name);                                        \
    is_whole = is_whole && mhd.name;
#include "tools/view/serve/view_serve_calls.def"
#undef MHD_CALL
    return is_whole ? NULL : LIBRARY " (Debian: libmicrohttpd12) cannot be opened";
}

struct serve_http *serve_http_open(const struct serve_site *site, struct sockaddr *address,
                                   socklen_t bytes)
{
    struct serve_http *http = calloc(1, sizeof *http);
    if (!http)
        return NULL;
    http->site = site;
    http->list.next = http->list.previous = &http->list;
    http->answered = now();
    http->page =
        mhd.create_response_from_buffer_with_free_callback(site->page_bytes,
                                                           (void *)(uintptr_t)site->page, NULL);
    errno = 0;
    if (dress(http->page, "text/html; charset=utf-8", page_policy))
        http->daemon = start(http, address);
    if (http->daemon && find_port(http, address, bytes))
        return http;
    int error = errno ? errno : ENOMEM;
    serve_http_close(http);
    errno = error;
    return NULL;
}

bool serve_http_run(struct serve_http *http, const sigset_t *while_waiting)
{
    struct pollfd p = {.fd = http->epoll, .events = POLLIN};
    MHD_UNSIGNED_LONG_LONG ms = 1000;
    if (mhd.get_timeout(http->daemon, &ms) != MHD_YES || ms > 1000)
        ms = 1000;
    struct timespec wait = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    if (ppoll(&p, 1, &wait, while_waiting) < 0 && errno == EINTR)
        return false;
    mhd.run(http->daemon);
    end_slow_ones(http);
    return true;
}

double serve_http_idle(const struct serve_http *http)
{
    return now() - http->answered;
}

void serve_http_end(void)
{
    is_ending = 1;
}

void serve_http_close(struct serve_http *http)
{
    if (http->daemon)
        mhd.stop_daemon(http->daemon);
    if (http->page)
        mhd.destroy_response(http->page);
    free(http);
}
