/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about the global definitions as a whole; groups and metrics have files of their own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/cell.h"
#include "tools/base/digest.h"
#include "tools/check/check.h"
#include "tools/check/check_devices.h"

/* Runs a statement for every definition of a record. */
/* ---- counts ---- */

static void check_counts(struct check *c)
{
    struct place anchor = {.file = "the anchor file"};
    uint64_t n_locations = 0;
    each_definition(c, d, Location) n_locations++;
    if (c->anchor.locations != n_locations)
        found(c->verdict, RULE_ANCHOR_LOCATIONS, anchor,
              "announces %" PRIu64 " locations, %" PRIu64 " are defined", c->anchor.locations,
              n_locations);
    if (c->anchor.global_definitions != c->n_definitions)
        found(c->verdict, RULE_ANCHOR_DEFINITIONS, anchor,
              "announces %" PRIu64 " definitions, there are %" PRIu64, c->anchor.global_definitions,
              c->n_definitions);
    if (!n_locations)
        found(c->verdict, RULE_LOCATION_MISSING, (struct place){.file = c->definitions_name},
              "no location is defined");
}

static void check_clock(struct check *c)
{
    struct place where = {.file = c->definitions_name};
    uint64_t n = 0;
    each_definition(c, d, ClockProperties)
    {
        if (!n++)
            c->clock = d->data;
    }
    if (n != 1) {
        found(c->verdict, RULE_CLOCK_PROPERTIES, where, "there are %" PRIu64 " ClockProperties", n);
        if (!n)
            return;
    }
    if (!c->clock->timerResolution)
        found(c->verdict, RULE_CLOCK_PROPERTIES, where, "the timer resolution is 0");
    if (c->clock->realtimeTimestamp == OTF2_UNDEFINED_TIMESTAMP)
        found(c->verdict, RULE_CLOCK_REALTIME, where, "there is no real time stamp");
    c->begin = c->clock->globalOffset;
    c->end = c->begin + c->clock->traceLength;
    if (c->end < c->begin)
        c->end = UINT64_MAX;
}

/* A paradigm without parallelism needs no definition of a paradigm. */
static bool needs_paradigm(uint8_t paradigm)
{
    switch (paradigm) {
    case OTF2_PARADIGM_UNKNOWN:
    case OTF2_PARADIGM_USER:
    case OTF2_PARADIGM_COMPILER:
    case OTF2_PARADIGM_MEASUREMENT_SYSTEM:
    case OTF2_PARADIGM_SAMPLING:
    case OTF2_PARADIGM_NONE:
        return false;
    default:
        return true;
    }
}

static void check_paradigms(struct check *c)
{
    enum { DEFINED = 1, MISSED = 2 };
    uint8_t state[256] = {0};
    each_definition(c, d, Paradigm)
    {
        const struct otf2_def_Paradigm *paradigm = d->data;
        if (state[paradigm->paradigm])
            found(c->verdict, RULE_PARADIGM_TWICE, definition_place(c, d),
                  "paradigm %u is defined twice", paradigm->paradigm);
        state[paradigm->paradigm] = DEFINED;
    }
    for (size_t i = 0; i < c->n_all; i++) {
        const struct definition *d = &c->all[i];
        uint8_t paradigm =
            d->record == OTF2_DEF_Region  ? ((const struct otf2_def_Region *)d->data)->paradigm
            : d->record == OTF2_DEF_Group ? ((const struct otf2_def_Group *)d->data)->paradigm
                                          : (uint8_t)OTF2_PARADIGM_UNKNOWN;
        if (state[paradigm] || !needs_paradigm(paradigm))
            continue;
        state[paradigm] = MISSED;
        found(c->verdict, RULE_PARADIGM_MISSING, definition_place(c, d),
              "paradigm %u is used and not defined", paradigm);
    }
}

/* ---- equal content ---- */

struct content {
    struct node node; /* a: two hashes */
    uint64_t self;
};

static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
    h = digest_add(h, bytes, n);
    return h ^ h >> 31;
}

/*
 * A hash of the content without the own id: fields by their bytes, arrays and texts by their
 * content.
 */
