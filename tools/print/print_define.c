/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_define.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/names.h"
#include "tools/print/print_definitions.h"
#include "tools/print/print_options.h"
#include "tools/print/print_ranks.h"
#include "tools/print/print_values.h"

struct print_location *locations;
uint64_t nlocations;

/* A name made of other names; lives until the end. */
__attribute__((format(printf, 1, 2))) static const char *made_name(const char *format, ...)
{
    va_list va;
    va_start(va, format);
    char *name = need_text(format, va);
    va_end(va);
    debug("Allocating memory for String definition.");
    return name;
}

static const char *name_of(unsigned kind, uint64_t id)
{
    const struct definition *definition = definition_find(kind, id);
    return definition ? definition->name : NULL;
}

static const char *or_undefined(const char *name)
{
    return name ? name : "UNDEFINED";
}

static void *copied(const void *data, size_t size)
{
    void *copy = need_memory(size ? size : 1);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

/* ---- one function for each record that is kept in a way of its own ---- */

static void define_clock(const void *data)
{
    const struct otf2_def_ClockProperties *def = data;
    static bool has_clock;
    if (has_clock)
        warning("duplicate ClockProperties");
    if (!def->timerResolution) {
        warning("invalid timer resolution in ClockProperties: 0");
        return;
    }
    if (options.times_are_relative)
        time_origin = def->globalOffset;
    has_clock = true;
}

static void define_string(const void *data)
{
    const struct otf2_def_String *def = data;
    definition_add(OTF2_REF_String, def->self, copied(def->string, strlen(def->string) + 1));
}

static void define_paradigm(const void *data)
{
    const struct otf2_def_Paradigm *def = data;
    const char *name = string_of(def->name);
    if (!name && !options.as_3_0)
        name = otf2_enum_name(OTF2_ENUM_Paradigm, def->paradigm);
    definition_add(DEFINED_PARADIGM, def->paradigm, name);
}

/* Since otf2-print 3.2: the owner of a domain or property. */
static void check_reference(unsigned kind, uint64_t id, const char *name)
{
    if (!options.as_3_0 && !definition_find(kind, id))
        warning("invalid %s reference: %s", name, reference_text(kind, id));
}

#define CHECK_OWNER(Record, Kind, owner)                                                           \
    static void define_##Record(const void *data)                                                  \
    {                                                                                              \
        const struct otf2_def_##Record *def = data;                                                \
        check_reference(OTF2_REF_##Kind, def->owner, #Kind);                                       \
    }
CHECK_OWNER(SystemTreeNodeDomain, SystemTreeNode, systemTreeNode)
CHECK_OWNER(SystemTreeNodeProperty, SystemTreeNode, systemTreeNode)
CHECK_OWNER(LocationGroupProperty, LocationGroup, locationGroup)
CHECK_OWNER(LocationProperty, Location, location)

/* The parent, or the creator, of a node of the system tree: looked for before the node is known. */
struct above {
    unsigned kind;
    uint64_t id;
    const char *what;
    bool is_there;
};

static struct above look_above(unsigned kind, uint64_t id, const char *what)
{
    return (struct above){kind, id, what,
                          is_undefined(kind, id) || definition_find(kind, id) != NULL};
}

/* A new node; since otf2-print 3.2 with warnings about parent and creator. */
static struct definition *add_below(unsigned kind, uint64_t id, const char *name,
                                    const struct above *above, unsigned n)
{
    struct definition *node = definition_replace(kind, id, name);
    /* otf2-print takes the lower half of a location's id. */
    const char *self = reference_text(kind, (uint32_t)id);
    for (unsigned i = 0; i < n && !options.as_3_0 && !is_undefined(kind, id); i++)
        if (!above[i].is_there)
            warning("invalid %s for %s definition: %s", above[i].what, self,
                    reference_text(above[i].kind, above[i].id));
    definition_check_order(kind, node);
    return node;
}

static void define_tree_node(const void *data)
{
    const struct otf2_def_SystemTreeNode *def = data;
    const char *name = made_name("%s::%s", or_undefined(string_of(def->className)),
                                 or_undefined(string_of(def->name)));
    struct above above = look_above(OTF2_REF_SystemTreeNode, def->parent, "parent SystemTreeNode");
    (void)add_below(OTF2_REF_SystemTreeNode, def->self, name, &above, 1);
}

static void define_location_group(const void *data)
{
    const struct otf2_def_LocationGroup *def = data;
    struct above above[] = {look_above(OTF2_REF_SystemTreeNode, def->systemTreeParent,
                                       "parent SystemTreeNode"),
                            look_above(OTF2_REF_LocationGroup, def->creatingLocationGroup,
                                       "creator LocationGroup")};
    (void)add_below(OTF2_REF_LocationGroup, def->self, string_of(def->name), above, 2);
}

static void define_location(const void *data)
{
    const struct otf2_def_Location *def = data;
    static uint64_t room;
    struct above above =
        look_above(OTF2_REF_LocationGroup, def->locationGroup, "parent LocationGroup");
    struct definition *location =
        add_below(OTF2_REF_Location, def->self, string_of(def->name), &above, 1);
    location->location.group = def->locationGroup;
    location->location.type = def->locationType;
    if (nlocations == room) {
        room = room ? 2 * room : 64;
        struct print_location *more = need_memory(room * sizeof *more);
        if (nlocations)
            memcpy(more, locations, nlocations * sizeof *more);
        free(locations);
        locations = more;
    }
    locations[nlocations++] = (struct print_location){def->self, def->numberOfEvents};
}

static void define_callsite(const void *data)
{
    const struct otf2_def_Callsite *def = data;
    definition_add(OTF2_REF_Callsite, def->self, NULL);
}

static void define_callpath(const void *data)
{
    const struct otf2_def_Callpath *def = data;
    definition_add(OTF2_REF_Callpath, def->self, NULL);
}

static const char *rank_types(void)
{
    return options.as_3_0 ? "COMM_LOCATIONS" : "COMM_LOCATIONS/COMM_LOCATION_GROUPS";
}

static void check_comm_group(struct definition *group)
{
    const char *paradigm = paradigm_text(group->group.paradigm);
    const struct group *all = group->group.ranks;
    if (!all) {
        warning("undefined Group(%s) for paradigm %s for Group(COMM_GROUP): %s", rank_types(),
                paradigm, group->shown.bytes);
        return;
    }
    for (uint32_t i = 0; i < group->group.nmembers; i++) {
        uint64_t member = group->group.members[i];
        if (member == OTF2_UNDEFINED_UINT64)
            warning("invalid rank in Group(COMM_GROUP) %s: UNDEFINED", group->shown.bytes);
        else if (member >= all->nmembers)
            warning("invalid rank in Group(COMM_GROUP) %s: %llu", group->shown.bytes,
                    (unsigned long long)member);
    }
}

static void check_comm_self(const struct definition *group)
{
    static bool has_self[UINT8_MAX + 1];
    const char *paradigm = paradigm_text(group->group.paradigm);
    if (!group->group.ranks)
        warning("undefined Group(%s) for paradigm %s for Group(COMM_SELF): %s", rank_types(),
                paradigm, group->shown.bytes);
    else if (has_self[group->group.paradigm])
        warning("duplicate Group(COMM_SELF) for paradigm %s: %s", paradigm, group->shown.bytes);
    has_self[group->group.paradigm] = true;
}

static void define_group(const void *data)
{
    const struct otf2_def_Group *def = data;
    struct definition *group = definition_add(OTF2_REF_Group, def->self, string_of(def->name));
    group->group =
        (struct group){.type = def->groupType,
                       .paradigm = def->paradigm,
                       .flags = def->groupFlags,
                       .nmembers = def->numberOfMembers,
                       .members = copied(def->members, def->numberOfMembers * sizeof *def->members),
                       .ranks = ranks_of(def->paradigm)};
    if (is_undefined(OTF2_REF_Group, def->self))
        return;
    if (def->groupType == OTF2_GROUP_TYPE_COMM_LOCATION_GROUPS && options.as_3_0)
        return;
    switch (def->groupType) {
    case OTF2_GROUP_TYPE_COMM_LOCATION_GROUPS:
    case OTF2_GROUP_TYPE_COMM_LOCATIONS:
        if (ranks_of(def->paradigm))
            warning("duplicate Group(%s) for paradigm %s%s", rank_types(),
                    paradigm_text(def->paradigm), options.as_3_0 ? ": " : "");
        ranks_set(def->paradigm, &group->group);
        break;
    case OTF2_GROUP_TYPE_COMM_GROUP:
        check_comm_group(group);
        break;
    case OTF2_GROUP_TYPE_COMM_SELF:
        check_comm_self(group);
        break;
    default:
        break;
    }
}

static const struct definition *group_of_comm(const struct definition *comm, OTF2_GroupRef id)
{
    const struct definition *group = definition_find(OTF2_REF_Group, id);
    if (group && (group->group.type == OTF2_GROUP_TYPE_COMM_GROUP ||
                  group->group.type == OTF2_GROUP_TYPE_COMM_SELF))
        return group;
    warning("invalid Group reference in Comm/InterComm %s definition: %s", comm->shown.bytes,
            reference_text(OTF2_REF_Group, id));
    return NULL;
}

/* The parent is looked for before the communicator is known, so that it cannot be its own. */
static void check_parent(const struct definition *comm, const struct definition *parent,
                         OTF2_CommRef id)
{
    if (id != OTF2_UNDEFINED_COMM && !parent)
        warning("invalid parent Comm/InterComm for %s definition: %s", comm->shown.bytes,
                reference_text(OTF2_REF_Comm, id));
}

static void define_comm(const void *data)
{
    const struct otf2_def_Comm *def = data;
    const struct definition *parent = definition_find(OTF2_REF_Comm, def->parent);
    struct definition *comm = definition_add(OTF2_REF_Comm, def->self, string_of(def->name));
    if (is_undefined(OTF2_REF_Comm, def->self))
        return;
    comm->comm.group = group_of_comm(comm, def->group);
    check_parent(comm, parent, def->parent);
}

static void define_inter_comm(const void *data)
{
    const struct otf2_def_InterComm *def = data;
    const struct definition *parent = definition_find(OTF2_REF_Comm, def->commonCommunicator);
    struct definition *comm = definition_add(OTF2_REF_Comm, def->self, string_of(def->name));
    if (is_undefined(OTF2_REF_Comm, def->self))
        return;
    comm->comm.group = group_of_comm(comm, def->groupA);
    if (def->groupB != OTF2_UNDEFINED_GROUP)
        comm->comm.other = group_of_comm(comm, def->groupB);
    check_parent(comm, parent, def->commonCommunicator);
}

/* A window's or a topology's communicator. */
static void use_comm(struct definition *user, unsigned kind, OTF2_CommRef id, const char *what)
{
    if (is_undefined(kind, user->id))
        return;
    user->used = definition_find(OTF2_REF_Comm, id);
    if (!user->used)
        warning("undefined Comm definition for %s %s: %s", what, user->shown.bytes,
                reference_text(OTF2_REF_Comm, id));
}

static void define_window(const void *data)
{
    const struct otf2_def_RmaWin *def = data;
    use_comm(definition_add(OTF2_REF_RmaWin, def->self, string_of(def->name)), OTF2_REF_RmaWin,
             def->comm, "RmaWin");
}

static void define_topology(const void *data)
{
    const struct otf2_def_CartTopology *def = data;
    use_comm(definition_add(OTF2_REF_CartTopology, def->self, string_of(def->name)),
             OTF2_REF_CartTopology, def->communicator, "CartTopology");
}

static void define_metric_class(const void *data)
{
    const struct otf2_def_MetricClass *def = data;
    struct definition *metric = definition_add(OTF2_REF_Metric, def->self, NULL);
    metric->metric.n = def->numberOfMetrics;
    metric->metric.members =
        copied(def->metricMembers, def->numberOfMetrics * sizeof *def->metricMembers);
    metric->metric.is_abstract = def->recorderKind == OTF2_RECORDER_KIND_ABSTRACT;
}

/* Since otf2-print 3.2: the parts of a metric instance. */
static void check_instance(const struct otf2_def_MetricInstance *def,
                           const struct definition *class)
{
    static const struct {
        unsigned kind;
        const char *name;
    } scopes[] = {[OTF2_SCOPE_LOCATION] = {OTF2_REF_Location, "Location"},
                  [OTF2_SCOPE_LOCATION_GROUP] = {OTF2_REF_LocationGroup, "LocationGroup"},
                  [OTF2_SCOPE_SYSTEM_TREE_NODE] = {OTF2_REF_SystemTreeNode, "SystemTreeNode"}};
    char self[16];
    snprintf(self, sizeof self, "%s", reference_text(OTF2_REF_Metric, def->self));
    if (!class)
        warning("invalid reference to MetricClass %s in MetricInstance %s",
                reference_text(OTF2_REF_Metric, def->metricClass), self);
    else if (!class->metric.is_abstract)
        warning("MetricInstance %s references the non-abstract MetricClass %s", self,
                class->shown.bytes);
    if (!definition_find(OTF2_REF_Location, def->recorder))
        warning("MetricInstance %s references an unknown Location recorder %s", self,
                reference_text(OTF2_REF_Location, def->recorder));
    if (def->metricScope >= sizeof scopes / sizeof scopes[0])
        return;
    const struct definition *scope = definition_find(scopes[def->metricScope].kind, def->scope);
    if (!scope)
        warning("invalid reference to %s %s in scope of MetricInstance %s",
                scopes[def->metricScope].name,
                reference_text(scopes[def->metricScope].kind, def->scope), self);
    else if (def->metricScope == OTF2_SCOPE_LOCATION &&
             scope->location.type == OTF2_LOCATION_TYPE_METRIC)
        warning("referenced Location %s in scope of MetricInstance %s is of type METRIC",
                scope->shown.bytes, self);
}

static void define_metric_instance(const void *data)
{
    const struct otf2_def_MetricInstance *def = data;
    const struct definition *from = definition_find(OTF2_REF_Metric, def->metricClass);
    struct definition *metric = definition_add(OTF2_REF_Metric, def->self, NULL);
    /* An instance can name the instance itself as class. */
    if (!options.as_3_0)
        check_instance(def, definition_find(OTF2_REF_Metric, def->metricClass));
    if (from)
        metric->metric = from->metric;
}

static void define_source_code_location(const void *data)
{
    const struct otf2_def_SourceCodeLocation *def = data;
    char line[24];
    enum { SHOWN = 10 }; /* of the smallest number the last digit is lost */
    snprintf(line, sizeof line, "%d", (int)def->lineNumber);
    definition_add(OTF2_REF_SourceCodeLocation, def->self,
                   made_name("%s:%.*s", or_undefined(string_of(def->file)), SHOWN, line));
}

/* The region and, without its path, the line. */
static void define_calling_context(const void *data)
{
    const struct otf2_def_CallingContext *def = data;
    if (is_undefined(OTF2_REF_CallingContext, def->self))
        return;
    const char *region = or_undefined(name_of(OTF2_REF_Region, def->region));
    const char *line = name_of(OTF2_REF_SourceCodeLocation, def->sourceCodeLocation);
    const char *name;
    if (line) {
        const char *slash = strrchr(line, '/');
        name = made_name("%s@%s", region, slash ? slash + 1 : line);
    } else {
        name = made_name("%s", region);
    }
    const struct definition *parent = definition_find(OTF2_REF_CallingContext, def->parent);
    struct definition *context = definition_replace(OTF2_REF_CallingContext, def->self, name);
    context->calling_context.caller = parent;
    context->calling_context.parent = def->parent;
    if (def->parent != OTF2_UNDEFINED_CALLING_CONTEXT && !parent)
        warning("invalid parent CallingContext for %s definition: %s", context->shown.bytes,
                reference_text(OTF2_REF_CallingContext, def->parent));
    definition_check_order(OTF2_REF_CallingContext, context);
}

static void define_calling_context_property(const void *data)
{
    const struct otf2_def_CallingContextProperty *def = data;
    if (definition_find(OTF2_REF_CallingContext, def->callingContext))
        debug("Out of memory for an CallingContextProperty definition.");
    else
        warning("invalid CallingContext reference: %s",
                reference_text(OTF2_REF_CallingContext, def->callingContext));
}

static void define_regular_file(const void *data)
{
    const struct otf2_def_IoRegularFile *def = data;
    definition_add(OTF2_REF_IoFile, def->self,
                   made_name("file://%s", or_undefined(string_of(def->name))));
}

static void define_directory(const void *data)
{
    const struct otf2_def_IoDirectory *def = data;
    definition_add(OTF2_REF_IoFile, def->self,
                   made_name("directory://%s", or_undefined(string_of(def->name))));
}

/* A handle without a name is called by paradigm and file. */
static void define_handle(const void *data)
{
    const struct otf2_def_IoHandle *def = data;
    const char *name = string_of(def->name);
    if (!name || !*name)
        name = made_name("[%s]%s", or_undefined(name_of(OTF2_REF_IoParadigm, def->ioParadigm)),
                         or_undefined(name_of(OTF2_REF_IoFile, def->file)));
    definition_add(OTF2_REF_IoHandle, def->self, name);
}

/* Definitions that are their name and nothing else. */
#define NAMED(Name)                                                                                \
    static void define_##Name(const void *data)                                                    \
    {                                                                                              \
        const struct otf2_def_##Name *def = data;                                                  \
        definition_add(OTF2_REF_##Name, def->self, string_of(def->name));                          \
    }
NAMED(Attribute)
NAMED(Region)
NAMED(MetricMember)
NAMED(Parameter)
NAMED(CartDimension)
NAMED(InterruptGenerator)
NAMED(IoParadigm)

static void (*const define_functions[OTF2_DEFS])(const void *data) = {
    [OTF2_DEF_Attribute] = define_Attribute,
    [OTF2_DEF_CallingContext] = define_calling_context,
    [OTF2_DEF_CallingContextProperty] = define_calling_context_property,
    [OTF2_DEF_Callpath] = define_callpath,
    [OTF2_DEF_Callsite] = define_callsite,
    [OTF2_DEF_CartDimension] = define_CartDimension,
    [OTF2_DEF_CartTopology] = define_topology,
    [OTF2_DEF_ClockProperties] = define_clock,
    [OTF2_DEF_Comm] = define_comm,
    [OTF2_DEF_Group] = define_group,
    [OTF2_DEF_InterComm] = define_inter_comm,
    [OTF2_DEF_InterruptGenerator] = define_InterruptGenerator,
    [OTF2_DEF_IoDirectory] = define_directory,
    [OTF2_DEF_IoHandle] = define_handle,
    [OTF2_DEF_IoParadigm] = define_IoParadigm,
    [OTF2_DEF_IoRegularFile] = define_regular_file,
    [OTF2_DEF_Location] = define_location,
    [OTF2_DEF_LocationGroup] = define_location_group,
    [OTF2_DEF_MetricClass] = define_metric_class,
    [OTF2_DEF_MetricInstance] = define_metric_instance,
    [OTF2_DEF_MetricMember] = define_MetricMember,
    [OTF2_DEF_Paradigm] = define_paradigm,
    [OTF2_DEF_Parameter] = define_Parameter,
    [OTF2_DEF_Region] = define_Region,
    [OTF2_DEF_RmaWin] = define_window,
    [OTF2_DEF_SourceCodeLocation] = define_source_code_location,
    [OTF2_DEF_String] = define_string,
    [OTF2_DEF_LocationGroupProperty] = define_LocationGroupProperty,
    [OTF2_DEF_LocationProperty] = define_LocationProperty,
    [OTF2_DEF_SystemTreeNode] = define_tree_node,
    [OTF2_DEF_SystemTreeNodeDomain] = define_SystemTreeNodeDomain,
    [OTF2_DEF_SystemTreeNodeProperty] = define_SystemTreeNodeProperty,
};

void define(enum otf2_def_index record, const void *data)
{
    if (define_functions[record])
        define_functions[record](data);
}
