/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace of Perfetto: track events of calls, with names interned; messages as instants within the
 * calls that send and receive messages, joined by flows; metrics as counter tracks; samples as
 * instants on a track below the thread's track. tests/cli/perfetto.proto has the used fields.
 */
#include <math.h>
#include <stdlib.h>

#include "tools/export/export_formats.h"
#include "tools/export/export_output.h"
#include "tools/export/export_proto.h"
#include "tools/export/export_text.h"

/* Field numbers, by message. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,
    PACKET_IS_FIRST = 87,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_ARGUMENT = 3 };
enum { ENTRY_ID = 1, ENTRY_NAME = 2 };
enum {
    TRACK_ID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT_NAME = 6 };
enum {
    EVENT_CATEGORY = 3,
    EVENT_ARGUMENT = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_COUNTER = 30,
    EVENT_DOUBLE_COUNTER = 44,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,
};
enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };
enum { ARGUMENT_ID = 1, ARGUMENT_UINT = 3, ARGUMENT_TEXT = 6 };

/* Names with fixed numbers; names of regions follow, and then names of further events. */
static const char *const arguments[] = {"to",  "from", "communicator", "tag",   "bytes",
                                        "cut", "sent", "received",     "stack", "calls"};
enum argument { TO, FROM, COMMUNICATOR, TAG, BYTES, CUT, SENT, RECEIVED, STACK, CALLS, ARGUMENTS };
enum { NAME_SEND = 1, NAME_RECEIVE, NAME_OTHERS };

struct perfetto {
    struct proto packet;
    struct proto event;
    struct proto interned;
    struct proto inner;
    struct names processes;
    struct names comms;
    struct names frames;
    LIST(uint32_t) chain;     /* regions of a stack, the innermost first, */
    LIST(char) stack;         /* and the stack as text */
    LIST(uint8_t) has_region; /* the region's name is interned */
    bool has_category[256];
    struct map other_names; /* pointers to names */
    uint32_t n_other;
    struct map counters; /* (location, member) to a track */
    uint64_t n_tracks;
    bool has_any;
};

/* ---- packets ---- */

static void intern(struct perfetto *p, unsigned what, uint64_t id, const char *name)
{
    char *clean = text_valid(name);
    proto_empty(&p->inner);
    proto_number(&p->inner, ENTRY_ID, id);
    proto_text(&p->inner, ENTRY_NAME, clean);
    proto_message(&p->interned, what, &p->inner);
    free(clean);
}

static void put_packet(struct export *x)
{
    struct perfetto *p = x->state;
    unsigned char head[32]; /* two numbers, as long as can be */
    struct proto length = {{head, 0, sizeof head}};
    proto_number(&p->packet, PACKET_SEQUENCE, 1);
    if (!p->has_any)
        proto_number(&p->packet, PACKET_IS_FIRST, 1);
    proto_number(&p->packet, PACKET_FLAGS, p->has_any ? FLAG_NEEDS_STATE : FLAG_CLEARED);
    p->has_any = true;
    if (p->interned.bytes.n)
        proto_message(&p->packet, PACKET_INTERNED, &p->interned);
    proto_empty(&p->interned);
    proto_varint(&length, TRACE_PACKET << 3 | PROTO_BYTES);
    proto_varint(&length, p->packet.bytes.n);
    fwrite(head, 1, length.bytes.n, x->out);
    fwrite(p->packet.bytes.at, 1, p->packet.bytes.n, x->out);
    proto_empty(&p->packet);
}

static void begin_event(struct export *x, unsigned type, uint64_t track)
{
    struct perfetto *p = x->state;
    proto_empty(&p->event);
    proto_number(&p->event, EVENT_TYPE, type);
    proto_number(&p->event, EVENT_TRACK, track);
    (void)x;
}

/* Events before the beginning of the trace, by a corrected clock, are moved to the beginning. */
static void end_event(struct export *x, uint64_t time)
{
    struct perfetto *p = x->state;
    int64_t ns = export_ns(x, time);
    proto_number(&p->packet, PACKET_TIMESTAMP, ns < 0 ? 0 : (uint64_t)ns);
    proto_message(&p->packet, PACKET_TRACK_EVENT, &p->event);
    put_packet(x);
}

/* For descriptions written once, at the first use: whether the present use is the first. */
static bool is_first_of_region(struct perfetto *p, uint32_t region)
{
    while (p->has_region.n <= region)
        (void)LIST_ADD(&p->has_region);
    bool is_first = !p->has_region.at[region];
    p->has_region.at[region] = 1;
    return is_first;
}