static uint64_t content_of(const struct definition *d, uint64_t seed)
{
    const struct otf2_record *record = &otf2_defs[d->record];
    uint64_t h = mix(seed, &d->record, 1);
    uint64_t count = 0;
    for (unsigned i = 1; i < record->nfields; i++) {
        const struct otf2_field *f = &record->fields[i];
        const struct otf2_kind_info *kind = &otf2_kinds[f->kind];
        const char *slot = (const char *)d->data + f->offset;
        const char *far;
        memcpy(&far, slot,
               kind->shown == OTF2_SHOWN_TEXT || kind->shown >= OTF2_SHOWN_ARRAY_NUMBER ? sizeof far
                                                                                        : 0);
        if (kind->shown == OTF2_SHOWN_COUNT)
            count = otf2_cell_load(slot, kind->size);
        if (kind->shown == OTF2_SHOWN_TEXT)
            h = mix(h, far, strlen(far) + 1);
        else if (kind->shown >= OTF2_SHOWN_ARRAY_NUMBER)
            h = mix(h, far, (size_t)count * kind->size);
        else
            h = mix(h, slot, kind->size);
    }
    return h;
}

/*
 * Communicators, processes, threads and handles may be equal in all their fields; the definitions
 * listed here must differ.
 */
static void check_unified(struct check *c)
{
    static const bool is_unified[OTF2_DEFS] = {
        [OTF2_DEF_String] = true,        [OTF2_DEF_Attribute] = true,
        [OTF2_DEF_Region] = true,        [OTF2_DEF_Group] = true,
        [OTF2_DEF_Parameter] = true,     [OTF2_DEF_SourceCodeLocation] = true,
        [OTF2_DEF_MetricMember] = true,  [OTF2_DEF_SystemTreeNode] = true,
        [OTF2_DEF_IoRegularFile] = true, [OTF2_DEF_IoDirectory] = true,
        [OTF2_DEF_CallingContext] = true};
    struct table seen = {.node_bytes = sizeof(struct content)};
    for (size_t i = 0; i < c->n_all; i++) {
        const struct definition *d = &c->all[i];
        uint32_t self;
        if (!is_unified[d->record])
            continue;
        memcpy(&self, d->data, sizeof self);
        struct key key = {content_of(d, 1), content_of(d, 2), d->record};
        struct content *content = table_find(&seen, key);
        if (content) {
            const char *text = d->record == OTF2_DEF_String
                                   ? ((const struct otf2_def_String *)d->data)->string
                                   : "";
            found(c->verdict, RULE_NOT_UNIFIED, definition_place(c, d),
                  "%s %" PRIu64 " and %" PRIu32 " are equal %.60s", otf2_defs[d->record].name,
                  content->self, self, text);
        } else {
            content = table_intern(&seen, key);
            content->self = self;
        }
    }
    table_fini(&seen);
}

/* ---- locations and their groups ---- */

/* The group of the process: a device's group names the creating process. */
static uint32_t process_group(struct check *c, uint32_t group)
{
    const struct otf2_def_LocationGroup *def =
        defined_as(c, OTF2_REF_LocationGroup, group, OTF2_DEF_LocationGroup);
    bool is_device = def && def->locationGroupType == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR &&
                     def->creatingLocationGroup != OTF2_UNDEFINED_LOCATION_GROUP;
    return is_device ? def->creatingLocationGroup : group;
}

/*
 * 0.0, 0.1, 1.0, ...: the numbers of processes and threads, each process in a group of its own.
 * Streams of a process's devices are numbered with the process's threads. All threads but the first
 * may be missing.
 */
static void check_location_ids(struct check *c, const uint64_t *ids, size_t n)
{
    struct place where = {.file = c->definitions_name};
    uint64_t process = 0;
    uint32_t group = OTF2_UNDEFINED_LOCATION_GROUP;
    for (size_t i = 0; i < n; i++) {
        const struct otf2_def_Location *def =
            defined_as(c, OTF2_REF_Location, ids[i], OTF2_DEF_Location);
        uint32_t of = def ? process_group(c, def->locationGroup) : group;
        bool is_new = i && ids[i] >> 32 != process;
        process += is_new;
        bool is_first = is_new || i == 0;
        if (ids[i] >> 32 != process || (is_first && ids[i] != process << 32)) {
            found(c->verdict, RULE_LOCATION_IDS, where,
                  "location %" PRIu64 " stands where %" PRIu64 " should", ids[i], process << 32);
            return;
        }
        if (def && !is_first && of != group)
            found(c->verdict, RULE_LOCATION_IDS, where,
                  "process %" PRIu64 " is in the groups %u and %u", process, group, of);
        else if (def && is_new && of == group)
            found(c->verdict, RULE_LOCATION_IDS, where,
                  "the processes %" PRIu64 " and %" PRIu64 " share group %u", process - 1, process,
                  group);
        group = of;
    }
}

