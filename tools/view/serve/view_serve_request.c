/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/serve/view_serve_request.h"

#include <string.h>

static const char not_found[] = "nothing is here: use the whole address that spur view has printed";

/* ---- words ---- */

/* The rest of a target, from which words are taken. */
struct rest {
    const char *at;
    unsigned status; /* of HTTP, when they are wrong */
};

static bool take(struct rest *r, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* Each byte is looked at, whichever is the first that differs. */
static bool take_token(struct rest *r, const char *token)
{
    unsigned difference = 0;
    if (strlen(r->at) < SERVE_TOKEN_BYTES)
        return false;
    for (size_t i = 0; i < SERVE_TOKEN_BYTES; i++)
        difference |= (unsigned char)r->at[i] ^ (unsigned char)token[i];
    r->at += SERVE_TOKEN_BYTES;
    return !difference;
}

/* Digits alone: no sign, no fraction, no exponent, and nothing above `max`. */
static bool take_number(struct rest *r, uint64_t max, uint64_t *number)
{
    uint64_t n = 0;
    const char *begin = r->at;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
        uint64_t digit = (uint64_t)(*r->at - '0');
        if (n > (max - digit) / 10)
            return false;
        n = 10 * n + digit;
    }
    *number = n;
    return r->at > begin;
}

static bool take_comma(struct rest *r)
{
    return take(r, ",") || take(r, "%2C") || take(r, "%2c");
}

static bool is_value_end(const struct rest *r)
{
    return !*r->at || *r->at == '&';
}

/* ---- values ---- */

static const char wrong_rows[] = "rows are numbers and ranges that increase: rows=0-15,20";

static const char *take_range(struct serve_request *q, struct rest *r)
{
    uint64_t first;
    uint64_t last;
    if (!take_number(r, UINT32_MAX - 1, &first))
        return wrong_rows;
    last = first;
    if (take(r, "-") && !take_number(r, UINT32_MAX - 1, &last))
        return wrong_rows;
    if (last < first || (q->n_ranges && first <= q->rows[q->n_ranges - 1].last))
        return wrong_rows;
    q->n_rows += last - first + 1;
    if (q->n_ranges == SERVE_RANGES_MAX || q->n_rows > SERVE_ROWS_MAX) {
        r->status = 413;
        return "too many rows for one answer: 4096 in 512 ranges are the most";
    }
    q->rows[q->n_ranges++] = (struct serve_range){(uint32_t)first, (uint32_t)last};
    return NULL;
}

static const char *read_rows(struct serve_request *q, struct rest *r)
{
    do {
        const char *wrong = take_range(q, r);
        if (wrong)
            return wrong;
    } while (take_comma(r));
    return is_value_end(r) ? NULL : wrong_rows;
}

static const char wrong_sections[] = "sections are calls, messages, collectives, samples, counters";

static const char *read_sections(struct serve_request *q, struct rest *r)
{
    static const char *const names[SERVE_SECTIONS] = {
        [SERVE_CALLS] = "calls",
        [SERVE_MESSAGES] = "messages",
        [SERVE_COLLECTIVES] = "collectives",
        [SERVE_SAMPLES] = "samples",
        [SERVE_COUNTERS] = "counters",
    };
    do {
        size_t i = 0;
        while (i < SERVE_SECTIONS && !take(r, names[i]))
            i++;
        if (i == SERVE_SECTIONS)
            return wrong_sections;
        q->sections |= 1U << i;
    } while (take_comma(r));
    return is_value_end(r) ? NULL : wrong_sections;
}

static const char *read_time(uint64_t *time, struct rest *r)
{
    /* What a number of JavaScript holds. */
    if (!take_number(r, (UINT64_C(1) << 53) - 1, time) || !is_value_end(r))
        return "from and to are whole nanoseconds since the beginning";
    return NULL;
}

static const char *read_from(struct serve_request *q, struct rest *r)
{
    return read_time(&q->from, r);
}

static const char *read_to(struct serve_request *q, struct rest *r)
{
    return read_time(&q->to, r);
}

/* ---- a window ---- */

static const struct parameter {
    const char *name;
    const char *(*read)(struct serve_request *q, struct rest *r);
} parameters[] = {
    {"from=", read_from},
    {"to=", read_to},
    {"rows=", read_rows},
    {"sections=", read_sections},
};

enum { N_PARAMETERS = sizeof parameters / sizeof parameters[0], NEEDED = 1 | 2 };

static const char *read_window(struct serve_request *q, struct rest *r)
{
    unsigned seen = 0;
    r->status = 400;
    do {
        size_t i = 0;
        while (i < N_PARAMETERS && !take(r, parameters[i].name))
            i++;
        if (i == N_PARAMETERS)
            return "a window has from, to, and perhaps rows and sections";
        if (seen & 1U << i)
            return "each of from, to, rows, sections is said once";
        seen |= 1U << i;
        const char *wrong = parameters[i].read(q, r);
        if (wrong)
            return wrong;
    } while (take(r, "&"));
    if ((seen & NEEDED) != NEEDED)
        return "a window has from and to";
    if (q->to < q->from)
        return "from is not behind to";
    if (!q->sections)
        q->sections = (1U << SERVE_SECTIONS) - 1;
    return NULL;
}

static const char *read_target(struct serve_request *request, struct rest *r, const char *token)
{
    if (strnlen(r->at, SERVE_URI_MAX + 1) > SERVE_URI_MAX) {
        r->status = 414;
        return "the address is too long";
    }
    if (!take(r, "/") || !take_token(r, token) || !take(r, "/"))
        return not_found;
    request->what = SERVE_PAGE;
    if (!*r->at)
        return NULL;
    request->what = SERVE_ALIVE;
    if (!strcmp(r->at, "alive"))
        return NULL;
    request->what = SERVE_WINDOW;
    return take(r, "window?") ? read_window(request, r) : not_found;
}

const char *serve_request_read(struct serve_request *request, const char *target, const char *token,
                               unsigned *status)
{
    struct rest r = {target, 404};
    memset(request, 0, sizeof *request);
    const char *wrong = read_target(request, &r, token);
    *status = r.status;
    return wrong;
}

/* ---- Host ---- */

bool serve_host_is_loopback(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    struct rest r = {.at = host};
    uint64_t port;
    size_t i = 0;
    while (i < sizeof names / sizeof names[0] && !take(&r, names[i]))
        i++;
    if (i == sizeof names / sizeof names[0])
        return false;
    return !*r.at || (take(&r, ":") && take_number(&r, UINT16_MAX, &port) && !*r.at);
}