static bool is_first_of_category(struct perfetto *p, uint8_t paradigm)
{
    bool is_first = !p->has_category[paradigm];
    p->has_category[paradigm] = true;
    return is_first;
}

static bool is_first_of_other(struct perfetto *p, const char *name, uint32_t *index)
{
    *index = map_find(&p->other_names, (uintptr_t)name, 0);
    if (*index != NIL)
        return false;
    *index = p->n_other++;
    map_set(&p->other_names, (uintptr_t)name, 0, *index);
    return true;
}

static bool is_first_of_samples(struct perfetto *p, uint32_t location)
{
    if (map_find(&p->counters, location, NIL) != NIL)
        return false;
    map_set(&p->counters, location, NIL, 0);
    return true;
}

static bool is_first_of_counter(struct perfetto *p, uint32_t location, uint32_t member,
                                uint32_t *index)
{
    *index = map_find(&p->counters, location, member);
    if (*index != NIL)
        return false;
    *index = (uint32_t)p->n_tracks++;
    map_set(&p->counters, location, member, *index);
    return true;
}

static void name_region(struct export *x, uint32_t region)
{
    struct perfetto *p = x->state;
    uint64_t id = 2 * (uint64_t)region + NAME_OTHERS;
    if (is_first_of_region(p, region))
        intern(p, INTERNED_NAME, id, defs_region_name(&x->defs, region));
    proto_number(&p->event, EVENT_NAME, id);
}

static void name_other(struct perfetto *p, const char *name)
{
    uint32_t index;
    bool is_first = is_first_of_other(p, name, &index);
    uint64_t id = 2 * (uint64_t)index + NAME_OTHERS + 1;
    if (is_first)
        intern(p, INTERNED_NAME, id, name);
    proto_number(&p->event, EVENT_NAME, id);
}

static void put_number(struct perfetto *p, enum argument which, uint64_t value)
{
    proto_empty(&p->inner);
    proto_number(&p->inner, ARGUMENT_ID, which + 1);
    proto_number(&p->inner, ARGUMENT_UINT, value);
    proto_message(&p->event, EVENT_ARGUMENT, &p->inner);
}

static void put_text(struct perfetto *p, enum argument which, const char *clean)
{
    proto_empty(&p->inner);
    proto_number(&p->inner, ARGUMENT_ID, which + 1);
    proto_text(&p->inner, ARGUMENT_TEXT, clean);
    proto_message(&p->event, EVENT_ARGUMENT, &p->inner);
}

/* ---- tracks ---- */

static uint64_t process_track(uint32_t process)
{
    return (uint64_t)process + 1;
}

static uint64_t thread_track(const struct export *x, uint32_t location)
{
    return x->defs.processes.n + 2 * (uint64_t)location + 1;
}

static uint64_t sample_track(const struct export *x, uint32_t location)
{
    return thread_track(x, location) + 1;
}

/* A track, whose description the caller has begun in p->event. */
static void put_track(struct export *x, uint64_t id, uint64_t parent)
{
    struct perfetto *p = x->state;
    proto_number(&p->event, TRACK_ID, id);
    if (parent)
        proto_number(&p->event, TRACK_PARENT, parent);
    proto_message(&p->packet, PACKET_TRACK, &p->event);
    proto_empty(&p->event);
    put_packet(x);
}

static void put_process(struct export *x, uint32_t process)
{
    struct perfetto *p = x->state;
    char *name = text_valid(defs_process_name(&x->defs, process));
    proto_empty(&p->inner);
    proto_number(&p->inner, PROCESS_PID, process + 1);
    proto_text(&p->inner, PROCESS_NAME, name);
    proto_message(&p->event, TRACK_PROCESS, &p->inner);
    put_track(x, process_track(process), 0);
    free(name);
}

/* The main thread has the number of the process, as in Linux. */
static void put_thread(struct export *x, uint32_t location)
{
    struct perfetto *p = x->state;
    uint32_t process = x->lanes[location].process;
    bool is_main = x->defs.processes.at[process].main == location;
    char *plain = text_lane(x, location);
    char *name = text_valid(plain);
    proto_empty(&p->inner);
    proto_number(&p->inner, THREAD_PID, process + 1);
    proto_number(&p->inner, THREAD_TID,
                 is_main ? process + 1 : (uint64_t)x->defs.processes.n + location + 1);
    proto_text(&p->inner, THREAD_NAME, name);
    proto_message(&p->event, TRACK_THREAD, &p->inner);
    put_track(x, thread_track(x, location), 0);
    free(plain);
    free(name);
}

