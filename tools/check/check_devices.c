/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules about devices. A call that gives work to a device has a number as a parameter; the work has
 * the same number as an attribute. Work that begins before the work's call is known when the call
 * comes.
 */
#include "tools/check/check_devices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check/check_tell.h"
#include "wrappers/device/device_marks.h"

struct devices {
    uint64_t attribute; /* attribute with the number; UINT64_MAX: not defined */
    uint64_t parameter;
    struct table calls;
    struct table waits;
};

struct device_call {
    struct node node; /* a: process, b: number */
    bool is_given;
    bool is_early; /* work came before the call, as far as known */
    struct place early;
    uint64_t early_time;
};

/* Of waiting. a: process; c 0: the call of number b; c 1: the latest waiting for group b. */
struct device_wait {
    struct node node;
    uint64_t begin, over;
    bool is_known, is_over; /* both times of a call */
    bool is_wait;
    uint32_t group; /* awaited group */
};

/* The content of a note about a call or about work. */
struct device_note {
    uint64_t time, number;
    uint32_t process; /* location group of the process */
    uint32_t is_call;
};

/*
 * A process declares work missing from the process's streams: the rules do not look for this work
 * there.
 */
static void tell_missing(const struct check *c, const struct definition *d)
{
    static const struct {
        const char *property;
        enum rule rule;
        const char *what;
    } rows[] = {{DEVICE_UNFINISHED, RULE_DEVICE_UNFINISHED, "had not finished at its end"},
                {DEVICE_LOST, RULE_DEVICE_LOST,
                 "are not here, since the runtime lost their records"}};
    const struct otf2_def_LocationGroupProperty *said = d->data;
    if (said->type == OTF2_TYPE_STRING && strcmp(text_of(c, said->name), DEVICE_TAKEN) == 0)
        found(c->verdict, RULE_DEVICE_TAKEN, definition_place(c, d),
              "process %u has called %.40s: what its devices did from then on is not here",
              said->locationGroup, text_of(c, said->value.stringRef));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (said->type == OTF2_TYPE_STRING && strcmp(text_of(c, said->name), rows[i].property) == 0)
            found(c->verdict, rows[i].rule, definition_place(c, d),
                  "%.20s works that process %u has given to devices %s",
                  text_of(c, said->value.stringRef), said->locationGroup, rows[i].what);
}

void devices_missing(struct check *c)
{
    for (size_t i = 0; i < c->n_all; i++)
        if (c->all[i].record == OTF2_DEF_LocationGroupProperty)
            tell_missing(c, &c->all[i]);
}

void devices_begin(struct check *c)
{
    struct devices *d = c->devices = take_memory(sizeof *d);
    d->calls.node_bytes = sizeof(struct device_call);
    d->attribute = d->parameter = UINT64_MAX;
    d->waits.node_bytes = sizeof(struct device_wait);
    for (size_t i = 0; i < c->n_all; i++) {
        const struct otf2_def_Attribute *attribute = c->all[i].data;
        const struct otf2_def_Parameter *parameter = c->all[i].data;
        if (c->all[i].record == OTF2_DEF_Attribute && attribute->type == OTF2_TYPE_UINT64 &&
            strcmp(text_of(c, attribute->name), DEVICE_CORRELATION) == 0)
            d->attribute = attribute->self;
        if (c->all[i].record == OTF2_DEF_Parameter &&
            strcmp(text_of(c, parameter->name), DEVICE_CORRELATION) == 0)
            d->parameter = parameter->self;
    }
}

/* ---- waiting for devices ---- */

/*
 * A call that waits for a whole context has a number, as calls that give work have, and a location
 * of the context has a region for the waiting, with the same number. All work given to the context
 * before the begin of the waiting has ended when the waiting is over.
 */

/* Devices have clocks of their own: 1/10000 s. */
enum { SLACKS = 10000 };

enum happened { CALL_BEGINS, CALL_IS_OVER, ALL_ARE_AWAITED, WORK_IS_DONE };

