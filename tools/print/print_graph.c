/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_graph.h"

#include <stdlib.h>

#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/print/print_definitions.h"
#include "tools/print/print_tree.h"

/* The kinds of nodes in the order of the drawing; their ids begin with these letters. */
enum kind { NODE, GROUP, LOCATION, KINDS };
static const char letters[KINDS] = {'N', 'G', 'L'};
static const char *const titles[KINDS] = {"SYSTEM_TREE_NODE", "LOCATION_GROUP", "LOCATION"};

enum section { DOMAINS, PROPERTIES, RANKS, METRICS, SECTIONS };
static const struct {
    const char *title;
    int columns;
} sections[SECTIONS] = {{"Domains", 1},
                        {"Properties", 3},
                        {"Paradigm Ranks", 2},
                        {"Recorded Metrics", 3}};

typedef LIST(char *) text_list;

/* What a node has; its texts may be defined later. */
struct property {
    OTF2_StringRef name;
    OTF2_Type type;
    OTF2_AttributeValue value;
};

struct metric {
    OTF2_MetricRef self;
    uint32_t member;
    enum kind
        from; /* and the id of the recorder: an edge comes from there, unless it is the node */
    uint64_t recorder;
};

struct rank {
    OTF2_Paradigm paradigm;
    uint32_t number;
};

struct node {
    uint64_t id;
    char *head; /* the first row */
    LIST(struct property) properties;
    LIST(struct rank) ranks;
    LIST(struct metric) metrics;
    text_list rows[SECTIONS];
    text_list edges; /* to the node */
    bool has_metrics;
    OTF2_LocationType type;
    uint64_t group; /* of a location */
};

static LIST(struct node) nodes[KINDS];
static struct map by_id; /* kind, id */

/* Metric members by id: the texts of a row. */
static struct map member_ids;
static text_list member_rows;

static struct node *find(enum kind kind, uint64_t id)
{
    uint32_t index = map_find(&by_id, kind, id);
    return index == NIL ? NULL : &nodes[kind].at[index];
}

static struct node *add(enum kind kind, uint64_t id, const char *type, const char *name)
{
    struct node *node = LIST_ADD(&nodes[kind]);
    *node = (struct node){.id = id};
    node->head = make_text("<td align='left'>%s</td><td align='left'>%s</td>", type, name);
    map_set(&by_id, kind, id, (uint32_t)nodes[kind].n - 1);
    return node;
}

static void add_edge(struct node *node, enum kind from, uint64_t from_id, enum kind kind,
                     const char *port, const char *more)
{
    if (from == LOCATION || from_id != OTF2_UNDEFINED_UINT32)
        *LIST_ADD(&node->edges) = make_text("%cx%llX -> %cx%llX%s [dir=back%s];", letters[from],
                                            (unsigned long long)from_id, letters[kind],
                                            (unsigned long long)node->id, port, more);
}

/* ---- nodes ---- */

static void add_tree_node(const void *data)
{
    const struct otf2_def_SystemTreeNode *def = data;
    struct node *node = add(NODE, def->self, tree_name(def->className), tree_name(def->name));
    add_edge(node, NODE, def->parent, NODE, "", "");
}

static void add_location_group(const void *data)
{
    const struct otf2_def_LocationGroup *def = data;
    const char *type = tree_enum(OTF2_ENUM_LocationGroupType, def->locationGroupType);
    struct node *node = add(GROUP, def->self, type, tree_name(def->name));
    add_edge(node, NODE, def->systemTreeParent, GROUP, "", "");
    add_edge(node, GROUP, def->creatingLocationGroup, GROUP, "",
             ", style=dashed, constraint=false");
}

static void add_location(const void *data)
{
    const struct otf2_def_Location *def = data;
    const char *type = tree_enum(OTF2_ENUM_LocationType, def->locationType);
    struct node *node = add(LOCATION, def->self, type, tree_name(def->name));
    node->type = def->locationType;
    node->group = def->locationGroup;
    add_edge(node, GROUP, def->locationGroup, LOCATION, "", "");
}

/* ---- domains and properties ---- */

static void add_domain(const void *data)
{
    const struct otf2_def_SystemTreeNodeDomain *def = data;
    struct node *node = find(NODE, def->systemTreeNode);
    if (node)
        *LIST_ADD(&node->rows[DOMAINS]) =
            make_text("<td align='left'>%s</td>",
                      tree_enum(OTF2_ENUM_SystemTreeDomain, def->systemTreeDomain));
}

