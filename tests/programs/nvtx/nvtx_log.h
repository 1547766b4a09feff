/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log of an NVTX program (form: nvtx_all.c) and the truth about its ranges: the level of a
 * range, and the inner ranges that are left and entered again when an outer range ends. By headers
 * of the tests' own or, with REAL_NVTX, by NVTX's own headers.
 */
#ifndef NVTX_LOG_H
#define NVTX_LOG_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef REAL_NVTX
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>
#else
#include "own_nvtx.h"
#endif

enum { TEXT_BYTES = 160, DEEP = 64, DOMAINS = 4, POOL = 12 };

static int has_tool; /* whether levels are told */
static nvtxDomainHandle_t domain[DOMAINS];
static const char *const domain_name[DOMAINS] = {"", "solver", "io", "gr\xc3\xbc\xc3\x9f"};

/* ---- the log of a thread ---- */

struct log {
    char *text;
    size_t n;
    FILE *out;
    struct open {
        int owner;
        char text[TEXT_BYTES];
    } stack[DEEP];
    int depth;
};

static void begin_log(struct log *log, const char *name)
{
    memset(log, 0, sizeof *log);
    log->out = open_memstream(&log->text, &log->n);
    fprintf(log->out, "log\t%s", name);
}

static void end_log(struct log *log)
{
    while (log->depth > 0)
        fprintf(log->out, "\t-r:%s", log->stack[--log->depth].text);
    fclose(log->out);
    printf("%s\n", log->text);
    fflush(stdout);
    free(log->text);
}

static void wrong(const char *what, int got, int wanted)
{
    printf("wrong %s: %d instead of %d\n", what, got, wanted);
}

/* ---- pushes and pops, and the expected levels ---- */

static int level_of(const struct log *log, int owner)
{
    int n = 0;
    for (int i = 0; i < log->depth; i++)
        n += log->stack[i].owner == owner;
    return n;
}

static void pushed(struct log *log, int owner, int got, const char *more, const char *text)
{
    int level = has_tool ? level_of(log, owner) : -2;
    struct open *open = &log->stack[log->depth++];
    if (got != level)
        wrong("level of a push", got, level);
    open->owner = owner;
    snprintf(open->text, sizeof open->text, "%s%s%s", domain_name[owner], owner ? ":" : "", text);
    fprintf(log->out, "\t+r:%s%s", open->text, more);
}

/* The inner ranges are left together with the popped range, and entered again. */
static void popped(struct log *log, int owner, int got)
{
    int level = has_tool && level_of(log, owner) ? level_of(log, owner) - 1 : -2;
    int at = log->depth - 1;
    if (got != level)
        wrong("level of a pop", got, level);
    while (at >= 0 && log->stack[at].owner != owner)
        at--;
    if (at < 0)
        return;
    for (int i = log->depth - 1; i >= at; i--)
        fprintf(log->out, "\t-r:%s", log->stack[i].text);
    log->depth--;
    for (int i = at; i < log->depth; i++) {
        log->stack[i] = log->stack[i + 1];
        fprintf(log->out, "\t+r:%s", log->stack[i].text);
    }
}

static void push_plain(struct log *log, const char *text)
{
    pushed(log, 0, nvtxRangePushA(text), "", text);
}

static void pop_of(struct log *log, int owner)
{
    popped(log, owner, owner ? nvtxDomainRangePop(domain[owner]) : nvtxRangePop());
}

static void marked(struct log *log, int owner, const char *more, const char *text)
{
    const char *colon = owner ? ":" : "";
    fprintf(log->out, "\t+m:%s%s%s%s\t-m:%s%s%s", domain_name[owner], colon, text, more,
            domain_name[owner], colon, text);
}

/* ---- events with all possible members ---- */

/* The payload of the event with this number: in one of the six types, or no payload. */
static void set_payload(nvtxEventAttributes_t *event, char *more, size_t room, int number)
{
    event->payloadType = number % 7;
    event->payload.ullValue = 0;
    switch (number % 7) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
        event->payload.ullValue = UINT64_MAX - (uint64_t)number;
        snprintf(more, room, "%llu", (unsigned long long)event->payload.ullValue);
        break;
    case NVTX_PAYLOAD_TYPE_INT64:
        event->payload.llValue = INT64_MIN + number;
        snprintf(more, room, "%lld", (long long)event->payload.llValue);
        break;
    case NVTX_PAYLOAD_TYPE_DOUBLE:
        event->payload.dValue = number / 8.0;
        snprintf(more, room, "%.9g", event->payload.dValue);
        break;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
        event->payload.uiValue = UINT32_MAX - (uint32_t)number;
        snprintf(more, room, "%u", event->payload.uiValue);
        break;
    case NVTX_PAYLOAD_TYPE_INT32:
        event->payload.iValue = -number;
        snprintf(more, room, "%d", event->payload.iValue);
        break;
    case NVTX_PAYLOAD_TYPE_FLOAT:
        event->payload.fValue = (float)number / 4;
        snprintf(more, room, "%.9g", (double)event->payload.fValue);
        break;
    default:
        *more = '\0';
    }
}

/* Categories 1 and 2 have names in each domain, category 3 is nameless. */
static const char *category_name(int owner, int category)
{
    static const char *const names[DOMAINS][4] = {{"", "compute 0", "w\xc3\xa4it 0", "3"},
                                                  {"", "compute 1", "w\xc3\xa4it 1", "3"},
                                                  {"", "compute 2", "w\xc3\xa4it 2", "3"},
                                                  {"", "compute 3", "w\xc3\xa4it 3", "3"}};
    return names[owner][category];
}

