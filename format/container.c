/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/container.h"

#include <string.h>

#include "format/wire.h"

enum {
    AT_ORDER = 4, /* four bytes that are the same from both ends: 1, a big-endian host wrote it */
    ORDER_LAST = 7,
    AT_FORM = 16,
    AT_ALIGN = 20,
    AT_TASKS = 24,
    AT_FILES = 28,
    AT_NUMBER = 32,
    AT_MODE = 36,   /* its upper half */
    AT_VERSION = 8, /* of SIONlib: what OTF2 3.0 was tested with */
    VERSION = 1007,
    PATCH = 6,
    FORM_WITH_KEYS = 5,
    MODE_INLINE = 51, /* records with keys, in the tasks' streams */
    MODE_SHIFT = 32
};

static const char magic[] = {'s', 'i', 'o', 'n'};

uint64_t otf2_container_get(const struct otf2_container *c, const uint8_t *at, unsigned bytes)
{
    const struct otf2_wire_source s = {at, at + bytes, c->is_swapped};
    uint64_t number = otf2_wire_load(&s, bytes);
    return bytes == sizeof number ? number : (uint64_t)(int64_t)(int32_t)number;
}

static bool get_count(const struct otf2_container *c, const uint8_t *at, uint32_t *count)
{
    uint64_t number = otf2_container_get(c, at, sizeof *count);
    *count = (uint32_t)number;
    return number <= INT32_MAX;
}

const char *otf2_container_decode(const uint8_t *head, struct otf2_container *c)
{
    bool is_big = head[AT_ORDER] & 1;
    *c = (struct otf2_container){.is_swapped = is_big != (OTF2_WIRE_HOST == OTF2_WIRE_BIG)};
    if (memcmp(head, magic, sizeof magic) != 0)
        return "no SION container";
    if ((head[ORDER_LAST] & 1) != is_big)
        return "its byte order is not known";
    uint64_t form = otf2_container_get(c, head + AT_FORM, sizeof(int32_t));
    if (form < FORM_WITH_KEYS || form > INT32_MAX)
        return "its version of the format has no records of locations";
    if (otf2_container_get(c, head + AT_MODE, sizeof(int64_t)) >> MODE_SHIFT != MODE_INLINE)
        return "its records are not those of locations";
    if (!get_count(c, head + AT_ALIGN, &c->align) || !c->align)
        return "impossible alignment of blocks";
    if (!get_count(c, head + AT_TASKS, &c->tasks) || !c->tasks)
        return "impossible number of tasks";
    if (!get_count(c, head + AT_FILES, &c->files) || !get_count(c, head + AT_NUMBER, &c->number) ||
        c->number >= c->files)
        return "impossible number of files";
    return NULL;
}

bool otf2_container_is_blank(const uint8_t *head)
{
    unsigned i = 0;
    while (i < OTF2_CONTAINER_HEAD_BYTES && !head[i])
        i++;
    return i == OTF2_CONTAINER_HEAD_BYTES;
}

static void put(uint8_t *at, uint32_t number)
{
    memcpy(at, &number, sizeof number);
}

static void put_head(uint8_t *head, const struct otf2_container *c, const char *name)
{
    static const uint8_t big[] = {1, 1, 1, 1};
    const uint64_t mode = (uint64_t)MODE_INLINE << MODE_SHIFT;
    size_t length = strlen(name);
    memset(head, 0, OTF2_CONTAINER_RANKS_AT);
    memcpy(head, magic, sizeof magic);
    if (OTF2_WIRE_HOST == OTF2_WIRE_BIG)
        memcpy(head + AT_ORDER, big, sizeof big);
    put(head + AT_VERSION, VERSION);
    put(head + AT_VERSION + sizeof(uint32_t), PATCH);
    put(head + AT_FORM, FORM_WITH_KEYS);
    put(head + AT_ALIGN, c->align);
    put(head + AT_TASKS, c->tasks);
    put(head + AT_FILES, c->files);
    put(head + AT_NUMBER, c->number);
    memcpy(head + AT_MODE, &mode, sizeof mode);
    if (length >= OTF2_CONTAINER_NAME_BYTES)
        length = OTF2_CONTAINER_NAME_BYTES - 1;
    /* The rest of its room is zero. */
    for (size_t i = 0; i < length; i++)
        head[OTF2_CONTAINER_HEAD_BYTES + i] = (uint8_t)name[i];
}

void otf2_container_encode(uint8_t *bytes, const struct otf2_container_front *front)
{
    enum { WORD = OTF2_CONTAINER_WORD_BYTES };
    const struct otf2_container *c = &front->head;
    put_head(bytes, c, front->name);
    memcpy(bytes + OTF2_CONTAINER_RANKS_AT, front->ranks, (size_t)c->tasks * WORD);
    uint8_t *at = bytes + otf2_container_sizes_at(c);
    for (uint32_t task = 0; task < c->tasks; task++, at += WORD)
        memcpy(at, front->sizes ? &front->sizes[task] : &front->size, WORD);
    put(at, (uint32_t)front->rows);
    memcpy(at + sizeof(uint32_t), &front->tail_at, WORD);
}
