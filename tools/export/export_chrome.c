/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The JSON of Chrome's trace viewer, which others read as well: calls as pairs of B and E, messages
 * as flows between them, samples and other events as instants, metrics as counters. Times are us.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tools/export/export_formats.h"
#include "tools/export/export_output.h"
#include "tools/export/export_text.h"

enum { TIME_BYTES = 32 };

struct chrome {
    struct names names; /* of regions */
    struct names processes;
    struct names comms;
    LIST(char *) metrics; /* by member and location: names, as JSON */
    bool has_any;
};

static char *us(const struct export *x, char text[TIME_BYTES], uint64_t ticks)
{
    int64_t ns = export_ns(x, ticks);
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    snprintf(text, TIME_BYTES, "%s%llu.%03u", ns < 0 ? "-" : "", (unsigned long long)(size / 1000),
             (unsigned)(size % 1000));
    return text;
}

/* Begins an object, which the caller ends. */
static void put_head(struct export *x, const char *phase, const struct lane *lane, uint64_t time)
{
    struct chrome *c = x->state;
    char text[TIME_BYTES];
    fprintf(x->out, "%s{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%s", c->has_any ? ",\n" : "\n",
            phase, lane->process + 1, lane->location + 1, us(x, text, time));
    c->has_any = true;
}

/* ---- who there is ---- */

static void put_about(struct export *x, const char *what, uint32_t process, uint32_t location,
                      const char *argument)
{
    struct chrome *c = x->state;
    fprintf(x->out, "%s{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{%s}}",
            c->has_any ? ",\n" : "\n", process + 1, location + 1, what, argument);
    c->has_any = true;
}

static void put_names(struct export *x)
{
    for (uint32_t i = 0; i < x->defs.processes.n; i++) {
        uint32_t rank = x->defs.processes.at[i].rank;
        char *name = text_json(defs_process_name(&x->defs, i));
        char *argument = make_text("\"name\":%s", name);
        char *order = make_text("\"sort_index\":%u", rank == NIL ? i : rank);
        put_about(x, "process_name", i, 0, argument);
        put_about(x, "process_sort_index", i, 0, order);
        free(name);
        free(argument);
        free(order);
    }
    for (uint32_t i = 0; i < x->defs.locations.n; i++) {
        char *plain = text_lane(x, i);
        char *name = text_json(plain);
        char *argument = make_text("\"name\":%s", name);
        char *order = make_text("\"sort_index\":%u", i);
        if (x->lanes[i].is_chosen) {
            put_about(x, "thread_name", x->lanes[i].process, i, argument);
            put_about(x, "thread_sort_index", x->lanes[i].process, i, order);
        }
        free(plain);
        free(name);
        free(argument);
        free(order);
    }
}

static void chrome_open(struct export *x)
{
    size_t room = 0;
    x->state = list_grow(NULL, &room, 1, sizeof(struct chrome));
    output_open(x, true);
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", x->out);
    put_names(x);
}

/* ---- what happens ---- */

static void chrome_begin(struct export *x, const struct lane *lane, const struct call *call)
{
    struct chrome *c = x->state;
    put_head(x, "B", lane, call->enter);
    fprintf(x->out, ",\"cat\":\"%s\",\"name\":%s}",
            text_paradigm(x->defs.regions.at[call->region].paradigm),
            names_region(x, &c->names, call->region, text_json));
}

static void chrome_end(struct export *x, const struct lane *lane, const struct call *call,
                       const struct call *caller)
{
    (void)caller;
    put_head(x, "E", lane, call->leave);
    if (call->calls > 1)
        fprintf(x->out, ",\"args\":{\"calls\":%" PRIu64 "}}", call->calls);
    else
        fputs(call->is_cut ? ",\"args\":{\"cut\":true}}" : "}", x->out);
}

