/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/record.h"

#include "format/attributes.h"
#include "format/cell.h"
#include "format/idmap.h"
#include "format/obsolete.h"

static void *load_pointer(const void *at)
{
    void *p;
    memcpy(&p, at, sizeof p);
    return p;
}

static void store_pointer(void *at, void *p)
{
    memcpy(at, &p, sizeof p);
}

/* The attributes of a record one after another, in the order of the disk. */
struct walk {
    const struct otf2_record *rec;
    const struct otf2_step *steps; /* NULL: the fields in their order */
    unsigned n;
    unsigned i;
    OTF2_Type type; /* from the last TYPE cell, for the VALUE behind */
};

static struct walk walk_begin(const struct otf2_record *rec)
{
    struct walk w = {.rec = rec};
    w.steps = otf2_record_steps(rec, &w.n);
    return w;
}

static bool is_obsolete(const struct walk *w)
{
    return w->steps && w->steps[w->i].since == 0;
}

static enum otf2_obsolete obsolete_of(const struct walk *w)
{
    return (enum otf2_obsolete)w->steps[w->i].field;
}

static const struct otf2_field *field_at(const struct walk *w, unsigned i)
{
    return &w->rec->fields[w->steps ? w->steps[i].field : i];
}

static const struct otf2_kind_info *kind_of(const struct otf2_field *f)
{
    return &otf2_kinds[f->kind];
}

/* The arrays counted by the count at `w` are the steps from w->i + 1 to the result. */
static unsigned arrays_end(const struct walk *w)
{
    unsigned i = w->i + 1;
    while (i < w->n && !(w->steps && w->steps[i].since == 0) &&
           kind_of(field_at(w, i))->shown >= OTF2_SHOWN_ARRAY_NUMBER)
        i++;
    return i;
}

/*
 * An element of an array, or the field itself if the field is no array. A typed value takes its
 * type from the cell before.
 */
static const void *cell_at(const struct walk *w, const void *data, unsigned i, uint64_t element)
{
    const struct otf2_field *f = field_at(w, i);
    const char *at = (const char *)data + f->offset;
    if (kind_of(f)->shown < OTF2_SHOWN_ARRAY_NUMBER)
        return at;
    return (const char *)load_pointer(at) + element * kind_of(f)->size;
}

static bool is_type(const struct otf2_field *f)
{
    return f->kind == OTF2_KIND_TYPE || f->kind == OTF2_KIND_TYPE_ARRAY;
}

static bool is_definition(const struct otf2_record *rec)
{
    return rec->place >= OTF2_PLACE_LOCAL_DEFS && rec->place <= OTF2_PLACE_SHARED_DEFS;
}

static uint64_t text_bytes(const void *at)
{
    const char *text = load_pointer(at);
    return text ? strlen(text) + 1 : 1;
}

static uint64_t estimate_cell(const struct walk *w, const void *at, const struct otf2_field *f)
{
    const struct otf2_kind_info *kind = kind_of(f);
    if (kind->wire == OTF2_WIRE_TEXT)
        return text_bytes(at);
    if (kind->wire == OTF2_WIRE_IDMAP)
        return otf2_idmap_bytes(load_pointer(at));
    if (kind->wire == OTF2_WIRE_VALUE || !is_definition(w->rec))
        return (uint64_t)OTF2_WIRE_MAX((int)kind->wire);
    return otf2_wire_size(kind->wire, otf2_cell_load(at, kind->size));
}

uint64_t otf2_record_estimate(const struct otf2_record *rec, const void *data)
{
    uint64_t bytes = 0;
    for (struct walk w = walk_begin(rec); w.i < w.n; w.i++) {
        if (is_obsolete(&w)) {
            bytes += otf2_wire_size(otf2_obsolete_wire(obsolete_of(&w)),
                                    otf2_obsolete_value(obsolete_of(&w), data));
            continue;
        }
        const struct otf2_field *f = field_at(&w, w.i);
        const void *at = cell_at(&w, data, w.i, 0);
        bytes += estimate_cell(&w, at, f);
        if (kind_of(f)->shown != OTF2_SHOWN_COUNT)
            continue;
        unsigned last = arrays_end(&w);
        uint64_t count = otf2_cell_load(at, kind_of(f)->size);
        for (uint64_t e = 0; e < count; e++)
            for (unsigned a = w.i + 1; a < last; a++)
                bytes += estimate_cell(&w, cell_at(&w, data, a, e), field_at(&w, a));
        w.i = last - 1;
    }
    return bytes;
}

