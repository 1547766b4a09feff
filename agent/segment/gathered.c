/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/segment/gathered.h"

#include <stdio.h>
#include <string.h>

#include "agent/segment/buffer.h"
#include "agent/state/identity.h"
#include "base/apart.h"
#include "base/lock.h"
#include "base/raw_file.h"
#include "finish/state/finish_chunk.h"
#include "format/frame.h"

enum { MOST_BYTES = SPUR_GATHERED_BYTES / 4 };

static struct {
    struct spur_lock lock;
    char path[SPUR_PATH_BYTES + SPUR_NAME_BYTES + 32];
    uint64_t filed; /* bytes in the file */
    bool is_stuck;  /* the file cannot be written */
} gathered;

void spur_gathered_open(const char *dir)
{
    snprintf(gathered.path, sizeof gathered.path, "%s/" SPUR_GATHERED_FILE, dir);
}

void spur_gathered_forget(void)
{
    memset(&gathered, 0, sizeof gathered);
}

static char *room_of(struct spur_segment *segment)
{
    return (char *)segment + SPUR_GATHERED_OFFSET;
}

static int append(void *segment)
{
    const struct spur_segment *s = segment;
    int err = spur_file_append(gathered.path, room_of(segment), s->gathered_bytes);
    if (err)
        (void)spur_file_cut(gathered.path, gathered.filed);
    return err;
}

/* A snapshot may be copying the session: nothing is overwritten before it has been moved. */
static bool move_out(struct spur_segment *segment)
{
    uint32_t bytes = atomic_load_explicit(&segment->gathered_bytes, memory_order_relaxed);
    if (gathered.is_stuck)
        return false;
    if (spur_apart(append, segment) != 0) {
        gathered.is_stuck = true; /* nothing may follow a part of a record */
        return false;
    }
    gathered.filed += bytes;
    atomic_store(&segment->gathered_bytes, 0);
    atomic_fetch_add(&segment->gathered_moves, 1);
    atomic_thread_fence(memory_order_seq_cst);
    return true;
}

static void put(struct spur_segment *segment, const struct spur_slot *slot, uint64_t used)
{
    static const uint8_t end[] = {OTF2_FRAME_END_OF_FILE, OTF2_FRAME_END_OF_BUFFER};
    uint32_t at = atomic_load_explicit(&segment->gathered_bytes, memory_order_relaxed);
    const struct spur_gathered record = {slot->thread, (uint32_t)(used + sizeof end)};
    uint8_t *to = (uint8_t *)room_of(segment) + at;
    memcpy(to, &record, sizeof record);
    memcpy(to + sizeof record, slot->cursor.chunk, used);
    finish_chunk_number_from(to + sizeof record, 1, slot->cursor.events);
    memcpy(to + sizeof record + used, end, sizeof end);
    atomic_store_explicit(&segment->gathered_bytes, at + (uint32_t)spur_gathered_room(record.bytes),
                          memory_order_release);
}

/* The events in the slot's one chunk; 0: there is more than that, or nothing. */
static uint64_t bytes_of(const struct spur_slot *slot)
{
    const struct otf2_evt_cursor *cursor = &slot->cursor;
    struct finish_chunk chunk;
    if (slot->chunks != 1 || slot->oldest != 0 || !cursor->chunk || !cursor->pos)
        return 0;
    uint64_t used = (uint64_t)(cursor->pos - cursor->chunk);
    bool is_first =
        finish_chunk_scan(cursor->chunk, OTF2_FRAME_HEADER_BYTES, &chunk) && chunk.first == 1;
    return is_first && used <= MOST_BYTES ? used : 0;
}

bool spur_gathered_put(const struct spur_slot *slot)
{
    struct spur_segment *segment = spur_buffer_segment();
    uint64_t used = bytes_of(slot);
    if (!used)
        return false;
    spur_lock_take(&gathered.lock);
    uint64_t end = segment->gathered_bytes + spur_gathered_room(used + 2);
    bool has_room = end <= SPUR_GATHERED_BYTES || move_out(segment);
    has_room =
        has_room && spur_buffer_gathers(segment->gathered_bytes + spur_gathered_room(used + 2));
    if (has_room)
        put(segment, slot, used);
    spur_lock_give(&gathered.lock);
    return has_room;
}
