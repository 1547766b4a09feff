/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/events/finish_distance.h"

#include <errno.h>
#include <string.h>

#include "base/raw_file.h"
#include "finish/events/finish_out.h"
#include "finish/state/finish_chunk.h"
#include "finish/state/finish_trouble.h"
#include "format/wire.h"

#define UNDEFINED OTF2_UNDEFINED_UINT32

static uint32_t depth_of(const struct finish_contexts *contexts, uint32_t id)
{
    return id < contexts->n ? contexts->at[id].depth : 0;
}

uint32_t finish_distance(const struct finish_contexts *contexts, uint32_t from, uint32_t to,
                         bool is_enter)
{
    uint32_t depth = depth_of(contexts, to);
    uint32_t left = UNDEFINED, entered = UNDEFINED; /* below what both have in common */
    if (!depth)
        return 0;
    from = from < contexts->n ? from : UNDEFINED;
    for (uint32_t up = to; from != up;) {
        uint32_t from_depth = depth_of(contexts, from), up_depth = depth_of(contexts, up);
        if (from_depth >= up_depth) {
            left = from;
            from = contexts->at[from].parent;
        }
        if (up_depth >= from_depth) {
            entered = up;
            up = contexts->at[up].parent;
        }
    }
    if (entered == UNDEFINED)
        return is_enter ? 2 : 1;
    uint32_t steps = depth - depth_of(contexts, from);
    bool goes_on = left != UNDEFINED && contexts->at[left].region == contexts->at[entered].region &&
                   !(is_enter && entered == to);
    return goes_on ? steps : steps + 1;
}

/* ---- event files ---- */

struct patching {
    const struct finish *f;
    const struct spur_words *map; /* from the process's contexts to those of the archive */
    uint32_t previous;
    uint8_t *block;
    bool is_changed;
};

static void put_distance(struct patching *p, uint8_t *at, uint32_t distance)
{
    enum { ROOM = 2 };
    if (at[0] != ROOM)
        return;
    uint16_t value = (uint16_t)(distance < UINT16_MAX ? distance : UINT16_MAX);
    memcpy(at + 1, &value, sizeof value);
    p->is_changed = true;
}

/* A whole record: its id, its length, the context, the distance. */
static void patch_record(void *data, uint8_t *at, uint64_t size)
{
    enum { CONTEXT_AT = 2, DISTANCE_BYTES = 3 };
    struct patching *p = data;
    const struct finish_contexts *contexts = &p->f->contexts;
    if (at[0] != OTF2_EVT_ID_CallingContextEnter && at[0] != OTF2_EVT_ID_CallingContextLeave &&
        at[0] != OTF2_EVT_ID_CallingContextSample)
        return;
    uint32_t local = finish_chunk_c32(at + CONTEXT_AT);
    uint32_t context = local < p->map->n ? (uint32_t)p->map->at[local] : UNDEFINED;
    if (at[0] == OTF2_EVT_ID_CallingContextLeave) {
        p->previous = context < contexts->n ? contexts->at[context].parent : UNDEFINED;
        return;
    }
    uint64_t place =
        CONTEXT_AT + 1 + (uint64_t)(at[CONTEXT_AT] == OTF2_WIRE_UNDEFINED ? 0 : at[CONTEXT_AT]);
    if (place + DISTANCE_BYTES <= size)
        put_distance(p, at + place,
                     finish_distance(contexts, p->previous, context,
                                     at[0] == OTF2_EVT_ID_CallingContextEnter));
    p->previous = context;
}

static int patch_file(struct patching *p, int fd, uint64_t size)
{
    uint64_t bytes = p->f->block_bytes;
    int err = 0;
    p->previous = UNDEFINED;
    for (uint64_t at = 0; at < size && !err; at += bytes) {
        int64_t n = spur_file_read(fd, at, p->block, bytes);
        if (n <= 0)
            return (int)n;
        p->is_changed = false;
        finish_chunk_each(p->block, (uint64_t)n, p, patch_record);
        if (p->is_changed)
            err = spur_file_write(fd, at, p->block, (uint64_t)n);
    }
    return err;
}

bool finish_has_distances(const struct finish *f, const struct finish_process *p)
{
    return f->has_stacks && p->map.of[SPUR_SPACE_CALLING_CONTEXT].n > 0;
}

int finish_distances(struct finish *f, const struct finish_process *process,
                     const struct finish_out *out, uint8_t *block)
{
    struct patching p = {.f = f, .map = &process->map.of[SPUR_SPACE_CALLING_CONTEXT]};
    uint64_t size = 0;
    if (!finish_has_distances(f, process))
        return 0;
    p.block = block;
    int fd = finish_out_edit(out, &size);
    if (fd < 0)
        return fd;
    int err = patch_file(&p, fd, size);
    spur_file_close(fd);
    return err;
}