static void add_property(struct node *node, OTF2_StringRef name, OTF2_Type type,
                         OTF2_AttributeValue value)
{
    if (node)
        *LIST_ADD(&node->properties) = (struct property){name, type, value};
}

#define ADD_PROPERTY(Name, kind, owner)                                                            \
    static void add_##Name(const void *data)                                                       \
    {                                                                                              \
        const struct otf2_def_##Name *def = data;                                                  \
        add_property(find(kind, def->owner), def->name, def->type, def->value);                    \
    }
ADD_PROPERTY(SystemTreeNodeProperty, NODE, systemTreeNode)
ADD_PROPERTY(LocationGroupProperty, GROUP, locationGroup)
ADD_PROPERTY(LocationProperty, LOCATION, location)

/* ---- ranks ---- */

/* Of the latest group that gives ranks. */
static OTF2_StringRef rank_names[UINT8_MAX + 1];

static void add_ranks(const void *data)
{
    const struct otf2_def_Group *def = data;
    enum kind kind = def->groupType == OTF2_GROUP_TYPE_COMM_LOCATIONS ? LOCATION : GROUP;
    if (kind == GROUP && def->groupType != OTF2_GROUP_TYPE_COMM_LOCATION_GROUPS)
        return;
    rank_names[def->paradigm] = def->name;
    for (uint32_t i = 0; i < def->numberOfMembers; i++) {
        struct node *node = find(kind, def->members[i]);
        if (node)
            *LIST_ADD(&node->ranks) = (struct rank){def->paradigm, i};
    }
}

/* ---- metrics ---- */

static void add_member(const void *data)
{
    const struct otf2_def_MetricMember *def = data;
    map_set(&member_ids, 0, def->self, (uint32_t)member_rows.n);
    *LIST_ADD(&member_rows) =
        make_text("align='left'>%s</td><td align='left'>%s</td><td align='left'>%s</td>",
                  tree_name(def->name), tree_enum(OTF2_ENUM_Type, def->valueType),
                  tree_name(def->unit));
}

/* A row for each member of a class or instance; an edge from the recorder to the row. */
static void add_metric(struct node *node, OTF2_MetricRef self, enum kind from, uint64_t recorder)
{
    const struct definition *metric = definition_find(OTF2_REF_Metric, self);
    node->has_metrics = true;
    for (uint32_t i = 0; metric && i < metric->metric.n; i++)
        *LIST_ADD(&node->metrics) =
            (struct metric){self, metric->metric.members[i], from, recorder};
}

/* A class is recorded by all locations of its kind. */
static void add_metric_class(const void *data)
{
    const struct otf2_def_MetricClass *def = data;
    OTF2_LocationType type =
        def->recorderKind == OTF2_RECORDER_KIND_CPU   ? OTF2_LOCATION_TYPE_CPU_THREAD
        : def->recorderKind == OTF2_RECORDER_KIND_GPU ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                                      : OTF2_LOCATION_TYPE_UNKNOWN;
    for (size_t i = 0; type && i < nodes[LOCATION].n; i++) {
        struct node *node = &nodes[LOCATION].at[i];
        if (node->type == type)
            add_metric(node, def->self, LOCATION, node->id);
    }
}

/* Locations that record nothing but metrics are not drawn: their groups stand for them. */
static void add_metric_instance(const void *data)
{
    const struct otf2_def_MetricInstance *def = data;
    static const enum kind scopes[] = {[OTF2_SCOPE_LOCATION] = LOCATION,
                                       [OTF2_SCOPE_LOCATION_GROUP] = GROUP,
                                       [OTF2_SCOPE_SYSTEM_TREE_NODE] = NODE};
    const struct node *recorder = find(LOCATION, def->recorder);
    if (def->metricScope >= sizeof scopes / sizeof scopes[0])
        return;
    enum kind kind = scopes[def->metricScope];
    struct node *node = find(kind, def->scope);
    bool is_itself = !recorder || recorder->type != OTF2_LOCATION_TYPE_METRIC;
    uint64_t from = !recorder ? def->scope : is_itself ? recorder->id : recorder->group;
    if (node)
        add_metric(node, def->self, is_itself ? LOCATION : GROUP, from);
}

