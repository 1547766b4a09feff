/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/anchor.h"

#include <stdio.h>
#include <stdlib.h>

#include "format/frame.h"
#include "format/memory.h"
#include "format/wire.h"

enum {
    FIXED_BYTES = 46,                  /* up to the first text */
    TAIL_BYTES = 4 + 8 + 4 + 4 + 1 + 2 /* counts, trace id, snapshots, thumbnails, end */
};

static const uint8_t magic[] = {'O', 'T', 'F', '2', 0};

static size_t text_bytes(const char *text)
{
    return text ? strlen(text) + 1 : 1;
}

size_t otf2_anchor_bytes(const struct otf2_anchor *anchor)
{
    size_t bytes = FIXED_BYTES + TAIL_BYTES + text_bytes(anchor->machine) +
                   text_bytes(anchor->creator) + text_bytes(anchor->description);
    for (uint32_t i = 0; i < anchor->nproperties; i++)
        bytes += text_bytes(anchor->properties[i].name) + text_bytes(anchor->properties[i].value);
    return bytes;
}

static uint8_t *put_u32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
    return p + sizeof v;
}

static uint8_t *put_u64(uint8_t *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
    return p + sizeof v;
}

static uint8_t *put_text(uint8_t *p, const char *text)
{
    size_t n = text_bytes(text);
    memcpy(p, text ? text : "", n);
    return p + n;
}

uint8_t *otf2_anchor_encode(uint8_t *p, const struct otf2_anchor *anchor)
{
    *p++ = OTF2_FRAME_HEADER;
    *p++ = OTF2_WIRE_HOST;
    memcpy(p, magic, sizeof magic);
    p += sizeof magic;
    *p++ = OTF2_ANCHOR_FORMAT;
    *p++ = OTF2_TRACE_FORMAT;
    memcpy(p, anchor->version, sizeof anchor->version);
    p = put_u64(p + sizeof anchor->version, anchor->event_chunk_bytes);
    p = put_u64(p, anchor->def_chunk_bytes);
    *p++ = anchor->substrate;
    *p++ = anchor->compression;
    p = put_u64(p, anchor->locations);
    p = put_u64(p, anchor->global_definitions);
    p = put_text(p, anchor->machine);
    p = put_text(p, anchor->creator);
    p = put_text(p, anchor->description);
    p = put_u32(p, anchor->nproperties);
    for (uint32_t i = 0; i < anchor->nproperties; i++) {
        p = put_text(p, anchor->properties[i].name);
        p = put_text(p, anchor->properties[i].value);
    }
    p = put_u64(p, anchor->trace_id);
    p = put_u32(p, anchor->snapshots);
    p = put_u32(p, anchor->thumbnails);
    *p++ = OTF2_FRAME_END_OF_FILE;
    *p++ = OTF2_FRAME_END_OF_BUFFER;
    *p++ = 0;
    return p;
}

static bool get_u8(struct otf2_wire_source *s, uint8_t *v)
{
    if (s->at == s->end)
        return false;
    *v = *s->at++;
    return true;
}

static bool get_u64(struct otf2_wire_source *s, uint64_t *v)
{
    return otf2_wire_get(s, OTF2_WIRE_FIXED64, v);
}

static bool get_u32(struct otf2_wire_source *s, uint32_t *v)
{
    if (otf2_wire_left_over(s) < sizeof *v)
        return false;
    *v = (uint32_t)otf2_wire_load(s, sizeof *v);
    s->at += sizeof *v;
    return true;
}

static bool get_text(struct otf2_wire_source *s, const char **text)
{
    const uint8_t *nul = memchr(s->at, 0, otf2_wire_left_over(s));
    if (!nul)
        return false;
    *text = (const char *)s->at;
    s->at = nul + 1;
    return true;
}