static uint8_t *encode_cell(struct walk *w, uint8_t *p, const void *at, const struct otf2_field *f)
{
    const struct otf2_kind_info *kind = kind_of(f);
    if (kind->wire == OTF2_WIRE_TEXT) {
        const char *text = load_pointer(at);
        size_t n = (size_t)text_bytes(at);
        memcpy(p, text ? text : "", n);
        return p + n;
    }
    if (kind->wire == OTF2_WIRE_IDMAP)
        return otf2_idmap_encode(p, load_pointer(at));
    if (kind->wire == OTF2_WIRE_VALUE) {
        OTF2_AttributeValue value;
        memcpy(&value, at, sizeof value);
        return otf2_value_encode(p, w->type, value);
    }
    uint64_t v = otf2_cell_load(at, kind->size);
    if (is_type(f))
        w->type = (OTF2_Type)v;
    return otf2_wire_put_tight(p, kind->wire, v);
}

uint8_t *otf2_record_encode(uint8_t *p, const struct otf2_record *rec, const void *data)
{
    for (struct walk w = walk_begin(rec); w.i < w.n; w.i++) {
        if (is_obsolete(&w)) {
            p = otf2_wire_put_tight(p, otf2_obsolete_wire(obsolete_of(&w)),
                                    otf2_obsolete_value(obsolete_of(&w), data));
            continue;
        }
        const struct otf2_field *f = field_at(&w, w.i);
        const void *at = cell_at(&w, data, w.i, 0);
        p = encode_cell(&w, p, at, f);
        if (kind_of(f)->shown != OTF2_SHOWN_COUNT)
            continue;
        unsigned last = arrays_end(&w);
        uint64_t count = otf2_cell_load(at, kind_of(f)->size);
        for (uint64_t e = 0; e < count; e++)
            for (unsigned a = w.i + 1; a < last; a++)
                p = encode_cell(&w, p, cell_at(&w, data, a, e), field_at(&w, a));
        w.i = last - 1;
    }
    return p;
}

/* The memory for arrays: the rest of the caller's scratch. */
struct scratch {
    char *at;
    char *end;
};

enum { ARRAY_ALIGNMENT = 8 };

size_t otf2_record_scratch(size_t attribute_bytes)
{
    /* An element takes at least a byte in the file and at most a union here. */
    enum { ARRAYS = 3 };
    return attribute_bytes * sizeof(OTF2_AttributeValue) + (size_t)ARRAYS * ARRAY_ALIGNMENT;
}

/* Gives each array of the count at `w` its place. */
static bool place_arrays(struct walk *w, void *data, uint64_t count, unsigned last,
                         const struct otf2_wire_source *s, struct scratch *scratch)
{
    if (count > otf2_wire_left_over(s))
        return false;
    for (unsigned a = w->i + 1; a < last; a++) {
        const struct otf2_field *f = field_at(w, a);
        size_t bytes = (size_t)count * kind_of(f)->size;
        bytes = (bytes + ARRAY_ALIGNMENT - 1) / ARRAY_ALIGNMENT * ARRAY_ALIGNMENT;
        if (bytes > (size_t)(scratch->end - scratch->at))
            return false;
        store_pointer((char *)data + f->offset, scratch->at);
        scratch->at += bytes;
    }
    return true;
}

static bool decode_text(struct otf2_wire_source *s, void *at)
{
    const uint8_t *nul = memchr(s->at, 0, otf2_wire_left_over(s));
    if (!nul)
        return false;
    memcpy(at, &s->at, sizeof s->at);
    s->at = nul + 1;
    return true;
}

/*
 * Decodes most cells: numbers. False, with nothing done, for any other cell and for a faulty
 * number.
 */
static inline bool decode_number(struct otf2_wire_source *s, void *at,
                                 const struct otf2_kind_info *kind)
{
    size_t left = otf2_wire_left_over(s);
    uint64_t v;
    if (!left)
        return false;
    unsigned bytes = *s->at;
    if (kind->wire == OTF2_WIRE_U8) {
        otf2_cell_store(at, sizeof(uint8_t), bytes);
        s->at++;
        return true;
    }
    if ((kind->wire != OTF2_WIRE_VAR32 && kind->wire != OTF2_WIRE_VAR64) || bytes > kind->size ||
        bytes >= left)
        return false;
    if (left > sizeof v && !s->is_swapped) {
        memcpy(&v, s->at + 1, sizeof v);
        v = otf2_wire_right(v, bytes);
    } else {
        s->at++;
        v = bytes ? otf2_wire_load(s, bytes) : 0;
        s->at--;
    }
    otf2_cell_store(at, kind->size, v);
    s->at += 1 + bytes;
    return true;
}