struct wait_note {
    uint64_t time, number;
    uint32_t process, group; /* location groups; the group of work */
    uint64_t what;           /* enum happened */
};

static uint64_t slack_of(const struct check *c)
{
    for (size_t i = 0; i < c->n_all; i++)
        if (c->all[i].record == OTF2_DEF_ClockProperties)
            return ((const struct otf2_def_ClockProperties *)c->all[i].data)->timerResolution /
                   SLACKS;
    return 0;
}

static void tell_wait(struct check *c, struct location *at, uint64_t process, uint64_t number,
                      enum happened what)
{
    struct wait_note note = {at->time, number, (uint32_t)process, (uint32_t)at->def->locationGroup,
                             what};
    const struct key key = {process, 0, 1};
    TELL(c, at, DEVICE_WAIT, key, note);
}

static void device_call_begins(struct check *c, struct location *at, uint64_t number)
{
    at->gives = number;
    at->gives_depth = at->depth;
    tell_wait(c, at, at->def->locationGroup, number, CALL_BEGINS);
}

void device_call_is_over(struct check *c, struct location *at)
{
    at->gives_depth = 0;
    tell_wait(c, at, at->def->locationGroup, at->gives, CALL_IS_OVER);
}

static void device_work_begins(struct check *c, struct location *at, uint64_t process,
                               uint32_t region)
{
    const struct otf2_def_Region *def = defined_as(c, OTF2_REF_Region, region, OTF2_DEF_Region);
    at->is_work = def && def->regionRole != OTF2_REGION_ROLE_ARTIFICIAL;
    if (def && !at->is_work && strcmp(text_of(c, def->name), DEVICE_WAIT_FOR_ALL) == 0)
        tell_wait(c, at, process, at->work, ALL_ARE_AWAITED);
}

static void device_work_is_done(struct check *c, struct location *at, uint64_t process)
{
    if (at->is_work)
        tell_wait(c, at, process, at->work, WORK_IS_DONE);
    at->is_work = false;
}

/* ---- the events of a location ---- */

void device_attribute(const struct check *c, struct location *at, uint64_t attribute,
                      OTF2_AttributeValue value)
{
    if (!at->is_stream || attribute != c->devices->attribute)
        return;
    at->work = value.uint64;
    at->has_work = true;
}

static void tell(struct check *c, struct location *at, uint64_t process, uint64_t number,
                 bool is_call)
{
    struct device_note note = {at->time, number, (uint32_t)process, is_call};
    const struct key key = {process, number, 0};
    TELL(c, at, DEVICE, key, note);
}

/* The process that uses the device; else the location group of the stream. */
static uint64_t owner_process(const struct check *c, const struct location *at)
{
    const uint64_t group = at->def->locationGroup;
    const struct otf2_def_LocationGroup *def =
        defined_as(c, OTF2_REF_LocationGroup, group, OTF2_DEF_LocationGroup);
    bool is_device = def && def->locationGroupType == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
    return is_device ? def->creatingLocationGroup : group;
}

void device_event(struct check *c, struct location *at, enum otf2_evt_index event, event_data e)
{
    static const bool may_be_there[OTF2_EVTS] = {
        [OTF2_EVT_Enter] = true,
        [OTF2_EVT_Leave] = true,
        [OTF2_EVT_RmaPut] = true,
        [OTF2_EVT_RmaGet] = true,
        [OTF2_EVT_RmaOpCompleteBlocking] = true,
        [OTF2_EVT_BufferFlush] = true,
        [OTF2_EVT_MeasurementOnOff] = true,
        [OTF2_EVT_ParameterInt] = true, /* how much was open when the process died */
    };
    if (!may_be_there[event])
        found(c->verdict, RULE_DEVICE_WORK, event_place(at),
              "an event that is no work of a device");
    else if (event == OTF2_EVT_Enter && at->depth)
        found(c->verdict, RULE_DEVICE_WORK, event_place(at),
              "work begins while other work is open");
    if (event == OTF2_EVT_Enter && at->has_work) {
        tell(c, at, owner_process(c, at), at->work, false);
        device_work_begins(c, at, owner_process(c, at), e->evt_Enter.region);
    }
    if (event == OTF2_EVT_Leave)
        device_work_is_done(c, at, owner_process(c, at));
    at->has_work = false;
}

