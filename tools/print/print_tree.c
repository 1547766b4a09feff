/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/fail.h"
#include "tools/base/stream_fault.h"
#include "tools/print/print_definitions.h"
#include "tools/print/print_enums.h"
#include "tools/print/print_graph.h"
#include "tools/print/print_options.h"
#include "tools/print/print_values.h"

static FILE *file;
static char *path;

/*
 * A regular file of the present user without further names: a second name could belong to a file
 * elsewhere.
 */
static bool is_earlier(int fd)
{
    struct stat info;
    if (fstat(fd, &info))
        return false;
    if (S_ISREG(info.st_mode) && info.st_uid == geteuid() && info.st_nlink == 1)
        return true;
    errno = EEXIST;
    return false;
}

/*
 * Opens a new file, or empties an earlier file of the same name. An archive may be anybody's, and
 * links beside the archive may lead away.
 */
static FILE *open_new(const char *name)
{
    enum { FLAGS = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
    int fd = open(name, FLAGS | O_CREAT | O_EXCL, 0666);
    if (fd < 0 && errno == EEXIST) {
        fd = open(name, FLAGS);
        if (fd >= 0 && (!is_earlier(fd) || ftruncate(fd, 0))) {
            int saved = errno;
            close(fd);
            errno = saved;
            return NULL;
        }
    }
    return fd < 0 ? NULL : fdopen(fd, "w");
}

bool tree_open(const char *anchor_path)
{
    static const char ending[] = ".SystemTree.dot";
    const char *dot = strrchr(anchor_path, '.');
    size_t length = dot ? (size_t)(dot - anchor_path) : strlen(anchor_path);
    path = need_memory(length + sizeof ending);
    memcpy(path, anchor_path, length);
    memcpy(path + length, ending, sizeof ending);
    file = open_new(path);
    if (!file)
        return false;
    fputs("/* This is the graph representation of the system tree. */\n"
          "digraph SystemTree\n{\n",
          file);
    return true;
}

const char *tree_path(void)
{
    return path;
}

/* ---- texts ---- */

const char *tree_name(OTF2_StringRef string)
{
    const char *name = string_of(string);
    return name ? name : "(null)";
}

/* The text printed since `start`, taken out of the output again; lasts until the next call. */
static const char *taken(size_t which, const char *start)
{
    static char texts[2][512];
    size_t length_all = (size_t)(output.next - start);
    size_t length = length_all;
    length = length < sizeof texts[0] ? length : sizeof texts[0] - 1;
    memcpy(texts[which], start, length);
    texts[which][length] = '\0';
    output.next -= length_all;
    return texts[which];
}

const char *tree_enum(enum otf2_enum which, uint32_t value)
{
    output_flush();
    const char *start = output.next;
    put_enum(which, value);
    return taken(0, start);
}

const char *tree_value(OTF2_Type type, OTF2_AttributeValue value)
{
    int kind = value_reference(type);
    if (kind >= 0) {
        uint64_t id = kind == OTF2_REF_Location ? value.uint64 : value.uint32;
        const struct definition *definition = definition_find((unsigned)kind, id);
        if (is_undefined((unsigned)kind, id))
            return "UNDEFINED";
        return definition && definition->name ? definition->name : "(null)";
    }
    output_flush();
    const char *start = output.next;
    put_value(type, value);
    return taken(1, start);
}

/* ---- nodes ---- */

static void row(const char *indent, const char *label, const char *text)
{
    fprintf(file,
            "%s               <TR><TD ALIGN=\"RIGHT\">%s</TD><TD ALIGN=\"LEFT\">%s</TD></TR>\n",
            indent, label, text);
}

static void begin_node(const char *indent, const char *prefix, uint64_t id)
{
    fprintf(file,
            "%s    %s%llu [\n"
            "%s        label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\">\n",
            indent, prefix, (unsigned long long)id, indent);
}

static void end_node(const char *indent, const char *shape)
{
    fprintf(file, "%s              </TABLE>>\n%s        shape=%s\n%s    ];\n", indent, indent,
            shape, indent);
}

/*
 * A node of the tree, named by a letter and the id: two rows of a name and a value, a row for the
 * id, and a shape.
 */
static void put_node(const char *letter, uint64_t id, const char *rows[4], const char *shape)
{
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)id);
    begin_node("", letter, id);
    row("", rows[0], rows[1]);
    row("", rows[2], rows[3]);
    row("", "ID", number);
    end_node("", shape);
}

static void put_edge(const char *from_letter, uint64_t from, const char *letter, uint64_t id,
                     const char *more)
{
    if (from != OTF2_UNDEFINED_UINT32)
        fprintf(file, "    %s%llu -> %s%llu [dir=back%s];\n", from_letter, (unsigned long long)from,
                letter, (unsigned long long)id, more);
}

static void add_tree_node(const void *data)
{
    const struct otf2_def_SystemTreeNode *def = data;
    const char *rows[] = {"Class", tree_name(def->className), "Name", tree_name(def->name)};
    put_node("n", def->self, rows, "ellipse");
    put_edge("n", def->parent, "n", def->self, "");
}

static void add_location_group(const void *data)
{
    const struct otf2_def_LocationGroup *def = data;
    const char *rows[] = {"Name", tree_name(def->name), "Type",
                          tree_enum(OTF2_ENUM_LocationGroupType, def->locationGroupType)};
    put_node("g", def->self, rows, "hexagon");
    put_edge("n", def->systemTreeParent, "g", def->self, "");
    put_edge("g", def->creatingLocationGroup, "g", def->self, ", style=dashed");
}