void graph_add(enum otf2_def_index record, const void *data)
{
    static void (*const functions[OTF2_DEFS])(const void *data) = {
        [OTF2_DEF_SystemTreeNode] = add_tree_node,
        [OTF2_DEF_SystemTreeNodeDomain] = add_domain,
        [OTF2_DEF_SystemTreeNodeProperty] = add_SystemTreeNodeProperty,
        [OTF2_DEF_LocationGroup] = add_location_group,
        [OTF2_DEF_LocationGroupProperty] = add_LocationGroupProperty,
        [OTF2_DEF_Location] = add_location,
        [OTF2_DEF_LocationProperty] = add_LocationProperty,
        [OTF2_DEF_Group] = add_ranks,
        [OTF2_DEF_MetricMember] = add_member,
        [OTF2_DEF_MetricClass] = add_metric_class,
        [OTF2_DEF_MetricInstance] = add_metric_instance,
    };
    if (functions[record])
        functions[record](data);
}

/* ---- the drawing ---- */

static void begin_table(FILE *file)
{
    fputs("            <tr><td><table border='0' cellborder='1' cellspacing='0'>\n", file);
}

static void put_row(FILE *file, const char *cells)
{
    fprintf(file, "                <tr>%s</tr>\n", cells);
}

static void end_table(FILE *file)
{
    fputs("            </table></td></tr>\n", file);
}

static void put_section(FILE *file, const struct node *node, enum section which)
{
    const text_list *rows = &node->rows[which];
    if (!rows->n && !(which == METRICS && node->has_metrics))
        return;
    begin_table(file);
    fprintf(file, "                <tr><td align='left' colspan='%d'><b>%s</b></td></tr>\n",
            sections[which].columns, sections[which].title);
    for (size_t i = 0; i < rows->n; i++)
        put_row(file, rows->at[i]);
    end_table(file);
}

static void list_metric(struct node *node, enum kind kind, const struct metric *metric)
{
    uint32_t row = map_find(&member_ids, 0, metric->member);
    if (row == NIL)
        return;
    char *port = make_text(":Cx%X_Mx%X", metric->self, metric->member);
    *LIST_ADD(&node->rows[METRICS]) = make_text("<td port='%s' %s", port + 1, member_rows.at[row]);
    if (metric->recorder != node->id)
        add_edge(node, metric->from, metric->recorder, kind, port,
                 ", style=dotted, constraint=false");
    free(port);
}

/* Makes the rows of a node. */
static void list_rows(struct node *node, enum kind kind)
{
    for (size_t i = 0; i < node->properties.n; i++) {
        const struct property *p = &node->properties.at[i];
        bool is_number = p->type >= OTF2_TYPE_UINT8 && p->type <= OTF2_TYPE_DOUBLE;
        *LIST_ADD(&node->rows[PROPERTIES]) =
            make_text("<td align='left'>%s</td><td align='left'>%s</td><td align='%s'>%s</td>",
                      tree_name(p->name), tree_enum(OTF2_ENUM_Type, p->type),
                      is_number ? "right" : "left", tree_value(p->type, p->value));
    }
    for (size_t i = 0; i < node->ranks.n; i++)
        *LIST_ADD(&node->rows[RANKS]) =
            make_text("<td align='left'>%s</td><td align='right'>%u</td>",
                      tree_name(rank_names[node->ranks.at[i].paradigm]), node->ranks.at[i].number);
    for (size_t i = 0; i < node->metrics.n; i++)
        list_metric(node, kind, &node->metrics.at[i]);
}

static void put_node(FILE *file, enum kind kind, struct node *node)
{
    list_rows(node, kind);
    fprintf(file,
            "    %cx%llX [\n        label=<\n"
            "            <table border='0' cellborder='0' cellspacing='0' cellpadding='0'>\n",
            letters[kind], (unsigned long long)node->id);
    begin_table(file);
    fprintf(file,
            "                <tr><td align='left' sides='ltb'><b>%s</b></td>"
            "<td align='right' sides='tbr'>%llu</td></tr>\n",
            titles[kind], (unsigned long long)node->id);
    end_table(file);
    begin_table(file);
    put_row(file, node->head);
    end_table(file);
    for (enum section i = 0; i < SECTIONS; i++)
        put_section(file, node, i);
    fputs("            </table>\n        >\n    ];\n", file);
    for (size_t i = 0; i < node->edges.n; i++)
        fprintf(file, "    %s\n", node->edges.at[i]);
}

static bool is_drawn(enum kind kind, const struct node *node)
{
    return kind == LOCATION ? node->type != OTF2_LOCATION_TYPE_METRIC
                            : node->id != OTF2_UNDEFINED_UINT32;
}

void graph_write(FILE *file)
{
    fputs("    node [shape=plaintext]\n", file);
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < nodes[kind].n; i++)
            if (is_drawn(kind, &nodes[kind].at[i]))
                put_node(file, kind, &nodes[kind].at[i]);
    fputs("}\n", file);
}
