/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about one location's regions, calling contexts, program, and how it is recorded. */
#include <inttypes.h>

#include "tools/check/check_tell.h"

enum { DEPTH_MAX = 1 << 16 };

/* ---- calling contexts ---- */

/* How many contexts there are from this one to the root, up to `enough`. */
static uint64_t context_depth(const struct check *c, uint32_t context, uint64_t enough)
{
    uint64_t depth = 0;
    const struct otf2_def_CallingContext *def;
    while (depth < enough && depth < DEPTH_MAX &&
           (def = defined_as(c, OTF2_REF_CallingContext, context, OTF2_DEF_CallingContext))) {
        depth++;
        context = def->parent;
    }
    return depth;
}

/* The context `steps` above this one, or the undefined one above the root. */
static uint32_t context_above(const struct check *c, uint32_t context, uint32_t steps)
{
    const struct otf2_def_CallingContext *def;
    for (; steps > 0; steps--) {
        def = defined_as(c, OTF2_REF_CallingContext, context, OTF2_DEF_CallingContext);
        context = def ? def->parent : OTF2_UNDEFINED_CALLING_CONTEXT;
    }
    return context;
}

static bool is_above(const struct check *c, uint32_t context, uint32_t below)
{
    const struct otf2_def_CallingContext *def;
    for (int depth = 0; depth < DEPTH_MAX && below != context; depth++) {
        def = defined_as(c, OTF2_REF_CallingContext, below, OTF2_DEF_CallingContext);
        if (!def)
            return false;
        below = def->parent;
    }
    return below == context;
}

/* What the distance leads to has been neither left nor entered since the previous context. */
static void check_way(struct check *c, struct location *at, uint32_t context, uint32_t distance)
{
    uint32_t node = context_above(c, context, distance);
    if (at->has_context && node != OTF2_UNDEFINED_CALLING_CONTEXT &&
        !is_above(c, node, at->context))
        found(c->verdict, RULE_UNWIND_DISTANCE, event_place(at),
              "unwind distance %" PRIu32 " of calling context %" PRIu32 " leads to %" PRIu32
              ", which is not above the previous one, %" PRIu32,
              distance, context, node, at->context);
}

static void check_distance(struct check *c, struct location *at, uint32_t context,
                           uint32_t distance)
{
    if (distance != OTF2_UNDEFINED_UINT32 && distance <= DEPTH_MAX)
        check_way(c, at, context, distance);
    at->context = context;
    at->has_context = true;
    if (distance <= 1 || distance == OTF2_UNDEFINED_UINT32 || distance > DEPTH_MAX)
        return;
    uint64_t depth = context_depth(c, context, distance - 1);
    if (distance - 1 > depth)
        found(c->verdict, RULE_UNWIND_DISTANCE, event_place(at),
              "unwind distance %" PRIu32 " of calling context %" PRIu32 ", whose depth is %" PRIu64,
              distance, context, depth);
}

void context_enter(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_CallingContextEnter *enter = &e->evt_CallingContextEnter;
    at->frames = list_grow(at->frames, &at->frames_room, at->depth + 1, sizeof *at->frames);
    at->frames[at->depth++] = (struct frame){enter->callingContext, at->file.count - 1, true};
    metrics_edge(c, at);
    check_distance(c, at, enter->callingContext, enter->unwindDistance);
}

void context_leave(struct check *c, struct location *at, event_data e)
{
    uint32_t context = e->evt_CallingContextLeave.callingContext;
    const struct frame *top = at->depth ? &at->frames[at->depth - 1] : NULL;
    if (at->n_blocking)
        io_call_is_over(c, at);
    if (!top)
        found(c->verdict, RULE_NESTING, event_place(at),
              "CallingContextLeave of %" PRIu32 ", none is open", context);
    else if (!top->is_context || top->ref != context)
        found(c->verdict, RULE_NESTING, event_place(at),
              "CallingContextLeave of %" PRIu32 ", open is %s %" PRIu64, context,
              top->is_context ? "context" : "region", top->ref);
    at->depth -= top != NULL;
    at->context = context_above(c, context, 1);
    at->has_context = true;
    metrics_edge(c, at);
}