struct event {
    nvtxEventAttributes_t event;
    char more[TEXT_BYTES]; /* for the log */
    char text[TEXT_BYTES]; /* in UTF-8 */
    wchar_t wide[TEXT_BYTES];
};

static void set_text(struct event *e, int owner, int how, int number)
{
    static const wchar_t *const wide[] = {L"gr\u00fcn %d", L"\u65e5\u672c %d", L"\U0001f600 %d"};
    static const char *const utf8[] = {"gr\xc3\xbcn %d", "\xe6\x97\xa5\xe6\x9c\xac %d",
                                       "\xf0\x9f\x98\x80 %d"};
    e->event.messageType = how;
    if (how == NVTX_MESSAGE_TYPE_UNICODE) {
        snprintf(e->text, sizeof e->text, utf8[number % 3], number % 5);
        swprintf(e->wide, TEXT_BYTES, wide[number % 3], number % 5);
        e->event.message.unicode = e->wide;
        return;
    }
    snprintf(e->text, sizeof e->text, "%s %d", how == NVTX_MESSAGE_TYPE_ASCII ? "text" : "string",
             number % 20);
    e->event.message.ascii = e->text;
    if (how == NVTX_MESSAGE_TYPE_REGISTERED)
        e->event.message.registered = nvtxDomainRegisterStringA(domain[owner], e->text);
    if (how == NVTX_MESSAGE_TYPE_REGISTERED && has_tool && !e->event.message.registered)
        printf("wrong: no handle for a string\n");
}

static void make_event(struct event *e, int owner, int number)
{
    char payload[32];
    memset(e, 0, sizeof *e);
    e->event.version = NVTX_VERSION;
    e->event.size = (uint16_t)sizeof e->event;
    e->event.category = (uint32_t)(number / 7 % 4);
    e->event.colorType = 1;
    e->event.color = 0xff00ff00;
    set_payload(&e->event, payload, sizeof payload, number);
    set_text(e, owner, 1 + number % 3, number);
    if (e->event.category || *payload)
        snprintf(e->more, sizeof e->more, "|%s|%s",
                 e->event.category ? category_name(owner, (int)e->event.category) : "", payload);
}

static void push_event(struct log *log, int owner, int number)
{
    struct event e;
    make_event(&e, owner, number);
    int got = owner ? nvtxDomainRangePushEx(domain[owner], &e.event) : nvtxRangePushEx(&e.event);
    pushed(log, owner, got, e.more, e.text);
}

static void mark_event(struct log *log, int owner, int number)
{
    struct event e;
    make_event(&e, owner, number);
    if (owner)
        nvtxDomainMarkEx(domain[owner], &e.event);
    else
        nvtxMarkEx(&e.event);
    marked(log, owner, e.more, e.text);
}

/* ---- overlapping ranges, begun and ended by all threads ---- */

static struct range {
    nvtxRangeId_t id;
    int number; /* 0: no range */
} pool[POOL];
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static int ranges;
static FILE *lanes;
static char *lanes_text;
static size_t lanes_n;

static void started(struct log *log, struct range *range, nvtxRangeId_t id, int owner,
                    const char *more, const char *text)
{
    if (has_tool && !id)
        printf("wrong: a range without a number\n");
    range->id = id;
    range->number = ++ranges;
    fprintf(log->out, "\ts%d", range->number);
    fprintf(lanes, "lane\t%d\t%s%s%s%s\n", range->number, domain_name[owner], owner ? ":" : "",
            text, more);
}

static void start_event(struct log *log, struct range *range, int owner, int number)
{
    struct event e;
    make_event(&e, owner, number);
    started(log, range,
            owner ? nvtxDomainRangeStartEx(domain[owner], &e.event) : nvtxRangeStartEx(&e.event),
            owner, e.more, e.text);
}

static void end_range(struct log *log, struct range *range, int owner)
{
    if (owner)
        nvtxDomainRangeEnd(domain[owner], range->id);
    else
        nvtxRangeEnd(range->id);
    fprintf(log->out, "\t%c%d", 'e', range->number);
    range->number = 0;
}

static void one_range(struct log *log, int owner, int place, int number)
{
    pthread_mutex_lock(&pool_lock);
    if (pool[place].number)
        end_range(log, &pool[place], owner);
    else
        start_event(log, &pool[place], owner, number);
    pthread_mutex_unlock(&pool_lock);
}

static void begin(struct log *log)
{
    lanes = open_memstream(&lanes_text, &lanes_n);
    has_tool = nvtxRangePushA("first") != -2;
    nvtxRangePop();
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "main");
    domain[1] = nvtxDomainCreateA(domain_name[1]);
    domain[2] = nvtxDomainCreateA(domain_name[2]);
    domain[3] = nvtxDomainCreateW(L"gr\u00fc\u00df");
    if (nvtxDomainCreateA(domain_name[1]) != domain[1])
        printf("wrong: two domains of one name\n");
    for (int i = 0; i < DOMAINS; i++) {
        nvtxDomainNameCategoryA(domain[i], 1, "an older name");
        nvtxDomainNameCategoryA(domain[i], 1, category_name(i, 1));
        wchar_t wide[32];
        swprintf(wide, 32, L"w\u00e4it %d", i);
        if (i)
            nvtxDomainNameCategoryW(domain[i], 2, wide);
        else
            nvtxNameCategoryW(2, wide);
    }
    begin_log(log, "main");
    fprintf(log->out, "\t+r:first\t-r:first");
}

static void finish(struct log *log)
{
    end_log(log);
    fclose(lanes);
    printf("%s", lanes_text);
    free(lanes_text);
}

#endif