static void check_locations(struct check *c)
{
    uint64_t *ids = take_memory((c->spaces[OTF2_REF_Location].n + 1) * sizeof *ids);
    size_t n = 0;
    struct table used = {.node_bytes = sizeof(struct node)};
    each_definition(c, d, Location)
    {
        const struct otf2_def_Location *def = d->data;
        (void)table_intern(&used, (struct key){.a = def->locationGroup});
        if (defined_as(c, OTF2_REF_Location, def->self, OTF2_DEF_Location) == def)
            ids[n++] = def->self;
    }
    qsort(ids, n, sizeof *ids, list_by_number);
    check_location_ids(c, ids, n);
    each_definition(c, d, LocationGroup)
    {
        const struct otf2_def_LocationGroup *def = d->data;
        if (!table_find(&used, (struct key){.a = def->self}))
            found(c->verdict, RULE_LOCATION_GROUP_EMPTY, definition_place(c, d),
                  "location group %u has no location", def->self);
    }
    table_fini(&used);
    free(ids);
}

/* ---- details ---- */

/* Each thing has a property once: the first field is the thing, the second the name. */
static void check_properties(struct check *c)
{
    struct table seen = {.node_bytes = sizeof(struct node)};
    for (size_t i = 0; i < c->n_all; i++) {
        const struct definition *d = &c->all[i];
        const struct otf2_record *record = &otf2_defs[d->record];
        size_t length = strlen(record->name);
        if (length < 8 || strcmp(record->name + length - 8, "Property") != 0 ||
            d->record == OTF2_DEF_ParadigmProperty)
            continue;
        struct key key = {otf2_cell_load(d->data, otf2_kinds[record->fields[0].kind].size), 0,
                          d->record};
        uint32_t name;
        memcpy(&name, (const char *)d->data + record->fields[1].offset, sizeof name);
        key.b = name;
        if (table_find(&seen, key))
            found(c->verdict, RULE_PROPERTY_TWICE, definition_place(c, d),
                  "%s \"%.60s\" of %" PRIu64 " is given twice", record->name, text_of(c, name),
                  key.a);
        (void)table_intern(&seen, key);
    }
    table_fini(&seen);
}

static void check_regions(struct check *c)
{
    each_definition(c, d, Region)
    {
        const struct otf2_def_Region *def = d->data;
        if (def->endLineNumber && def->endLineNumber < def->beginLineNumber)
            found(c->verdict, RULE_REGION_LINES, definition_place(c, d),
                  "region %u ends in line %u and begins in %u", def->self, def->endLineNumber,
                  def->beginLineNumber);
    }
}

static void check_callpath_parameters(struct check *c)
{
    static const OTF2_Type types[] = {[OTF2_PARAMETER_TYPE_STRING] = OTF2_TYPE_STRING,
                                      [OTF2_PARAMETER_TYPE_INT64] = OTF2_TYPE_INT64,
                                      [OTF2_PARAMETER_TYPE_UINT64] = OTF2_TYPE_UINT64};
    each_definition(c, d, CallpathParameter)
    {
        const struct otf2_def_CallpathParameter *def = d->data;
        const struct otf2_def_Parameter *parameter =
            defined_as(c, OTF2_REF_Parameter, def->parameter, OTF2_DEF_Parameter);
        if (parameter && parameter->parameterType <= OTF2_PARAMETER_TYPE_UINT64 &&
            types[parameter->parameterType] != def->type)
            found(c->verdict, RULE_CALLPATH_PARAMETER, definition_place(c, d),
                  "the value of parameter %u has type %u, want %u", def->parameter, def->type,
                  types[parameter->parameterType]);
    }
}