static void add_location(const void *data)
{
    const struct otf2_def_Location *def = data;
    const char *rows[] = {"Name", tree_name(def->name), "Type",
                          tree_enum(OTF2_ENUM_LocationType, def->locationType)};
    put_node("l", def->self, rows, "diamond");
    put_edge("g", def->locationGroup, "l", def->self, "");
}

/* ---- attachments of nodes; each kind has its own counter ---- */

struct attached {
    const char *letter; /* of the node */
    const char *own;    /* of the attachment */
    uint64_t node;
    uint64_t number;
};

static void begin_attached(const struct attached *to)
{
    fprintf(file, "    subgraph {\n        rank = same;\n        %s%llu;\n", to->letter,
            (unsigned long long)to->node);
    begin_node("    ", to->own, to->number);
}

static void end_attached(const struct attached *to)
{
    end_node("    ", "none");
    fprintf(file, "        %s%llu -> %s%llu;\n    }\n", to->own, (unsigned long long)to->number,
            to->letter, (unsigned long long)to->node);
}

static void add_domain(const void *data)
{
    const struct otf2_def_SystemTreeNodeDomain *def = data;
    static uint64_t n;
    struct attached to = {"n", "nd", def->systemTreeNode, n++};
    begin_attached(&to);
    row("    ", "Domain", tree_enum(OTF2_ENUM_SystemTreeDomain, def->systemTreeDomain));
    end_attached(&to);
}

static void add_property(const struct attached *to, OTF2_StringRef name, OTF2_Type type,
                         OTF2_AttributeValue value)
{
    begin_attached(to);
    row("    ", "Name", tree_name(name));
    row("    ", "Value", tree_value(type, value));
    row("    ", "Type", tree_enum(OTF2_ENUM_Type, type));
    end_attached(to);
}

static void add_tree_node_property(const void *data)
{
    const struct otf2_def_SystemTreeNodeProperty *def = data;
    static uint64_t n;
    struct attached to = {"n", "np", def->systemTreeNode, n++};
    add_property(&to, def->name, def->type, def->value);
}

static void add_location_group_property(const void *data)
{
    const struct otf2_def_LocationGroupProperty *def = data;
    static uint64_t n;
    struct attached to = {"g", "gp", def->locationGroup, n++};
    add_property(&to, def->name, def->type, def->value);
}

static void add_location_property(const void *data)
{
    const struct otf2_def_LocationProperty *def = data;
    static uint64_t n;
    struct attached to = {"l", "lp", def->location, n++};
    add_property(&to, def->name, def->type, def->value);
}

static void (*const add_functions[OTF2_DEFS])(const void *data) = {
    [OTF2_DEF_SystemTreeNode] = add_tree_node,
    [OTF2_DEF_SystemTreeNodeDomain] = add_domain,
    [OTF2_DEF_SystemTreeNodeProperty] = add_tree_node_property,
    [OTF2_DEF_LocationGroup] = add_location_group,
    [OTF2_DEF_LocationGroupProperty] = add_location_group_property,
    [OTF2_DEF_Location] = add_location,
    [OTF2_DEF_LocationProperty] = add_location_property,
};

void tree_add(enum otf2_def_index record, const void *data)
{
    if (!options.as_3_0)
        graph_add(record, data);
    else if (add_functions[record])
        add_functions[record](data);
}

static const char legend[] = "    subgraph cluster_legend {\n"
                             "        n [label=\"System tree node\", shape=ellipse];\n"
                             "        {\n"
                             "            rank=same;\n"
                             "            g [label=\"Location group\", shape=hexagon];\n"
                             "            gc [label=\"Child location group\", shape=hexagon];\n"
                             "            g->gc [label=\"creator\", dir=back, style=dashed];\n"
                             "        }\n"
                             "        l [label=\"Location\", shape=diamond];\n"
                             "        n -> g [label=\"parent\", dir=back];\n"
                             "        g -> l [label=\"parent\", dir=back];\n"
                             "        label=\"Legend\";\n"
                             "    }\n"
                             "}\n";

const char *tree_close(void)
{
    if (options.as_3_0)
        fputs(legend, file);
    else
        graph_write(file);
    const char *fault = stream_end(file);
    file = NULL;
    return fault;
}

static void tell_as_3_0(const char *anchor_path)
{
    const char *texts[] = {"\nGenerate system tree dot graph for \"",
                           anchor_path,
                           "\".\n\nDot file written to \"",
                           path,
                           "\".\n\nTo generate an image from the dot file run:\n\"dot -Tpng ",
                           path,
                           " -o SystemTree.png\"\n\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        put_string(texts[i]);
}

void tree_tell(const char *anchor_path)
{
    if (options.as_3_0) {
        tell_as_3_0(anchor_path);
        return;
    }
    int length = (int)(strlen(path) - strlen(".dot"));
    put_string("\nGenerated system tree graph for \"");
    put_string(anchor_path);
    put_string("\".\n\nDot file written to \"");
    put_string(path);
    put_string("\".\n\nTo generate an image from the dot file run any of:\n\n");
    for (unsigned i = 0; i < 2; i++) {
        const char *format = i ? "svg" : "png";
        char *command =
            make_text("    dot -T%s '%s' -o '%.*s.%s'\n\n", format, path, length, path, format);
        put_string(command);
        free(command);
    }
}
