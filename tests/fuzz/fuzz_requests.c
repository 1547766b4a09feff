/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What spur view --serve makes of the target of a request and of a Host header. An input is the
 * part behind the token, and the host; what is read must be what was written.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/view/serve/view_serve_request.h"

static const char token[] = "0123456789abcdef0123456789abcdef";

static void need(bool condition)
{
    if (!condition)
        abort();
}

/* Nothing is beyond what an answer may cost. */
static void check(const struct serve_request *q)
{
    uint64_t n = 0;
    need(q->what <= SERVE_ALIVE);
    if (q->what != SERVE_WINDOW)
        return;
    need(q->from <= q->to && q->to < UINT64_C(1) << 53);
    need(q->n_ranges <= SERVE_RANGES_MAX && q->n_rows <= SERVE_ROWS_MAX);
    need(q->sections && q->sections < 1U << SERVE_SECTIONS);
    for (size_t i = 0; i < q->n_ranges; i++) {
        need(q->rows[i].first <= q->rows[i].last);
        need(!i || q->rows[i - 1].last < q->rows[i].first);
        n += (uint64_t)q->rows[i].last - q->rows[i].first + 1;
    }
    need(n == q->n_rows);
}

/* The same words again, made of what was read. */
static void read_again(const struct serve_request *q)
{
    static char target[3 * SERVE_URI_MAX];
    struct serve_request again;
    unsigned status;
    int n = snprintf(target, sizeof target, "/%s/window?from=%llu&to=%llu", token,
                     (unsigned long long)q->from, (unsigned long long)q->to);
    for (size_t i = 0; i < q->n_ranges; i++)
        n += snprintf(target + n, sizeof target - (size_t)n, "%s%u-%u",
                      i ? "," : "&rows=", q->rows[i].first, q->rows[i].last);
    const char *wrong = serve_request_read(&again, target, token, &status);
    need(n > SERVE_URI_MAX ? status == 414 : !wrong && again.from == q->from);
    need(wrong || (again.to == q->to && again.n_rows == q->n_rows));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct serve_request request;
    unsigned status = 0;
    if (n > 2 * SERVE_URI_MAX)
        return 0;
    char *text = malloc(n + sizeof token + 2);
    if (!text)
        return 0;
    /* As it is, and behind the token. */
    memcpy(text, data, n);
    text[n] = '\0';
    (void)serve_host_is_loopback(text);
    need(serve_request_read(&request, text, token, &status) || strstr(text, token));
    snprintf(text, sizeof token + 2, "/%s/", token);
    memcpy(text + sizeof token + 1, data, n);
    text[n + sizeof token + 1] = '\0';
    const char *wrong = serve_request_read(&request, text, token, &status);
    if (wrong)
        need(status >= 400 && status < 500 && !strchr(wrong, '\n'));
    else
        check(&request);
    if (!wrong && request.what == SERVE_WINDOW)
        read_again(&request);
    free(text);
    return 0;
}