static uint64_t counter_track(struct export *x, uint32_t location, uint32_t member)
{
    struct perfetto *p = x->state;
    const struct metric_member *m = &x->defs.members.at[member];
    uint32_t index;
    bool is_first = is_first_of_counter(p, location, member, &index);
    uint64_t first = x->defs.processes.n + 2 * (uint64_t)x->defs.locations.n + 1;
    if (!is_first)
        return first + index;
    char *name = text_valid(defs_text(&x->defs, m->name));
    char *unit = text_valid(defs_text(&x->defs, m->unit));
    proto_empty(&p->event);
    proto_empty(&p->inner);
    proto_text(&p->inner, COUNTER_UNIT_NAME, unit);
    proto_text(&p->event, TRACK_NAME, name);
    proto_message(&p->event, TRACK_COUNTER, &p->inner);
    put_track(x, first + index, thread_track(x, location));
    free(name);
    free(unit);
    return first + index;
}

static void perfetto_open(struct export *x)
{
    size_t room = 0;
    struct perfetto *p = list_grow(NULL, &room, 1, sizeof *p);
    x->state = p;
    output_open(x, true);
    intern(p, INTERNED_NAME, NAME_SEND, "send");
    intern(p, INTERNED_NAME, NAME_RECEIVE, "receive");
    for (unsigned i = 0; i < ARGUMENTS; i++)
        intern(p, INTERNED_ARGUMENT, i + 1, arguments[i]);
    for (uint32_t i = 0; i < x->defs.processes.n; i++)
        put_process(x, i);
    for (uint32_t i = 0; i < x->defs.locations.n; i++)
        if (x->lanes[i].is_chosen)
            put_thread(x, i);
}

/* ---- events ---- */

static void perfetto_begin(struct export *x, const struct lane *lane, const struct call *call)
{
    struct perfetto *p = x->state;
    uint8_t paradigm = x->defs.regions.at[call->region].paradigm;
    begin_event(x, BEGIN, thread_track(x, lane->location));
    name_region(x, call->region);
    if (is_first_of_category(p, paradigm))
        intern(p, INTERNED_CATEGORY, paradigm + 1u, text_paradigm(paradigm));
    proto_number(&p->event, EVENT_CATEGORY, paradigm + 1u);
    end_event(x, call->enter);
}

static void perfetto_end(struct export *x, const struct lane *lane, const struct call *call,
                         const struct call *caller)
{
    (void)caller;
    begin_event(x, END, thread_track(x, lane->location));
    if (call->is_cut)
        put_number(x->state, CUT, 1);
    if (call->calls > 1)
        put_number(x->state, CALLS, call->calls);
    end_event(x, call->leave);
}

static void perfetto_half(struct export *x, const struct message *m, bool is_receive)
{
    struct perfetto *p = x->state;
    const struct half *half = is_receive ? &m->receive : &m->send;
    uint32_t other = is_receive ? m->sender : m->receiver;
    begin_event(x, INSTANT, thread_track(x, half->lane->location));
    proto_number(&p->event, EVENT_NAME, is_receive ? NAME_RECEIVE : NAME_SEND);
    proto_fixed(&p->event, is_receive ? EVENT_FLOW_END : EVENT_FLOW, m->id);
    if (other != NIL)
        put_text(p, is_receive ? FROM : TO, names_process(x, &p->processes, other, text_valid));
    put_text(p, COMMUNICATOR, names_comm(x, &p->comms, m->comm, text_valid));
    put_number(p, TAG, m->tag);
    put_number(p, BYTES, m->bytes);
    end_event(x, half->time);
}

static void perfetto_collective(struct export *x, const struct lane *lane,
                                const struct collective *c)
{
    struct perfetto *p = x->state;
    begin_event(x, INSTANT, thread_track(x, lane->location));
    name_other(p, text_collective(c->op));
    put_text(p, COMMUNICATOR, names_comm(x, &p->comms, c->comm, text_valid));
    put_number(p, SENT, c->sent);
    put_number(p, RECEIVED, c->received);
    end_event(x, c->end);
}