static void check_pre_created(struct check *c)
{
    struct table seen = {.node_bytes = sizeof(struct node)};
    each_definition(c, d, IoPreCreatedHandleState)
    {
        const struct otf2_def_IoPreCreatedHandleState *def = d->data;
        const struct otf2_def_IoHandle *handle =
            defined_as(c, OTF2_REF_IoHandle, def->ioHandle, OTF2_DEF_IoHandle);
        struct key key = {.a = def->ioHandle};
        if (handle && !(handle->ioHandleFlags & OTF2_IO_HANDLE_FLAG_PRE_CREATED))
            found(c->verdict, RULE_IO_PRE_CREATED, definition_place(c, d),
                  "handle %u is not flagged as pre-created", def->ioHandle);
        if (table_find(&seen, key))
            found(c->verdict, RULE_IO_PRE_CREATED, definition_place(c, d),
                  "the state of handle %u is given twice", def->ioHandle);
        (void)table_intern(&seen, key);
    }
    each_definition(c, d, IoHandle)
    {
        const struct otf2_def_IoHandle *def = d->data;
        if (def->ioHandleFlags & OTF2_IO_HANDLE_FLAG_PRE_CREATED &&
            !table_find(&seen, (struct key){.a = def->self}))
            found(c->verdict, RULE_IO_STATE, definition_place(c, d),
                  "handle %u is flagged as pre-created, and has no state", def->self);
    }
    table_fini(&seen);
}

/* Undefined handles and paradigms are the matter of another rule. */
static const struct otf2_def_IoParadigm *interface_of(const struct check *c, uint32_t number)
{
    const struct otf2_def_IoHandle *handle =
        defined_as(c, OTF2_REF_IoHandle, number, OTF2_DEF_IoHandle);
    return handle ? defined_as(c, OTF2_REF_IoParadigm, handle->ioParadigm, OTF2_DEF_IoParadigm)
                  : NULL;
}

/*
 * Tools know an interface by the interface's identification. More interfaces than the numbers allow
 * must repeat a number.
 */
static void check_interfaces(struct check *c)
{
    const struct otf2_def_IoParadigm *before[UINT8_MAX + 1];
    size_t n = 0;
    each_definition(c, d, IoParadigm)
    {
        const struct otf2_def_IoParadigm *def = d->data;
        const char *name = text_of(c, def->identification);
        for (size_t i = 0; i < n; i++)
            if (strcmp(name, text_of(c, before[i]->identification)) == 0)
                found(c->verdict, RULE_IO_PARADIGM, definition_place(c, d),
                      "interfaces %u and %u are both \"%.60s\"", before[i]->self, def->self, name);
        if (n <= UINT8_MAX)
            before[n++] = def;
    }
}

/*
 * A handle's interface is above the interface of the parent handle; the lowest interface is the
 * operating system.
 */
static void check_handle_parents(struct check *c)
{
    each_definition(c, d, IoHandle)
    {
        const struct otf2_def_IoHandle *def = d->data;
        const struct otf2_def_IoParadigm *own = interface_of(c, def->self);
        const struct otf2_def_IoParadigm *above = interface_of(c, def->parent);
        if (own && above && !(own->ioParadigmFlags & OTF2_IO_PARADIGM_FLAG_OS) &&
            above->ioParadigmFlags & OTF2_IO_PARADIGM_FLAG_OS)
            found(c->verdict, RULE_IO_PARENT, definition_place(c, d),
                  "the parent of handle %u is handle %u, which is of the operating system",
                  def->self, def->parent);
    }
}

/* A process started by a process, or an accelerator's group, names the creating group. */
static void check_creators(struct check *c)
{
    each_definition(c, d, LocationGroup)
    {
        const struct otf2_def_LocationGroup *def = d->data;
        if (def->locationGroupType == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR &&
            def->creatingLocationGroup != OTF2_UNDEFINED_LOCATION_GROUP) {
            const struct otf2_def_LocationGroup *creator =
                defined_as(c, OTF2_REF_LocationGroup, def->creatingLocationGroup,
                           OTF2_DEF_LocationGroup);
            if (creator && creator->locationGroupType == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR)
                found(c->verdict, RULE_LOCATION_CREATOR, definition_place(c, d),
                      "accelerator group %u was created by accelerator group %u", def->self,
                      creator->self);
        }
    }
}

void check_definitions(struct check *c)
{
    check_counts(c);
    check_clock(c);
    check_paradigms(c);
    check_unified(c);
    check_locations(c);
    check_creators(c);
    check_properties(c);
    devices_missing(c);
    check_regions(c);
    check_callpath_parameters(c);
    check_pre_created(c);
    check_interfaces(c);
    check_handle_parents(c);
    check_groups(c);
    check_topologies(c);
    check_metric_definitions(c);
}