void device_parameter(struct check *c, struct location *at, uint32_t parameter, uint64_t value)
{
    if (parameter != c->devices->parameter)
        return;
    tell(c, at, at->def->locationGroup, value, true);
    device_call_begins(c, at, value);
}

/* ---- the calls of a process ---- */

static void give(struct check *c, struct device_call *call, const struct device_note *note,
                 struct place where)
{
    if (call->is_given)
        found(c->verdict, RULE_DEVICE_NUMBER, where,
              "a second call gives work under number %" PRIu64, note->number);
    else if (call->is_early && call->early_time < note->time)
        found(c->verdict, RULE_DEVICE_TIME, call->early,
              "work begins %" PRIu64 " ticks before the call that gives it, number %" PRIu64,
              note->time - call->early_time, note->number);
    call->is_given = true;
}

void take_device(struct check *c, const struct engine_note *n, const void *data)
{
    const struct device_note *note = data;
    struct device_call *call =
        table_intern(&c->devices->calls, (struct key){note->process, note->number, 0});
    if (note->is_call) {
        give(c, call, note, note_place(c, n, note));
    } else if (!call->is_given && !call->is_early) {
        call->is_early = true;
        call->early = note_place(c, n, note);
        call->early_time = note->time;
    }
}

/*
 * Of several calls, the last begun call counts: the last call covers the waiting of the earlier
 * calls.
 */
static void end_wait(struct check *c, const struct device_wait *call)
{
    struct device_wait *latest =
        table_intern(&c->devices->waits, (struct key){call->node.key.a, call->group, 1});
    if (latest->is_known && latest->begin > call->begin)
        return;
    latest->is_known = true;
    latest->begin = call->begin;
    latest->over = call->over;
}

static void end_work(struct check *c, const struct engine_note *n, const struct wait_note *note,
                     const struct device_wait *call)
{
    const struct device_wait *latest =
        table_find(&c->devices->waits, (struct key){note->process, note->group, 1});
    if (!call->is_over || !latest || call->over > latest->begin ||
        note->time <= latest->over + slack_of(c))
        return;
    found(c->verdict, RULE_DEVICE_WAIT, note_place(c, n, note),
          "work of number %" PRIu64 " ends %" PRIu64 " ticks after the host has waited for it",
          note->number, note->time - latest->over);
}

void take_device_wait(struct check *c, const struct engine_note *n, const void *data)
{
    const struct wait_note *note = data;
    struct device_wait *call =
        table_intern(&c->devices->waits, (struct key){note->process, note->number, 0});
    switch ((enum happened)note->what) {
    case CALL_BEGINS:
        call->begin = note->time;
        call->is_known = true;
        break;
    case ALL_ARE_AWAITED:
        call->group = note->group;
        call->is_wait = call->is_known;
        break;
    case CALL_IS_OVER:
        call->over = note->time;
        call->is_over = true;
        if (call->is_wait)
            end_wait(c, call);
        break;
    case WORK_IS_DONE:
        end_work(c, n, note, call);
        break;
    }
}

/* ---- the end ---- */

static void finish_call(void *node, void *context)
{
    const struct device_call *call = node;
    const struct check *c = context;
    if (!call->is_given && !c->is_cut)
        found(c->verdict, RULE_DEVICE_CALL, call->early,
              "no call of process %" PRIu64 " gives work under number %" PRIu64, call->node.key.a,
              call->node.key.b);
}

void devices_finish(struct check *c)
{
    each_in_phase(c, PHASE_DEVICES, &c->devices->calls, finish_call);
    table_fini(&c->devices->calls);
    table_fini(&c->devices->waits);
    free(c->devices);
}