static void chrome_half(struct export *x, const struct message *m, bool is_receive)
{
    struct chrome *c = x->state;
    const struct half *half = is_receive ? &m->receive : &m->send;
    uint32_t other = is_receive ? m->sender : m->receiver;
    const char *peer = other == NIL ? "null" : names_process(x, &c->processes, other, text_json);
    const char *comm = names_comm(x, &c->comms, m->comm, text_json);
    put_head(x, is_receive ? "f" : "s", half->lane, half->time);
    fprintf(x->out,
            ",\"id\":%llu,\"cat\":\"message\",\"name\":\"message\"%s,\"args\":{\"%s\":%s,"
            "\"communicator\":%s,\"tag\":%u,\"bytes\":%llu}}",
            (unsigned long long)m->id, is_receive ? ",\"bp\":\"e\"" : "",
            is_receive ? "from" : "to", peer, comm, m->tag, (unsigned long long)m->bytes);
}

static void chrome_collective(struct export *x, const struct lane *lane, const struct collective *c)
{
    struct chrome *chrome = x->state;
    const char *comm = names_comm(x, &chrome->comms, c->comm, text_json);
    put_head(x, "i", lane, c->end);
    fprintf(x->out,
            ",\"s\":\"t\",\"cat\":\"collective\",\"name\":\"%s\",\"args\":{\"communicator\":%s,"
            "\"sent\":%llu,\"received\":%llu}}",
            text_collective(c->op), comm, (unsigned long long)c->sent,
            (unsigned long long)c->received);
}

static void chrome_sample(struct export *x, const struct lane *lane, const struct sample *sample)
{
    enum { DEPTH_MAX = 1024 };
    struct chrome *c = x->state;
    unsigned n = 0;
    uint32_t context = sample->context;
    if (context == NIL)
        return;
    put_head(x, "i", lane, sample->time);
    fprintf(x->out, ",\"s\":\"t\",\"cat\":\"sample\",\"name\":%s,\"args\":{\"stack\":[",
            names_region(x, &c->names, x->defs.contexts.at[context].region, text_json));
    for (; context != NIL && n < DEPTH_MAX; context = x->defs.contexts.at[context].parent)
        fprintf(x->out, "%s%s", n++ ? "," : "",
                names_region(x, &c->names, x->defs.contexts.at[context].region, text_json));
    fputs("]}}", x->out);
}

/* Viewers know counters by process and name: that of the location is part of it. */
static const char *metric_name(struct export *x, uint32_t member, uint32_t location)
{
    struct chrome *c = x->state;
    size_t n = x->defs.locations.n;
    size_t index = member * n + location;
    while (c->metrics.n <= index)
        *LIST_ADD(&c->metrics) = NULL;
    if (!c->metrics.at[index]) {
        char *lane = text_lane(x, location);
        char *plain =
            make_text("%s (%s)", defs_text(&x->defs, x->defs.members.at[member].name), lane);
        c->metrics.at[index] = text_json(plain);
        free(plain);
        free(lane);
    }
    return c->metrics.at[index];
}

static void chrome_metric(struct export *x, const struct lane *lane, const struct metric *m)
{
    if (m->type == OTF2_TYPE_DOUBLE && !isfinite(m->value.floating_point))
        return;
    put_head(x, "C", lane, m->time);
    fprintf(x->out, ",\"name\":%s,\"args\":{\"value\":", metric_name(x, m->member, lane->location));
    if (m->type == OTF2_TYPE_INT64)
        fprintf(x->out, "%lld}}", (long long)m->value.signed_int);
    else if (m->type == OTF2_TYPE_UINT64)
        fprintf(x->out, "%llu}}", (unsigned long long)m->value.unsigned_int);
    else
        fprintf(x->out, "%.17g}}", m->value.floating_point);
}

static void chrome_point(struct export *x, const struct lane *lane, uint64_t time, const char *name)
{
    put_head(x, "i", lane, time);
    fprintf(x->out, ",\"s\":\"t\",\"cat\":\"event\",\"name\":\"%s\"}", name);
}

static void chrome_close(struct export *x)
{
    fputs("\n]}\n", x->out);
    output_close(x);
}

const struct format format_chrome = {
    .name = "chrome",
    .help = "JSON for Chrome's viewer, ui.perfetto.dev and others, up to some million events",
    .bytes = 95.0,
    .limit = 0x1p28,
    .is_text = true,
    .workers = 8,
    .open = chrome_open,
    .begin = chrome_begin,
    .end = chrome_end,
    .half = chrome_half,
    .collective = chrome_collective,
    .sample = chrome_sample,
    .metric = chrome_metric,
    .point = chrome_point,
    .close = chrome_close,
};