static void add_frame(struct perfetto *p, const char *frame, char behind)
{
    for (; *frame; frame++)
        *LIST_ADD(&p->stack) = *frame;
    *LIST_ADD(&p->stack) = behind;
}

/* The stack in the form of a line of `folded`. */
static const char *stack_text(struct export *x, uint32_t context)
{
    enum { DEPTH_MAX = 1024 };
    struct perfetto *p = x->state;
    p->chain.n = p->stack.n = 0;
    for (; context != NIL && p->chain.n < DEPTH_MAX; context = x->defs.contexts.at[context].parent)
        *LIST_ADD(&p->chain) = x->defs.contexts.at[context].region;
    for (size_t i = p->chain.n; i-- > 0;)
        add_frame(p, names_region(x, &p->frames, p->chain.at[i], text_frame), i ? ';' : '\0');
    return p->stack.at;
}

static void perfetto_sample(struct export *x, const struct lane *lane, const struct sample *s)
{
    struct perfetto *p = x->state;
    uint64_t track = sample_track(x, lane->location);
    if (s->context == NIL)
        return;
    if (is_first_of_samples(p, lane->location)) {
        proto_empty(&p->event);
        proto_text(&p->event, TRACK_NAME, "samples");
        put_track(x, track, thread_track(x, lane->location));
    }
    begin_event(x, INSTANT, track);
    name_region(x, x->defs.contexts.at[s->context].region);
    put_text(p, STACK, stack_text(x, s->context));
    end_event(x, s->time);
}

static void perfetto_metric(struct export *x, const struct lane *lane, const struct metric *m)
{
    struct perfetto *p = x->state;
    begin_event(x, COUNTER, counter_track(x, lane->location, m->member));
    if (m->type == OTF2_TYPE_INT64)
        proto_number(&p->event, EVENT_COUNTER, (uint64_t)m->value.signed_int);
    else if (m->type == OTF2_TYPE_UINT64 && m->value.unsigned_int <= INT64_MAX)
        proto_number(&p->event, EVENT_COUNTER, m->value.unsigned_int);
    else
        proto_double(&p->event, EVENT_DOUBLE_COUNTER,
                     m->type == OTF2_TYPE_UINT64 ? (double)m->value.unsigned_int
                                                 : m->value.floating_point);
    end_event(x, m->time);
}

static void perfetto_point(struct export *x, const struct lane *lane, uint64_t time,
                           const char *name)
{
    begin_event(x, INSTANT, thread_track(x, lane->location));
    name_other(x->state, name);
    end_event(x, time);
}

static void perfetto_close(struct export *x)
{
    output_close(x);
}

/* ---- events written by other workers: descriptions already written are not repeated ---- */

static void see_begin(struct export *x, const struct lane *lane, const struct call *call)
{
    (void)lane;
    (void)is_first_of_region(x->state, call->region);
    (void)is_first_of_category(x->state, x->defs.regions.at[call->region].paradigm);
}

static void see_collective(struct export *x, const struct lane *lane, const struct collective *c)
{
    uint32_t index;
    (void)lane;
    (void)is_first_of_other(x->state, text_collective(c->op), &index);
}

static void see_sample(struct export *x, const struct lane *lane, const struct sample *s)
{
    if (s->context == NIL)
        return;
    (void)is_first_of_samples(x->state, lane->location);
    (void)is_first_of_region(x->state, x->defs.contexts.at[s->context].region);
}

static void see_metric(struct export *x, const struct lane *lane, const struct metric *m)
{
    uint32_t index;
    (void)is_first_of_counter(x->state, lane->location, m->member, &index);
}

static void see_point(struct export *x, const struct lane *lane, uint64_t time, const char *name)
{
    uint32_t index;
    (void)lane, (void)time;
    (void)is_first_of_other(x->state, name, &index);
}

static const struct format elsewhere = {
    .begin = see_begin,
    .collective = see_collective,
    .sample = see_sample,
    .metric = see_metric,
    .point = see_point,
};

const struct format format_perfetto = {
    .name = "perfetto",
    .help = "a trace for ui.perfetto.dev and its trace_processor",
    .bytes = 36.0,
    .limit = 0x1p31,
    .workers = 4,
    .elsewhere = &elsewhere,
    .open = perfetto_open,
    .begin = perfetto_begin,
    .end = perfetto_end,
    .half = perfetto_half,
    .collective = perfetto_collective,
    .sample = perfetto_sample,
    .metric = perfetto_metric,
    .point = perfetto_point,
    .close = perfetto_close,
};
