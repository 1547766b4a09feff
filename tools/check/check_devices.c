/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules about devices. A call that gives work to a device has a number as a parameter, the work has
 * the same one as an attribute. What begins before its call is known when the call comes.
 */
#include "tools/check/check_devices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check/check_tell.h"
#include "wrappers/device/device_marks.h"

struct devices {
    uint64_t attribute; /* that says the number; UINT64_MAX: not defined */
    uint64_t parameter;
    struct table calls;
};

struct device_call {
    struct node node; /* a: process, b: number */
    bool is_given;
    bool is_early; /* work was before it, as far as is known */
    struct place early;
    uint64_t early_time;
};

/* What is told of a call, and of work. */
struct device_note {
    uint64_t time, number;
    uint32_t process; /* its location group */
    uint32_t is_call;
};

/* What a process says that its streams do not have: it is not looked for there. */
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

/* The process that uses the device; else what the stream is of. */
static uint64_t owner_process(const struct check *c, const struct location *at)
{
    const uint64_t group = at->def->locationGroup;
    const struct otf2_def_LocationGroup *def =
        defined_as(c, OTF2_REF_LocationGroup, group, OTF2_DEF_LocationGroup);
    bool is_device = def && def->locationGroupType == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
    return is_device ? def->creatingLocationGroup : group;
}

void device_event(struct check *c, struct location *at, enum otf2_evt_index event)
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
    if (event == OTF2_EVT_Enter && at->has_work)
        tell(c, at, owner_process(c, at), at->work, false);
    at->has_work = false;
}

void device_parameter(struct check *c, struct location *at, uint32_t parameter, uint64_t value)
{
    if (parameter == c->devices->parameter)
        tell(c, at, at->def->locationGroup, value, true);
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
    free(c->devices);
}
