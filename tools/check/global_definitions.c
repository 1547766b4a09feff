/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the global definitions into spaces of ids, and judges each definition by the earlier
 * definitions.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/cell.h"
#include "tools/check/check.h"

enum { ARENA_BLOCK_BYTES = 1 << 16, DENSE_SLACK = 1024, WALK_MAX = 1 << 24 };

/* A definition with an id far from all dense ids. */
struct other {
    struct node node; /* a: id */
    struct definition definition;
};

/* A reference to an id that is not defined yet. */
struct forward {
    const struct otf2_record *record;
    const char *field;
    uint64_t self, id, offset;
    enum otf2_ref ref;
    bool is_own; /* the reference stays within its own space */
};

struct reading {
    struct check *c;
    const struct otf2_record *record;
    const void *data;
    struct place where;
    uint64_t self;
    struct forward *forwards;
    size_t n_forwards, forwards_room;
};

void *arena_take(struct arena *arena, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > arena->room - arena->used) {
        arena->room = bytes > ARENA_BLOCK_BYTES ? bytes : ARENA_BLOCK_BYTES;
        arena->used = 0;
        arena->block = take_memory(arena->room);
        arena->blocks = list_grow(arena->blocks, &arena->blocks_room, arena->n_blocks + 1,
                                  sizeof *arena->blocks);
        arena->blocks[arena->n_blocks++] = arena->block;
    }
    arena->used += bytes;
    return arena->block + arena->used - bytes;
}

/* ---- spaces ---- */

struct definition space_find(const struct check *c, enum otf2_ref ref, uint64_t id)
{
    const struct space *space = &c->spaces[ref];
    if (id < space->n_dense)
        return space->dense[id];
    const struct other *other = table_find(&space->others, (struct key){.a = id});
    return other ? other->definition : (struct definition){0};
}

const void *defined_as(const struct check *c, enum otf2_ref ref, uint64_t id,
                       enum otf2_def_index record)
{
    struct definition d = space_find(c, ref, id);
    return d.data && d.record == record ? d.data : NULL;
}

const char *text_of(const struct check *c, uint32_t string)
{
    const struct otf2_def_String *def = defined_as(c, OTF2_REF_String, string, OTF2_DEF_String);
    return def && def->string ? def->string : "";
}

const char *region_text(const struct check *c, uint64_t region)
{
    const struct otf2_def_Region *def = defined_as(c, OTF2_REF_Region, region, OTF2_DEF_Region);
    return def ? text_of(c, def->name) : "";
}

/*
 * An array as long as the ids stay near to the number of definitions, so that the array stays in
 * proportion to the file.
 */
static void space_add(struct space *space, uint64_t id, struct definition definition)
{
    if (id >= space->n_dense && id <= 2 * space->n + DENSE_SLACK) {
        size_t n = 2 * (size_t)id + 64;
        space->dense = grow_memory(space->dense, n * sizeof *space->dense);
        memset(space->dense + space->n_dense, 0, (n - space->n_dense) * sizeof *space->dense);
        for (size_t i = space->n_dense; space->others.n && i < n; i++) {
            struct other *other = table_find(&space->others, (struct key){.a = i});
            if (!other)
                continue;
            space->dense[i] = other->definition;
            table_remove(&space->others, other);
        }
        space->n_dense = n;
    }
    if (id < space->n_dense) {
        space->dense[id] = definition;
    } else {
        struct other *other = table_intern(&space->others, (struct key){.a = id});
        other->definition = definition;
    }
    space->n++;
}

static uint64_t own_id(const struct otf2_record *record, const void *data)
{
    return otf2_cell_load(data, otf2_kinds[record->fields[0].kind].size);
}

static void define(struct reading *r, enum otf2_ref ref)
{
    struct check *c = r->c;
    struct space *space = &c->spaces[ref];
    unsigned size = otf2_kinds[r->record->fields[0].kind].size;
    uint64_t undefined = size == 8 ? UINT64_MAX : size == 4 ? UINT32_MAX : UINT8_MAX;
    r->self = own_id(r->record, r->data);
    if (r->self == undefined) {
        found(c->verdict, RULE_ID_UNDEFINED, r->where, "%s has the undefined id", r->record->name);
        return;
    }
    if (is_defined(c, ref, r->self)) {
        found(c->verdict, RULE_ID_TWICE, r->where, "%s %" PRIu64 " is defined twice",
              r->record->name, r->self);
        space->next++; /* the place in the order is taken */
        return;
    }
    if (ref != OTF2_REF_Location && r->self != space->next)
        found(c->verdict, RULE_ID_DENSE, r->where, "%s has id %" PRIu64 ", not %" PRIu64,
              r->record->name, r->self, space->next);
    space->next = r->self + 1;
    space_add(space, r->self, (struct definition){r->data, r->where.offset, r->record->index});
}

/* ---- references ---- */

static void check_reference(struct check *c, const struct reference *ref, void *context)
{
    struct reading *r = context;
    enum otf2_ref own = (enum otf2_ref)REFS;
    if (ref->is_undefined) {
        if (!ref->may_be_undefined)
            found(c->verdict, RULE_REFERENCE_UNDEFINED, r->where, "%s has no %s", r->record->name,
                  ref->field);
        return;
    }
    if (is_defined(c, ref->ref, ref->id))
        return;
    bool is_own = record_defines(r->record, &own) && own == ref->ref;
    r->forwards = list_grow(r->forwards, &r->forwards_room, r->n_forwards + 1, sizeof *r->forwards);
    uint64_t self = own == (enum otf2_ref)REFS ? 0 : own_id(r->record, r->data);
    r->forwards[r->n_forwards++] =
        (struct forward){r->record, ref->field, self, ref->id, r->where.offset, ref->ref, is_own};
}

