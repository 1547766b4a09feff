/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_definitions.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/print/print_enums.h"
#include "tools/print/print_options.h"

enum { REFERENCE_ROOM = 64 };

/* Ids are mostly dense: an array, and a hash table for those far behind its end. */
struct table {
    struct definition **dense;
    struct definition **sparse;
    uint64_t ndense;
    uint64_t sparse_size; /* a power of 2, or 0 */
    uint64_t nsparse;
    uint64_t naccepted; /* all that were added, replaced ones as well */
};

static struct table tables[DEFINED_KINDS];

static const char *const kind_names[DEFINED_KINDS] = {
#define MAPPING(NAME, Name) [OTF2_REF_##Name] = #Name,
#include <otf2/otf2_mappings.def>
#undef MAPPING
    [OTF2_REF_SystemTreeNode] = "SystemTreeNode",
    [OTF2_REF_Callsite] = "Callsite",
    [OTF2_REF_Callpath] = "Callpath",
    [OTF2_REF_MetricMember] = "MetricMember",
    [OTF2_REF_CartDimension] = "CartDimension",
    [OTF2_REF_CartTopology] = "CartTopology",
    [OTF2_REF_IoParadigm] = "IoParadigm",
    [DEFINED_PARADIGM] = "Paradigm",
};

static void *memory_or_end(void *p)
{
    if (!p) {
        fputs(PROGRAM ": out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return p;
}

void *need_memory(size_t size)
{
    return memory_or_end(calloc(1, size));
}

char *need_text(const char *format, va_list va)
{
    char *text = NULL;
    return memory_or_end(vasprintf(&text, format, va) < 0 ? NULL : text);
}

void warning(const char *format, ...)
{
    va_list va;
    va_start(va, format);
    char *all = need_text(format, va);
    va_end(va);
    fprintf(stderr, PROGRAM ": %s: %s\n", options.warnings_are_errors ? "error" : "warning", all);
    free(all);
    if (options.warnings_are_errors) {
        fputs(PROGRAM ": all warnings being treated as errors\n", stderr);
        output_close();
        exit(EXIT_FAILURE);
    }
}

void debug(const char *format, ...)
{
    if (!options.debug)
        return;
    char text[256];
    va_list va;
    va_start(va, format);
    vsnprintf(text, sizeof text, format, va);
    va_end(va);
    put_string("==DEBUG== ");
    put_string(text);
    put_char('\n');
}

bool is_undefined(unsigned kind, uint64_t id)
{
    switch (kind) {
    case DEFINED_PARADIGM:
        return false;
    case OTF2_REF_Location:
        return id == OTF2_UNDEFINED_LOCATION;
    case OTF2_REF_IoParadigm:
        return id == OTF2_UNDEFINED_IO_PARADIGM;
    default:
        return id == OTF2_UNDEFINED_UINT32;
    }
}

/* ---- tables ---- */

static uint64_t slot_of(const struct table *table, uint64_t id)
{
    uint64_t mask = table->sparse_size - 1;
    uint64_t slot = (id * 0x9e3779b97f4a7c15U) >> 32 & mask;
    while (table->sparse[slot] && table->sparse[slot]->id != id)
        slot = (slot + 1) & mask;
    return slot;
}

const struct definition *definition_find(unsigned kind, uint64_t id)
{
    const struct table *table = &tables[kind];
    if (id < table->ndense)
        return table->dense[id];
    return table->nsparse ? table->sparse[slot_of(table, id)] : NULL;
}

bool definitions_are_there(unsigned kind)
{
    return tables[kind].ndense || tables[kind].nsparse;
}

static void grow_sparse(struct table *table)
{
    struct table old = *table;
    table->sparse_size = old.sparse_size ? 2 * old.sparse_size : 64;
    table->sparse = need_memory(table->sparse_size * sizeof(struct definition *));
    for (uint64_t i = 0; i < old.sparse_size; i++)
        if (old.sparse[i])
            table->sparse[slot_of(table, old.sparse[i]->id)] = old.sparse[i];
    free(old.sparse);
}

/* What the hash table held of the new part of the array stays there, unseen, and is copied. */
static void grow_dense(struct table *table, uint64_t size)
{
    struct definition **dense = need_memory(size * sizeof(struct definition *));
    if (table->ndense)
        memcpy(dense, table->dense, table->ndense * sizeof(struct definition *));
    for (uint64_t id = table->ndense; id < size && table->nsparse; id++)
        dense[id] = table->sparse[slot_of(table, id)];
    free(table->dense);
    table->dense = dense;
    table->ndense = size;
}

static void insert(struct table *table, struct definition *definition)
{
    uint64_t id = definition->id;
    /* The array may be three quarters empty, so that memory stays in proportion to the file. */
    if (id >= table->ndense && id < 4 * table->naccepted + 64)
        grow_dense(table, 2 * id + 64);
    if (id < table->ndense) {
        table->dense[id] = definition;
        return;
    }
    if (4 * (table->nsparse + 1) > 3 * table->sparse_size)
        grow_sparse(table);
    uint64_t slot = slot_of(table, id);
    table->nsparse += !table->sparse[slot];
    table->sparse[slot] = definition;
}

/* ---- definitions ---- */

static struct text shown_as(uint64_t id, const char *name)
{
    char number[REFERENCE_ROOM];
    unsigned long long n = id;
    if (!name)
        return text_copy(number, (size_t)snprintf(number, sizeof number, "%llu", n));
    size_t size = strlen(name) + REFERENCE_ROOM;
    char *all = need_memory(size);
    struct text shown = text_copy(all, (size_t)snprintf(all, size, "\"%s\" <%llu>", name, n));
    free(all);
    return shown;
}

static bool has_order(unsigned kind)
{
    return kind != OTF2_REF_String && kind != OTF2_REF_Location && kind != DEFINED_PARADIGM;
}

/* In warnings communicators of both sorts have one name. */
static const char *kind_name(unsigned kind)
{
    return kind == OTF2_REF_Comm ? "Comm/InterComm" : kind_names[kind];
}

struct definition *definition_replace(unsigned kind, uint64_t id, const char *name)
{
    struct definition *definition = need_memory(sizeof *definition);
    definition->id = id;
    definition->name = name;
    definition->shown = shown_as(id, name);
    if (is_undefined(kind, id))
        return definition;
    const struct definition *old = definition_find(kind, id);
    if (old)
        warning("duplicate %s definition: %s", kind_name(kind), old->shown.bytes);
    if (kind == OTF2_REF_CallingContext)
        debug("Out of memory for a CallingContext definition.");
    else
        debug("Allocating memory for %s definition.", kind_names[kind]);
    insert(&tables[kind], definition);
    return definition;
}

void definition_check_order(unsigned kind, const struct definition *definition)
{
    if (is_undefined(kind, definition->id))
        return;
    if (definition->id != tables[kind].naccepted++ && has_order(kind))
        warning("out of order %s definition: %s", kind_name(kind), definition->shown.bytes);
}

struct definition *definition_add(unsigned kind, uint64_t id, const char *name)
{
    struct definition *definition = definition_replace(kind, id, name);
    definition_check_order(kind, definition);
    return definition;
}

const char *string_of(OTF2_StringRef string)
{
    const struct definition *definition = definition_find(OTF2_REF_String, string);
    return definition ? definition->name : NULL;
}

/* ---- references ---- */

void put_reference(unsigned kind, uint64_t id)
{
    const struct definition *definition = definition_find(kind, id);
    if (definition) {
        put_text(definition->shown);
    } else if (is_undefined(kind, id) && kind != OTF2_REF_IoParadigm) {
        put_string("UNDEFINED");
    } else {
        put_string("INVALID <");
        put_unsigned(id);
        put_char('>');
    }
}

void put_paradigm(OTF2_Paradigm paradigm)
{
    if (definition_find(DEFINED_PARADIGM, paradigm))
        put_reference(DEFINED_PARADIGM, paradigm);
    else
        put_enum(OTF2_ENUM_Paradigm, paradigm);
}

static char *next_room(void)
{
    static char rooms[2][REFERENCE_ROOM];
    static unsigned next;
    return rooms[next++ % 2];
}

const char *reference_text(unsigned kind, uint64_t id)
{
    const struct definition *definition = definition_find(kind, id);
    if (definition)
        return definition->shown.bytes;
    if (is_undefined(kind, id))
        return "UNDEFINED";
    char *text = next_room();
    snprintf(text, REFERENCE_ROOM, "INVALID <%llu>", (unsigned long long)id);
    return text;
}

const char *paradigm_text(OTF2_Paradigm paradigm)
{
    const struct definition *definition = definition_find(DEFINED_PARADIGM, paradigm);
    if (definition)
        return definition->shown.bytes;
    const char *name = otf2_enum_name(OTF2_ENUM_Paradigm, paradigm);
    if (name)
        return name;
    char *text = next_room();
    snprintf(text, REFERENCE_ROOM, "INVALID <%u>", paradigm);
    return text;
}
