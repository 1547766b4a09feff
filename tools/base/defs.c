/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading of the definitions; defs_names.c answers questions about the definitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/defs.h"
#include "tools/base/event_callbacks.h"

#include "session/properties.h"
#include "wrappers/device/device_marks.h"

#define DEFS(user) struct defs *d = (user)

static uint32_t add_id(struct defs *d, enum defs_kind kind, uint64_t id, size_t index)
{
    map_set(&d->by_id, kind, id, (uint32_t)index);
    return (uint32_t)index;
}

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t start, uint64_t length,
                                  uint64_t realtime)
{
    DEFS(user);
    d->clock = (struct clock){resolution ? resolution : 1, start, length, realtime};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *string)
{
    DEFS(user);
    add_id(d, DEFS_TEXT, self, d->texts.n);
    *LIST_ADD(&d->texts) = copy_text(string);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
    DEFS(user);
    (void)class_name;
    add_id(d, DEFS_NODE, self, d->nodes.n);
    *LIST_ADD(&d->nodes) = (struct system_node){.name = name, .parent = parent};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_domain(void *user, OTF2_SystemTreeNodeRef node,
                                   OTF2_SystemTreeDomain domain)
{
    DEFS(user);
    uint32_t index = map_find(&d->by_id, DEFS_NODE, node);
    bool is_host = domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY;
    d->n_nodes += is_host;
    if (is_host && index != NIL)
        d->nodes.at[index].is_host = true;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_process(void *user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                    OTF2_LocationGroupRef creator)
{
    DEFS(user);
    uint32_t node = map_find(&d->by_id, DEFS_NODE, parent);
    add_id(d, DEFS_PROCESS, self, d->processes.n);
    *LIST_ADD(&d->processes) = (struct process){
        .id = self,
        .name = name,
        .rank = NIL,
        .main = NIL,
        .creator_id = creator,
        .creator = NIL,
        .is_device = type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
        .command = OTF2_UNDEFINED_STRING,
        .stopped = OTF2_UNDEFINED_STRING,
        .stopped_at = UINT64_MAX,
        .filtered = OTF2_UNDEFINED_STRING,
        .mpi_groups = OTF2_UNDEFINED_STRING,
        .rings = OTF2_UNDEFINED_STRING,
        .end = OTF2_UNDEFINED_STRING,
        .end_seen_by = OTF2_UNDEFINED_STRING,
        .batch = OTF2_UNDEFINED_STRING,
        .job = OTF2_UNDEFINED_STRING,
        .crash_stack = OTF2_UNDEFINED_STRING,
        .crash_cause = OTF2_UNDEFINED_STRING,
        .crash_place = OTF2_UNDEFINED_STRING,
        .placement = OTF2_UNDEFINED_STRING,
        .usage = OTF2_UNDEFINED_STRING,
        .crashed = OTF2_UNDEFINED_LOCATION,
        .node = node == NIL ? OTF2_UNDEFINED_STRING : d->nodes.at[node].name,
        .host = node,
    };
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_property(void *user, OTF2_LocationGroupRef group, OTF2_StringRef name,
                                     OTF2_Type type, OTF2_AttributeValue value)
{
    DEFS(user);
    uint32_t process = map_find(&d->by_id, DEFS_PROCESS, group);
    if (process != NIL)
        defs_set_property(d, process, defs_text(d, name), type, value);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t n_events,
                                     OTF2_LocationGroupRef group)
{
    DEFS(user);
    if (map_find(&d->by_id, DEFS_LOCATION, self) != NIL)
        return OTF2_CALLBACK_SUCCESS;
    uint32_t process = map_find(&d->by_id, DEFS_PROCESS, group);
    if (process == NIL) {
        on_process(user, group, OTF2_UNDEFINED_STRING, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                   OTF2_UNDEFINED_SYSTEM_TREE_NODE, OTF2_UNDEFINED_LOCATION_GROUP);
        process = (uint32_t)d->processes.n - 1;
    }
    uint32_t index = add_id(d, DEFS_LOCATION, self, d->locations.n);
    *LIST_ADD(&d->locations) = (struct location){self, name, type, n_events, process, 0, 0};
    struct process *p = &d->processes.at[process];
    if (p->main == NIL)
        p->main = index;
    p->n_threads++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_property(void *user, OTF2_LocationRef location,
                                              OTF2_StringRef name, OTF2_Type type,
                                              OTF2_AttributeValue value)
{
    DEFS(user);
    uint32_t index = map_find(&d->by_id, DEFS_LOCATION, location);
    const char *key = defs_text(d, name);
    if (index == NIL)
        return OTF2_CALLBACK_SUCCESS;
    struct location *l = &d->locations.at[index];
    if (!strcmp(key, SPUR_SAYS_DROPPED_EVENTS)) {
        d->processes.at[l->process].has_dropped = true;
        l->n_dropped = type == OTF2_TYPE_UINT64 ? value.uint64 : 0;
    } else if (type == OTF2_TYPE_UINT64 && !strcmp(key, SPUR_SAYS_DROPPED_BEFORE)) {
        l->dropped_until = value.uint64;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter(void *user, OTF2_ParameterRef self, OTF2_StringRef name,
                                      OTF2_ParameterType type)
{
    DEFS(user);
    const struct {
        const char *name;
        uint32_t *to;
    } known[] = {
        {"spur::open", &d->stands[STAND_OPEN]},     {"spur::waits", &d->stands[STAND_WAITS]},
        {"spur::posted", &d->stands[STAND_POSTED]}, {"spur::sends", &d->stands[STAND_SENDS]},
        {"spur::comm", &d->stands[STAND_COMM]},     {"spur::peer", &d->stands[STAND_PEER]},
        {"spur::tag", &d->stands[STAND_TAG]},       {"MPI ordinal", &d->ordinal},
        {"MPI not recorded", &d->missed},           {DEVICE_CORRELATION, &d->launch_id},
        {SPUR_PARAMETER_HELD_LOCK, &d->held_lock},  {SPUR_PARAMETER_HELD_SINCE, &d->held_since},
        {SPUR_PARAMETER_HELD_BY, &d->held_by}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(defs_text(d, name), known[i].name))
            *known[i].to = self;
    (void)type;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
    DEFS(user);
    (void)canonical, (void)flags, (void)end;
    uint32_t index = defs_region(d, self); /* the list may move */
    d->regions.at[index] = (struct region){.id = self,
                                           .name = name,
                                           .description = description,
                                           .file = file,
                                           .line = begin,
                                           .role = role,
                                           .paradigm = paradigm,
                                           .is_defined = true,
                                           .twin = NIL};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t n, const uint64_t *members)
{
    DEFS(user);
    (void)name, (void)flags;
    size_t room = 0;
    struct group group = {.type = type, .paradigm = paradigm, .n = n};
    group.members = list_grow(NULL, &room, n ? n : 1, sizeof *members);
    if (n)
        memcpy(group.members, members, n * sizeof *members);
    if (group_gives_ranks(type))
        add_id(d, DEFS_LOCATIONS, paradigm, d->groups.n);
    if (group_gives_ranks(type) && paradigm == OTF2_PARADIGM_MPI)
        d->world = (uint32_t)d->groups.n;
    add_id(d, DEFS_GROUP, self, d->groups.n);
    *LIST_ADD(&d->groups) = group;
    return OTF2_CALLBACK_SUCCESS;
}

static void set_comm(struct defs *d, struct comm comm)
{
    uint32_t index = defs_comm(d, comm.id);
    d->comms.at[index] = comm;
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)parent, (void)flags;
    set_comm(user, (struct comm){self, name, group, OTF2_UNDEFINED_GROUP, false, true});
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_inter_comm(void *user, OTF2_CommRef self, OTF2_StringRef name,
                                       OTF2_GroupRef group_a, OTF2_GroupRef group_b,
                                       OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)common, (void)flags;
    set_comm(user, (struct comm){self, name, group_a, group_b, true, true});
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_member(void *user, OTF2_MetricMemberRef self,
                                          OTF2_StringRef name, OTF2_StringRef description,
                                          OTF2_MetricType type, OTF2_MetricMode mode,
                                          OTF2_Type value_type, OTF2_Base base, int64_t exponent,
                                          OTF2_StringRef unit)
{
    DEFS(user);
    (void)description, (void)type, (void)value_type;
    add_id(d, DEFS_MEMBER, self, d->members.n);
    *LIST_ADD(&d->members) = (struct metric_member){
        .name = name, .mode = mode, .base = base, .exponent = exponent, .unit = unit};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_class(void *user, OTF2_MetricRef self, uint8_t n,
                                         const OTF2_MetricMemberRef *members,
                                         OTF2_MetricOccurrence occurrence,
                                         OTF2_RecorderKind recorder)
{
    DEFS(user);
    (void)occurrence, (void)recorder;
    size_t room = 0;
    struct metric_class class = {.instance_of = OTF2_UNDEFINED_METRIC, .n = n};
    class.members = list_grow(NULL, &room, n ? n : 1, sizeof *class.members);
    if (n)
        memcpy(class.members, members, n * sizeof *class.members);
    add_id(d, DEFS_CLASS, self, d->classes.n);
    *LIST_ADD(&d->classes) = class;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_instance(void *user, OTF2_MetricRef self, OTF2_MetricRef class,
                                            OTF2_LocationRef recorder, OTF2_MetricScope scope_type,
                                            uint64_t scope)
{
    DEFS(user);
    (void)recorder, (void)scope_type, (void)scope;
    add_id(d, DEFS_CLASS, self, d->classes.n);
    *LIST_ADD(&d->classes) = (struct metric_class){.instance_of = class};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context(void *user, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                    OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef parent)
{
    DEFS(user);
    add_id(d, DEFS_CONTEXT, self, d->contexts.n);
    *LIST_ADD(&d->contexts) = (struct context){region, parent, NIL, NIL, place, NIL, NIL, NIL, NIL};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_generator(void *user, OTF2_InterruptGeneratorRef self,
                                      OTF2_StringRef name, OTF2_InterruptGeneratorMode mode,
                                      OTF2_Base base, int64_t exponent, uint64_t period)
{
    DEFS(user);
    double scale = pow(base == OTF2_BASE_BINARY ? 2.0 : 10.0, (double)exponent);
    double seconds = mode == OTF2_INTERRUPT_GENERATOR_MODE_TIME ? scale * (double)period : 0.0;
    add_id(d, DEFS_GENERATOR, self, d->generators.n);
    *LIST_ADD(&d->generators) = (struct generator){name, seconds, period};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_file(void *user, OTF2_IoFileRef self, OTF2_StringRef name,
                                 OTF2_SystemTreeNodeRef scope)
{
    DEFS(user);
    (void)scope;
    add_id(d, DEFS_FILE, self, d->files.n);
    *LIST_ADD(&d->files) = name;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_handle(void *user, OTF2_IoHandleRef self, OTF2_StringRef name,
                                   OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
                                   OTF2_IoHandleFlag flags, OTF2_CommRef comm,
                                   OTF2_IoHandleRef parent)
{
    DEFS(user);
    (void)flags, (void)parent;
    add_id(d, DEFS_HANDLE, self, d->handles.n);
    *LIST_ADD(&d->handles) = (struct io_handle){self, name, file, paradigm, comm};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_io_paradigm(void *user, OTF2_IoParadigmRef self,
                                        OTF2_StringRef identification, OTF2_StringRef name,
                                        OTF2_IoParadigmClass class, OTF2_IoParadigmFlag flags,
                                        uint8_t n, const OTF2_IoParadigmProperty *properties,
                                        const OTF2_Type *types, const OTF2_AttributeValue *values)
{
    DEFS(user);
    (void)identification, (void)flags, (void)n, (void)properties, (void)types, (void)values;
    add_id(d, DEFS_IO_PARADIGM, self, name);
    if (class == OTF2_IO_PARADIGM_CLASS_PARALLEL)
        add_id(d, DEFS_IO_PARALLEL, self, 1);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_handle_state(void *user, OTF2_IoHandleRef self, OTF2_IoAccessMode mode,
                                         OTF2_IoStatusFlag flags)
{
    DEFS(user);
    (void)mode;
    if (flags & OTF2_IO_STATUS_FLAG_APPEND)
        add_id(d, DEFS_IO_APPENDS, self, 1);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_window(void *user, OTF2_RmaWinRef self, OTF2_StringRef name,
                                   OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
    DEFS(user);
    (void)name, (void)flags;
    if (comm != OTF2_UNDEFINED_COMM)
        add_id(d, DEFS_WINDOW, self, comm);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_GlobalDefReaderCallbacks *defs_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *c = there(OTF2_GlobalDefReaderCallbacks_New());
    READ_DEFINITION(ClockProperties, on_clock);
    READ_DEFINITION(String, on_string);
    READ_DEFINITION(SystemTreeNode, on_node);
    READ_DEFINITION(SystemTreeNodeDomain, on_domain);
    READ_DEFINITION(LocationGroup, on_process);
    READ_DEFINITION(LocationGroupProperty, on_property);
    READ_DEFINITION(LocationProperty, on_location_property);
    READ_DEFINITION(Parameter, on_parameter);
    READ_DEFINITION(Location, on_location);
    READ_DEFINITION(Region, on_region);
    READ_DEFINITION(Group, on_group);
    READ_DEFINITION(Comm, on_comm);
    READ_DEFINITION(InterComm, on_inter_comm);
    READ_DEFINITION(RmaWin, on_window);
    READ_DEFINITION(MetricMember, on_metric_member);
    READ_DEFINITION(MetricClass, on_metric_class);
    READ_DEFINITION(MetricInstance, on_metric_instance);
    defs_sites_register(c);
    READ_DEFINITION(CallingContext, on_context);
    READ_DEFINITION(InterruptGenerator, on_generator);
    READ_DEFINITION(IoRegularFile, on_file);
    READ_DEFINITION(IoDirectory, on_file);
    READ_DEFINITION(IoHandle, on_handle);
    READ_DEFINITION(IoPreCreatedHandleState, on_handle_state);
    READ_DEFINITION(IoParadigm, on_io_paradigm);
    return c;
}

void defs_init(struct defs *d)
{
    *d = (struct defs){.clock = {.ticks_per_second = 1},
                       .call_site = OTF2_UNDEFINED_ATTRIBUTE,
                       .calls = OTF2_UNDEFINED_ATTRIBUTE,
                       .taken = OTF2_UNDEFINED_ATTRIBUTE,
                       .given = OTF2_UNDEFINED_ATTRIBUTE,
                       .stands_for = OTF2_UNDEFINED_ATTRIBUTE,
                       .offset = OTF2_UNDEFINED_ATTRIBUTE,
                       .mapped = OTF2_UNDEFINED_ATTRIBUTE,
                       .work_id = OTF2_UNDEFINED_ATTRIBUTE,
                       .work_bytes = OTF2_UNDEFINED_ATTRIBUTE,
                       .work_items = OTF2_UNDEFINED_ATTRIBUTE,
                       .launch_id = NIL,
                       .world = NIL,
                       .ordinal = NIL,
                       .missed = NIL};
    d->held_lock = d->held_since = d->held_by = NIL;
    for (unsigned i = 0; i < STANDS; i++)
        d->stands[i] = NIL;
    for (unsigned i = 0; i < REGIONS_OWN; i++)
        *LIST_ADD(&d->regions) = (struct region){.id = OTF2_UNDEFINED_REGION,
                                                 .name = OTF2_UNDEFINED_STRING,
                                                 .file = OTF2_UNDEFINED_STRING,
                                                 .is_defined = true};
}

/*
 * The rank of a process: the index of the process, or of one of its locations, in the list of what
 * has a rank.
 */
static void set_ranks(struct defs *d)
{
    if (d->world == NIL)
        return;
    const struct group *world = &d->groups.at[d->world];
    for (uint32_t i = world->n; i-- > 0;) {
        uint32_t process = defs_ranked(d, world, world->members[i]);
        if (process == NIL)
            continue;
        d->processes.at[process].rank = i;
        if (world->type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
            d->processes.at[process].main = defs_location(d, world->members[i]);
    }
}

/*
 * Regions of functions that are seen on stacks, and are built with -finstrument-functions. The line
 * of a region may be the line of the function's name, or of its first statement.
 */
static void find_twins(struct defs *d)
{
    struct map known = {0};
    for (size_t i = REGIONS_OWN; i < d->regions.n; i++) {
        const struct region *region = &d->regions.at[i];
        if (region->paradigm == OTF2_PARADIGM_COMPILER)
            map_set(&known, region->name, region->file, (uint32_t)i);
    }
    for (size_t i = 0; i < d->regions.n; i++) {
        struct region *region = &d->regions.at[i];
        region->twin = NIL;
        if (known.n && region->paradigm == OTF2_PARADIGM_SAMPLING)
            region->twin = map_find(&known, region->name, region->file);
    }
    free(known.slots);
}

/*
 * The region of an instrumented function stands below the frame of the same function: joins the
 * two.
 */
static void join_twins(struct defs *d)
{
    for (size_t i = 0; i < d->contexts.n; i++) {
        struct context *c = &d->contexts.at[i];
        const struct context *parent = c->parent == NIL ? NULL : &d->contexts.at[c->parent];
        if (parent && d->regions.at[parent->region].twin == c->region)
            c->parent = parent->parent;
    }
    for (size_t i = 0; i < d->contexts.n; i++) {
        struct context *c = &d->contexts.at[i];
        if (d->regions.at[c->region].twin != NIL)
            c->region = d->regions.at[c->region].twin;
    }
}

/* The host around a node of the system tree. A damaged tree may be a circle. */
static uint32_t host_of(const struct defs *d, uint32_t node)
{
    uint32_t at = node;
    for (size_t i = 0; i < d->nodes.n && at != NIL && !d->nodes.at[at].is_host; i++)
        at = map_find(&d->by_id, DEFS_NODE, d->nodes.at[at].parent);
    return at != NIL && d->nodes.at[at].is_host ? at : node;
}

void defs_finish(struct defs *d)
{
    defs_list_ids(d);
    defs_find_groups(d);
    for (size_t i = 0; i < d->contexts.n; i++) {
        struct context *c = &d->contexts.at[i];
        c->region = defs_region(d, c->region_id);
        c->parent = defs_context(d, c->parent_id);
    }
    for (size_t i = 0; i < d->processes.n; i++) {
        struct process *p = &d->processes.at[i];
        p->creator = map_find(&d->by_id, DEFS_PROCESS, p->creator_id);
        p->host = host_of(d, p->host);
    }
    find_twins(d);
    join_twins(d);
    defs_sites_finish(d);
    for (size_t i = 0; i < d->members.n; i++)
        defs_mean_metric(d, &d->members.at[i]);
    for (size_t i = 0; i < d->classes.n; i++)
        defs_mean_class(d, &d->classes.at[i]);
    for (size_t i = REGIONS_OWN; i < d->regions.n; i++)
        defs_mean(d, &d->regions.at[i]);
    set_ranks(d);
}