static __attribute__((noinline)) bool decode_other(struct walk *w, struct otf2_wire_source *s,
                                                   void *at, const struct otf2_field *f)
{
    const struct otf2_kind_info *kind = kind_of(f);
    if (kind->wire == OTF2_WIRE_TEXT)
        return decode_text(s, at);
    if (kind->wire == OTF2_WIRE_IDMAP) {
        OTF2_IdMap *map = otf2_idmap_decode(s);
        store_pointer(at, map);
        return map != NULL;
    }
    if (kind->wire == OTF2_WIRE_VALUE) {
        OTF2_AttributeValue value;
        bool ok = otf2_value_decode(s, w->type, &value);
        if (ok)
            memcpy(at, &value, sizeof value);
        return ok;
    }
    uint64_t v;
    if (!otf2_wire_get(s, kind->wire, &v))
        return false;
    if (is_type(f))
        w->type = (OTF2_Type)v;
    otf2_cell_store(at, kind->size, v);
    return true;
}

static inline bool decode_cell(struct walk *w, struct otf2_wire_source *s, void *at,
                               const struct otf2_field *f)
{
    return (!is_type(f) && decode_number(s, at, kind_of(f))) || decode_other(w, s, at, f);
}

/* The address of a cell to fill; as cell_at. */
static inline __attribute__((always_inline)) void *slot_at(const struct walk *w, void *data,
                                                           unsigned i, uint64_t element)
{
    const struct otf2_field *f = field_at(w, i);
    char *at = (char *)data + f->offset;
    if (kind_of(f)->shown < OTF2_SHOWN_ARRAY_NUMBER)
        return at;
    return (char *)load_pointer(at) + element * kind_of(f)->size;
}

static bool decode_arrays(struct walk *w, struct otf2_wire_source *s, void *data,
                          struct scratch *scratch)
{
    const struct otf2_field *f = field_at(w, w->i);
    uint64_t count = otf2_cell_load((char *)data + f->offset, kind_of(f)->size);
    unsigned last = arrays_end(w);
    if (!place_arrays(w, data, count, last, s, scratch))
        return false;
    for (uint64_t e = 0; e < count; e++)
        for (unsigned a = w->i + 1; a < last; a++)
            if (!decode_cell(w, s, slot_at(w, data, a, e), field_at(w, a)))
                return false;
    w->i = last - 1;
    return true;
}

/* May a record end before the step at `w`? Then the step is newer than the record. */
static bool may_end(const struct walk *w)
{
    return w->steps && w->steps[w->i].since > w->rec->major * 10 + w->rec->minor;
}

/* The step at `w`, with the arrays counted by the step. */
static inline bool decode_step(struct walk *w, struct otf2_wire_source *s, void *data,
                               struct scratch *scratch)
{
    const struct otf2_field *f = field_at(w, w->i);
    return decode_cell(w, s, slot_at(w, data, w->i, 0), f) &&
           (kind_of(f)->shown != OTF2_SHOWN_COUNT || decode_arrays(w, s, data, scratch));
}

/* A record whose layout has changed since it was introduced. */
static bool decode_steps(struct walk *w, struct otf2_wire_source *s, void *data,
                         struct scratch *scratch)
{
    uint64_t old = 0;
    bool is_complete = false;
    for (; w->i < w->n; w->i++) {
        if (is_obsolete(w)) {
            if (!otf2_wire_get(s, otf2_obsolete_wire(obsolete_of(w)), &old))
                return false;
            continue;
        }
        if (may_end(w) && !is_complete) {
            /* Defaults first: attributes present in the record replace the defaults. */
            otf2_obsolete_complete((enum otf2_def_index)w->rec->index, old, data);
            is_complete = true;
        }
        if (is_complete && s->at == s->end)
            return true;
        if (!decode_step(w, s, data, scratch))
            return false;
    }
    return true;
}

bool otf2_record_decode(struct otf2_wire_source *s, const struct otf2_record *rec, void *data,
                        void *scratch, size_t room)
{
    struct scratch arrays = {scratch, room ? (char *)scratch + room : scratch};
    struct walk w = walk_begin(rec);
    memset(data, 0, rec->size);
    if (w.steps)
        return decode_steps(&w, s, data, &arrays);
    for (; w.i < w.n; w.i++)
        if (!decode_step(&w, s, data, &arrays))
            return false;
    return true;
}