/* The id named by a definition as its parent; false without a parent. */
struct parent {
    enum otf2_ref ref;
    uint64_t id;
    bool is_there;
};

static void note_parent(struct check *c, const struct reference *ref, void *context)
{
    struct parent *parent = context;
    (void)c;
    if (ref->ref == parent->ref && !ref->is_undefined) {
        parent->id = ref->id;
        parent->is_there = true;
    }
}

/* Whether the way up from `from` leads to `self`. */
static bool leads_to(struct check *c, enum otf2_ref ref, uint64_t from, uint64_t self,
                     uint64_t *budget)
{
    for (uint64_t steps = 0; steps <= c->spaces[ref].n && *budget; steps++, --*budget) {
        struct definition d = space_find(c, ref, from);
        struct parent parent = {.ref = ref};
        if (from == self)
            return true;
        if (!d.data)
            return false;
        each_reference(&otf2_defs[d.record], d.data, note_parent, c, &parent);
        if (!parent.is_there)
            return false;
        from = parent.id;
    }
    return false;
}

static void check_forwards(struct reading *r)
{
    uint64_t budget = WALK_MAX;
    for (size_t i = 0; i < r->n_forwards; i++) {
        const struct forward *f = &r->forwards[i];
        struct place where = r->where;
        enum rule rule = RULE_REFERENCE_ORDER;
        const char *what = "which is defined later";
        where.offset = f->offset;
        if (!is_defined(r->c, f->ref, f->id)) {
            rule = RULE_REFERENCE;
            what = "which is not defined";
        } else if (f->is_own && leads_to(r->c, f->ref, f->id, f->self, &budget)) {
            rule = RULE_PARENT_CYCLE;
            what = "which leads back to it";
        }
        found(r->c->verdict, rule, where, "%s %" PRIu64 " has %s %" PRIu64 ", %s", f->record->name,
              f->self, f->field, f->id, what);
    }
    free(r->forwards);
}

/* ---- the file ---- */

static bool has_arrays(const struct otf2_record *record)
{
    for (unsigned i = 0; i < record->nfields; i++)
        if (otf2_kinds[record->fields[i].kind].shown >= OTF2_SHOWN_ARRAY_NUMBER)
            return true;
    return false;
}

/* Texts and arrays of the decoded record live in the arena. */
static void read_record(struct reading *r, struct chunks *f, size_t length)
{
    struct check *c = r->c;
    uint8_t *bytes = arena_take(&c->arena, length);
    size_t room = has_arrays(r->record) ? otf2_record_scratch(length) : 0;
    void *scratch = room ? arena_take(&c->arena, room) : NULL;
    void *data = arena_take(&c->arena, r->record->size);
    memcpy(bytes, f->at, length);
    struct otf2_wire_source s = {bytes, bytes + length, f->is_swapped};
    enum otf2_ref ref;
    r->data = data;
    if (!otf2_record_decode(&s, r->record, data, scratch, room)) {
        found(c->verdict, RULE_RECORD_BYTES, r->where, "%s of %zu bytes cannot be decoded",
              r->record->name, length);
        c->is_cut = true;
        return;
    }
    if (s.at != s.end)
        found(c->verdict, RULE_RECORD_LENGTH, r->where, "%s ends %zu bytes before its length",
              r->record->name, otf2_wire_left_over(&s));
    each_reference(r->record, data, check_reference, c, r);
    check_enums(c, r->record, data, r->where);
    if (record_defines(r->record, &ref))
        define(r, ref);
    c->all = list_grow(c->all, &c->all_room, c->n_all + 1, sizeof *c->all);
    c->all[c->n_all++] = (struct definition){data, r->where.offset, r->record->index};
}

struct place definition_place(const struct check *c, const struct definition *d)
{
    return (struct place){.file = c->definitions_name, .offset = d->offset, .has_offset = true};
}

void definitions_read(struct check *c)
{
    struct chunks f;
    struct chunks_options how = chunks_how(c, false);
    struct reading r = {.c = c};
    bool is_missing;
    for (unsigned i = 0; i < REFS; i++)
        c->spaces[i].others.node_bytes = sizeof(struct other);
    const char *name = c->definitions_name;
    if (!chunks_open(&f, c->verdict, c->dir, name, &how, &is_missing)) {
        if (is_missing)
            found(c->verdict, RULE_FILE_MISSING, (struct place){.file = name}, "is missing");
        c->is_cut = true;
        return;
    }
    enum record_found next;
    while ((next = chunks_next(&f)) == RECORD_FOUND) {
        uint64_t length;
        uint8_t id = *f.at;
        r.where = chunks_place(&f);
        r.record = otf2_record_by_id(OTF2_PLACE_GLOBAL_DEFS, id);
        if (!chunks_frame(&f, &length)) {
            next = RECORD_BROKEN;
            break;
        }
        if (r.record)
            read_record(&r, &f, (size_t)length);
        else
            found(c->verdict, RULE_RECORD_UNKNOWN, r.where, "definition %u is not known", id);
        c->n_definitions++;
        f.at += length;
    }
    c->is_cut |= next == RECORD_BROKEN;
    check_forwards(&r);
    chunks_close(&f);
}

void definitions_free(struct check *c)
{
    for (unsigned i = 0; i < REFS; i++) {
        free(c->spaces[i].dense);
        table_fini(&c->spaces[i].others);
    }
    for (size_t i = 0; i < c->arena.n_blocks; i++)
        free(c->arena.blocks[i]);
    free(c->arena.blocks);
    free(c->all);
}