static bool is_word(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

bool otf2_property_name_is_valid(const char *name)
{
    unsigned words = 0;
    for (;;) {
        const char *word = name;
        while (is_word(*name))
            name++;
        if (name == word)
            return false;
        words++;
        if (!*name)
            return words >= 2;
        if (name[0] != ':' || name[1] != ':')
            return false;
        name += 2;
    }
}

static int upper(char c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

static bool is_same_name(const char *a, const char *b)
{
    while (*a && upper(*a) == upper(*b)) {
        a++;
        b++;
    }
    return upper(*a) == upper(*b);
}

static OTF2_ErrorCode check_property(const struct otf2_property *all, uint32_t i)
{
    if (!otf2_property_name_is_valid(all[i].name))
        return OTF2_ERROR_PROPERTY_NAME_INVALID;
    if (!*all[i].value)
        return OTF2_ERROR_PROPERTY_VALUE_INVALID;
    for (uint32_t j = 0; j < i; j++)
        if (is_same_name(all[i].name, all[j].name))
            return OTF2_ERROR_PROPERTY_EXISTS;
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode get_properties(struct otf2_wire_source *s, struct otf2_anchor *anchor)
{
    enum { LEAST = 7 }; /* bytes of a property: A::B, x, and two zeros */
    uint32_t n;
    if (!get_u32(s, &n) || n > otf2_wire_left_over(s) / LEAST)
        return OTF2_ERROR_INVALID_DATA;
    if (!n)
        return OTF2_SUCCESS;
    struct otf2_property *properties = otf2_mem_new(n * sizeof *properties);
    if (!properties)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    anchor->properties = properties;
    for (uint32_t i = 0; i < n; i++) {
        if (!get_text(s, &properties[i].name) || !get_text(s, &properties[i].value))
            return OTF2_ERROR_INVALID_DATA;
        OTF2_ErrorCode err = check_property(properties, i);
        if (err != OTF2_SUCCESS)
            return err;
        anchor->nproperties++;
    }
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode get_fixed(struct otf2_wire_source *s, struct otf2_anchor *anchor)
{
    uint8_t order;
    if (otf2_wire_left_over(s) < FIXED_BYTES || s->at[0] != OTF2_FRAME_HEADER)
        return OTF2_ERROR_INVALID_DATA;
    order = s->at[1];
    if (order != OTF2_WIRE_LITTLE && order != OTF2_WIRE_BIG)
        return OTF2_ERROR_INVALID_DATA;
    s->is_swapped = order != OTF2_WIRE_HOST;
    s->at += 2;
    if (memcmp(s->at, magic, sizeof magic) != 0)
        return OTF2_ERROR_INVALID_DATA;
    s->at += sizeof magic;
    bool ok = get_u8(s, &anchor->anchor_format) && get_u8(s, &anchor->trace_format) &&
              get_u8(s, &anchor->version[0]) && get_u8(s, &anchor->version[1]) &&
              get_u8(s, &anchor->version[2]) && get_u64(s, &anchor->event_chunk_bytes) &&
              get_u64(s, &anchor->def_chunk_bytes) && get_u8(s, &anchor->substrate) &&
              get_u8(s, &anchor->compression) && get_u64(s, &anchor->locations) &&
              get_u64(s, &anchor->global_definitions);
    if (!ok || !anchor->anchor_format)
        return OTF2_ERROR_INVALID_DATA;
    if (anchor->trace_format > OTF2_TRACE_FORMAT || anchor->substrate == OTF2_SUBSTRATE_UNDEFINED ||
        anchor->substrate > OTF2_SUBSTRATE_NONE ||
        anchor->compression == OTF2_COMPRESSION_UNDEFINED ||
        anchor->compression > OTF2_COMPRESSION_ZLIB)
        return OTF2_ERROR_INVALID_ARGUMENT;
    return OTF2_SUCCESS;
}

/* Each anchor format added something behind what there was. */
static OTF2_ErrorCode get_rest(struct otf2_wire_source *s, struct otf2_anchor *anchor)
{
    uint8_t end;
    if (!get_text(s, &anchor->machine) || !get_text(s, &anchor->creator) ||
        !get_text(s, &anchor->description))
        return OTF2_ERROR_INVALID_DATA;
    if (anchor->anchor_format >= 2) {
        OTF2_ErrorCode err = get_properties(s, anchor);
        if (err != OTF2_SUCCESS)
            return err;
        if (!get_u64(s, &anchor->trace_id))
            return OTF2_ERROR_INVALID_DATA;
    }
    if (anchor->anchor_format >= 3 &&
        (!get_u32(s, &anchor->snapshots) || !get_u32(s, &anchor->thumbnails)))
        return OTF2_ERROR_INVALID_DATA;
    if (anchor->anchor_format <= OTF2_ANCHOR_FORMAT &&
        (!get_u8(s, &end) || end != OTF2_FRAME_END_OF_FILE))
        return OTF2_ERROR_INVALID_DATA;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode otf2_anchor_decode(const uint8_t *bytes, size_t n, struct otf2_anchor *anchor)
{
    struct otf2_wire_source s = {bytes, bytes + n, false};
    *anchor = (struct otf2_anchor){0};
    OTF2_ErrorCode err = get_fixed(&s, anchor);
    if (err == OTF2_SUCCESS)
        err = get_rest(&s, anchor);
    if (err != OTF2_SUCCESS)
        otf2_anchor_fini(anchor);
    return err;
}

const char *otf2_anchor_fault(struct otf2_anchor *anchor, const char *otherwise)
{
    if (anchor->trace_format <= OTF2_TRACE_FORMAT)
        return otherwise;
    snprintf(anchor->fault, sizeof anchor->fault, "trace format %u; spur reads 0 to %d",
             anchor->trace_format, OTF2_TRACE_FORMAT);
    return anchor->fault;
}

void otf2_anchor_fini(struct otf2_anchor *anchor)
{
    /* Only otf2_anchor_decode makes arrays, and it knows that they are not const. */
    union {
        const struct otf2_property *borrowed;
        struct otf2_property *owned;
    } properties = {anchor->properties};
    otf2_mem_free(properties.owned);
    anchor->properties = NULL;
    anchor->nproperties = 0;
}

const struct otf2_property *otf2_property_find(const struct otf2_property *properties, uint32_t n,
                                               const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(properties[i].name, name) == 0)
            return &properties[i];
    return NULL;
}

char **otf2_property_names_new(const struct otf2_property *properties, uint32_t n)
{
    size_t bytes = n * sizeof(char *);
    for (uint32_t i = 0; i < n; i++)
        bytes += strlen(properties[i].name) + 1;
    char **block = n ? malloc(bytes) : NULL;
    char *text = block ? (char *)(block + n) : NULL;
    for (uint32_t i = 0; block && i < n; i++) {
        block[i] = text;
        text = stpcpy(text, properties[i].name) + 1;
    }
    return block;
}