void context_sample(struct check *c, struct location *at, event_data e)
{
    metrics_sample(c, at);
    check_distance(c, at, e->evt_CallingContextSample.callingContext,
                   e->evt_CallingContextSample.unwindDistance);
}

/* ---- recording ---- */

void flush(struct check *c, struct location *at, event_data e)
{
    uint64_t stop = corrected(at, e->evt_BufferFlush.stopTime);
    if (stop < at->time || (c->clock && stop > c->end))
        found(c->verdict, RULE_FLUSH, event_place(at), "a flush until %" PRIu64, stop);
}

void measurement(struct check *c, struct location *at, event_data e)
{
    bool is_off = e->evt_MeasurementOnOff.measurementMode == OTF2_MEASUREMENT_OFF;
    if (is_off == at->is_off)
        found(c->verdict, RULE_MEASUREMENT, event_place(at), "recording is switched %s twice",
              is_off ? "off" : "on");
    at->is_off = is_off;
    if (is_off && c->declares_pauses)
        gaps_tell(c, at);
}

/* ---- the program ---- */

struct program_note {
    uint64_t time, is_end;
};

static struct key program_key(const struct location *at)
{
    return (struct key){.a = at->process->node.key.a};
}

void take_program(struct check *c, const struct engine_note *n, const void *data)
{
    const struct program_note *note = data;
    struct process *process = note_location(c, n)->process;
    if (!note->is_end && process->program_begins++ > process->program_ends)
        found(c->verdict, RULE_PROGRAM, note_place(c, n, data), "the program begins again");
    if (note->is_end && ++process->program_ends > process->program_begins &&
        process->program_begins)
        found(c->verdict, RULE_PROGRAM, note_place(c, n, data), "the program ends again");
}

void program_begin(struct check *c, struct location *at, event_data e)
{
    struct program_note note = {at->time, false};
    (void)e;
    if (at->file.count != 1 || (at->id & UINT32_MAX))
        found(c->verdict, RULE_PROGRAM_PLACE, event_place(at),
              "ProgramBegin is not the first event of a process");
    TELL(c, at, PROGRAM, program_key(at), note);
}

void program_end(struct check *c, struct location *at, event_data e)
{
    struct program_note note = {at->time, true};
    (void)e;
    if (at->id & UINT32_MAX)
        found(c->verdict, RULE_PROGRAM_PLACE, event_place(at),
              "ProgramEnd on another thread than the first");
    if (at->depth)
        found(c->verdict, RULE_PROGRAM_PLACE, event_place(at), "ProgramEnd inside of a region");
    TELL(c, at, PROGRAM, program_key(at), note);
}

static void check_program_place(struct check *c, struct location *at)
{
    struct place where = {.location = at->id, .has_location = true};
    if (at->id & UINT32_MAX || !at->file.count)
        return;
    if (at->first_record != OTF2_EVT_ProgramBegin)
        found(c->verdict, RULE_PROGRAM_PLACE, where, "begins with %s, not with ProgramBegin",
              otf2_events[at->first_record].name);
    else if (at->last_record != OTF2_EVT_ProgramEnd)
        found(c->verdict, RULE_PROGRAM_PLACE, where, "ends with %s, not with ProgramEnd",
              otf2_events[at->last_record].name);
}

uint64_t innermost_region(const struct check *c, const struct location *at)
{
    const struct frame *top = at->depth ? &at->frames[at->depth - 1] : NULL;
    if (!top || !top->is_context)
        return top ? top->ref : OTF2_UNDEFINED_REGION;
    const struct otf2_def_CallingContext *context =
        defined_as(c, OTF2_REF_CallingContext, top->ref, OTF2_DEF_CallingContext);
    return context ? context->region : OTF2_UNDEFINED_REGION;
}

/* The location's last event was read. */
void nesting_finish(struct check *c, struct location *at)
{
    struct place where = {.location = at->id, .has_location = true};
    if (at->depth) {
        const struct frame *top = &at->frames[at->depth - 1];
        found(c->verdict, RULE_NESTING_OPEN, where,
              "ends inside of %zu regions, the innermost is %s %" PRIu64
              " \"%.80s\" entered by event %" PRIu64,
              at->depth, top->is_context ? "context" : "region", top->ref,
              top->is_context ? "" : region_text(c, top->ref), top->event);
    }
    check_program_place(c, at);
}
