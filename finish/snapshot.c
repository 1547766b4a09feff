/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/events/finish_open.h"
#include "finish/find/finish_find.h"
#include "finish/snapshot_files.h"
#include "finish/state/finish_chunk.h"
#include "session/journal.h"
#include "session/local_place.h"
#include "session/lock_cell.h"
#include "session/segment.h"
#include "session/stamp.h"

enum { TRIES = 50, CHUNK_MIN = 256 << 10, CHUNK_MAX = 16 << 20 };

/* The copying of one process. */
struct copy {
    const struct spur_snapshot *snapshot;
    const char *session; /* parent directory: DIR, or a place of this host */
    const char *name;    /* of the process's directory */
    int from, to;        /* the segments */
    struct spur_segment head;
    char *block; /* [SNAPSHOT_COPY_BYTES or a block, whatever is more] */
    uint64_t block_bytes;
    uint32_t *threads; /* threads copied with their slots */
    size_t n_threads, room;
};

static int copy_events(const struct copy *c, uint32_t thread)
{
    char name[64];
    snprintf(name, sizeof name, "traces/%u.evt", thread);
    int err = snapshot_copy_file(c->session, c->snapshot->to, c->name, name);
    return err == -ENOENT ? 0 : err;
}

/* ---- a slot ---- */

static int read_slot(const struct copy *c, uint64_t at, struct spur_slot *slot)
{
    int64_t n = spur_file_read(c->from, at, slot, sizeof *slot);
    return n < 0 ? (int)n : n == sizeof *slot ? 0 : -EIO;
}

static void nap(int ms)
{
    const struct timespec time = {0, ms * 1000000L};
    nanosleep(&time, NULL);
}

/*
 * Read a slot that did not change during the reading, as far as the list of chunks goes.
 * *taken_back: the value of `taken_back` in the slot before the cursor was read.
 */
static int read_quiet_slot(const struct copy *c, uint64_t at, struct spur_slot *slot,
                           uint32_t *taken_back)
{
    for (int i = 0; i < TRIES; i++) {
        struct spur_slot before;
        int err = read_slot(c, at, &before);
        *taken_back = before.taken_back;
        if (!err)
            err = read_slot(c, at, slot);
        if (err || slot->state != SPUR_SLOT_LIVE)
            return err;
        /*
         * The thread is between two chunks. A thread without an event yet is not even in the first
         * chunk.
         */
        bool is_moving = slot->chunks && slot->cursor.chunk && !slot->cursor.pos;
        if (!is_moving && before.changes == slot->changes && before.state == slot->state &&
            before.thread == slot->thread && before.cursor.chunk == slot->cursor.chunk)
            return 0;
        if (i > 0)
            nap(1); /* the thread is writing a chunk to the disk */
    }
    return -EAGAIN;
}

static int copy_chunks(const struct copy *c, const struct spur_slot *slot)
{
    int err = 0;
    for (uint32_t i = 0; i < slot->chunks && !err; i++) {
        uint64_t at = slot->chunk[i] * c->block_bytes;
        int64_t n = slot->chunk[i] ? spur_file_read(c->from, at, c->block, c->block_bytes) : -EIO;
        err = n < 0 ? (int)n : snapshot_write(c->to, at, c->block, (uint64_t)n);
    }
    return err;
}

/* ---- open regions of the thread ---- */

static int follow_chunks(const struct copy *c, const struct spur_slot *slot,
                         struct finish_open *open)
{
    uint64_t used = (uintptr_t)slot->cursor.pos - (uintptr_t)slot->cursor.chunk;
    for (uint32_t i = 0; i < slot->chunks; i++) {
        uint64_t at = slot->chunk[(slot->oldest + i) % slot->chunks] * c->block_bytes;
        uint64_t most = i + 1 < slot->chunks ? c->block_bytes : used;
        int64_t n = spur_file_read(c->to, at, c->block, most);
        if (n < 0)
            return (int)n;
        finish_open_follow(open, (const uint8_t *)c->block, (uint64_t)n);
    }
    return 0;
}

/*
 * The stack was read a little later than the cursor, and the thread went on meanwhile. Therefore
 * the events in the chunk decide, on top of the regions opened before the chunk and still open.
 */
static int settle(const struct copy *c, struct spur_slot *slot)
{
    if (!slot->chunks)
        return 0;
    struct finish_open open = {slot->region, slot->chunk_depth[slot->oldest % slot->chunks]};
    int err = follow_chunks(c, slot, &open);
    slot->depth = open.depth;
    return err;
}

/*
 * The number of the oldest chunks already in the thread's file, and dropped here, maybe during the
 * copying: dropping clears the first bytes of a chunk first.
 */
static uint32_t count_dropped(const struct copy *c, const struct spur_slot *slot)
{
    uint8_t header[OTF2_FRAME_HEADER_BYTES];
    uint32_t n = 0;
    for (; n + 1 < slot->chunks; n++) {
        uint64_t at = slot->chunk[(slot->oldest + n) % slot->chunks] * c->block_bytes;
        if (spur_file_read(c->from, at, header, sizeof header) != sizeof header ||
            !finish_is_zero(header, sizeof header))
            break;
    }
    return n;
}

/* Remove the `n` oldest chunks: the chunks may have been used again since the slot was read. */
static void forget_chunks(struct spur_slot *slot, uint32_t n)
{
    uint32_t chunk[SPUR_SLOT_CHUNKS] = {0}, depth[SPUR_SLOT_CHUNKS] = {0};
    for (uint32_t i = n; i < slot->chunks; i++) {
        chunk[i - n] = slot->chunk[(slot->oldest + i) % slot->chunks];
        depth[i - n] = slot->chunk_depth[(slot->oldest + i) % slot->chunks];
    }
    slot->chunks -= n;
    slot->oldest = 0;
    memcpy(slot->chunk, chunk, sizeof chunk);
    memcpy(slot->chunk_depth, depth, sizeof depth);
}

/*
 * The thread takes back short calls: the copied last events may have changed since. Cut back to the
 * firm events. False: nobody knows which events changed.
 */
static bool keep_firm(struct spur_slot *slot)
{
    struct otf2_evt_cursor *cursor = &slot->cursor;
    if ((uintptr_t)slot->firm < (uintptr_t)cursor->chunk ||
        (uintptr_t)slot->firm > (uintptr_t)cursor->pos)
        return false;
    cursor->pos = slot->firm;
    slot->short_told = 0; /* the record of the last count may be among the events cut off */
    return true;
}

/*
 * The number of the thread's oldest chunks that may have been used again since the slot was read:
 * chunks added since have cost no old chunk. All chunks: nobody knows which, and the copy has to be
 * tried again.
 */
static uint32_t count_lost(const struct spur_slot *slot, const struct spur_slot *after)
{
    uint32_t lost = after->changes - slot->changes - (after->chunks - slot->chunks);
    /* A chunk is just being added to the list, or used again. */
    return lost && after->oldest == slot->oldest ? UINT32_MAX : lost;
}

/*
 * The thread went on, and may have sealed the open chunk before the chunk was copied. In the copy
 * the chunk and its events end at the position in the slot.
 */
static int end_open_chunk(const struct copy *c, struct spur_slot *slot)
{
    struct finish_chunk chunk;
    if (!slot->chunks)
        return 0;
    uint64_t used = (uintptr_t)slot->cursor.pos - (uintptr_t)slot->cursor.chunk;
    uint32_t last = slot->chunk[(slot->oldest + slot->chunks - 1) % slot->chunks];
    uint64_t at = last * c->block_bytes;
    if (used < OTF2_FRAME_HEADER_BYTES || used > c->block_bytes)
        return -EAGAIN; /* slot and chunk are of two moments */
    uint8_t *bytes = (uint8_t *)c->block;
    int64_t n = spur_file_read(c->to, at, bytes, used);
    if (n < 0 || (uint64_t)n != used)
        return n < 0 ? (int)n : -EIO;
    if (!finish_chunk_scan(bytes, OTF2_FRAME_HEADER_BYTES, &chunk))
        return 0; /* finishing sees that the bytes are no chunk */
    finish_chunk_number_from(bytes, chunk.first, 0);
    (void)finish_chunk_scan(bytes, used, &chunk);
    slot->cursor.events = chunk.first + chunk.events - 1;
    memset(bytes + used, 0, c->block_bytes - used);
    return snapshot_write(c->to, at, bytes, c->block_bytes);
}

/* 0: copied, or the slot is free. -EAGAIN: the copy has to be tried again. */
static int try_slot(struct copy *c, uint64_t at, struct spur_slot *slot)
{
    struct spur_slot after;
    uint32_t taken_back;
    int err = read_quiet_slot(c, at, slot, &taken_back);
    if (err || slot->state != SPUR_SLOT_LIVE)
        return err;
    if (slot->chunks > SPUR_SLOT_CHUNKS || slot->oldest > SPUR_SLOT_CHUNKS)
        return -EIO;
    err = copy_chunks(c, slot);
    if (!err)
        err = read_slot(c, at, &after);
    if (err)
        return err;
    uint32_t lost = count_lost(slot, &after);
    if (lost && lost >= slot->chunks)
        return -EAGAIN; /* all chunks of the thread may have changed, or the thread has ended */
    if (after.taken_back != taken_back && !keep_firm(slot))
        return -EAGAIN;
    forget_chunks(slot, lost ? lost : count_dropped(c, slot));
    if (!slot->cursor.chunk)
        slot->chunks = 0; /* chunks of an earlier owner */
    err = end_open_chunk(c, slot);
    if (!err)
        err = settle(c, slot);
    if (!err)
        err = copy_events(c, slot->thread); /* events beyond the slot's are left out later */
    return err ? err : snapshot_write(c->to, at, slot, sizeof *slot);
}

static int note_thread(struct copy *c, uint32_t thread)
{
    if (c->n_threads == c->room) {
        size_t room = c->room ? 2 * c->room : 64;
        uint32_t *grown = realloc(c->threads, room * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        c->threads = grown;
        c->room = room;
    }
    c->threads[c->n_threads++] = thread;
    return 0;
}

static int copy_slot(struct copy *c, uint64_t at)
{
    struct spur_slot slot;
    int err = -EAGAIN;
    for (int i = 0; i < TRIES && err == -EAGAIN; i++) {
        if (i > 0)
            nap(i);
        err = try_slot(c, at, &slot);
    }
    return !err && slot.state == SPUR_SLOT_LIVE ? note_thread(c, slot.thread) : err;
}

static int copy_slots(struct copy *c, uint64_t from, uint64_t end)
{
    int err = 0;
    for (uint64_t at = from; at + sizeof(struct spur_slot) <= end && !err;
         at += sizeof(struct spur_slot))
        err = copy_slot(c, at);
    return err;
}

static int copy_all_slots(struct copy *c)
{
    int err = copy_slots(c, SPUR_SLOTS_OFFSET, c->block_bytes);
    for (uint32_t i = 0; i < c->head.slot_blocks && !err; i++) {
        uint64_t first = c->head.slot_block[i] * c->block_bytes;
        err = copy_slots(c, first, first + c->block_bytes);
    }
    return err;
}

/* ---- gathered events of ended threads ---- */

/*
 * Copy the gathered bytes of a moment, and the file afterwards: events moved to the file meanwhile
 * are in both copies. The copying follows the copying of the slots, so a thread that ends just now
 * is found here if not in a slot.
 */
static int copy_gathered(struct copy *c)
{
    const uint64_t at = offsetof(struct spur_segment, gathered_bytes);
    struct {
        uint32_t bytes, moves;
    } now = {0}, after = {0};
    int err = -EAGAIN;
    for (int i = 0; i < TRIES && err == -EAGAIN; i++) {
        if (spur_file_read(c->from, at, &now, sizeof now) != sizeof now ||
            now.bytes > SPUR_GATHERED_BYTES ||
            spur_file_read(c->from, SPUR_GATHERED_OFFSET, c->block, now.bytes) != now.bytes ||
            spur_file_read(c->from, at, &after, sizeof after) != sizeof after)
            return -EIO;
        err = now.moves == after.moves ? 0 : -EAGAIN;
    }
    if (!err)
        err = snapshot_write(c->to, SPUR_GATHERED_OFFSET, c->block, now.bytes);
    if (!err)
        err = snapshot_copy_file(c->session, c->snapshot->to, c->name, SPUR_GATHERED_FILE);
    c->head.gathered_bytes = now.bytes;
    c->head.gathered_moves = now.moves;
    return err == -ENOENT ? 0 : err;
}

/* ---- a process ---- */

/* Copy files of ended threads: the files of threads with copied slots are copied already. */
static int copy_ended(void *data, const char *name)
{
    const struct copy *c = data;
    char *end;
    unsigned long thread = strtoul(name, &end, 10);
    if (end == name || strcmp(end, ".evt") != 0)
        return 0;
    for (size_t i = 0; i < c->n_threads; i++)
        if (c->threads[i] == thread)
            return 0;
    return copy_events(c, (uint32_t)thread);
}

static int check_head(struct copy *c)
{
    struct spur_segment *head = &c->head;
    int64_t n = spur_file_read(c->from, 0, head, sizeof *head);
    bool is_good = n == sizeof *head &&
                   memcmp(head->magic, SPUR_SEGMENT_MAGIC, sizeof head->magic) == 0 &&
                   head->version == SPUR_SEGMENT_VERSION &&
                   head->slot_bytes == sizeof(struct spur_slot) && head->block_bytes >= CHUNK_MIN &&
                   head->block_bytes <= CHUNK_MAX && head->slot_blocks <= SPUR_SLOT_BLOCKS;
    return n < 0 ? (int)n : is_good ? 0 : -EPROTO;
}

/* The header last: the header's statement about the end must not be newer than the events. */
static int copy_contents(struct copy *c)
{
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t bytes;
    int err = check_head(c);
    if (!err) /* first: a process declared dead has recorded nothing more since */
        err = snapshot_copy_file(c->session, c->snapshot->to, c->name, SPUR_DEATH_FILE);
    if (err && err != -ENOENT)
        return err;
    bytes = c->head.block_bytes > SNAPSHOT_COPY_BYTES ? c->head.block_bytes : SNAPSHOT_COPY_BYTES;
    c->block_bytes = c->head.block_bytes;
    c->block = spur_mem_new(bytes);
    err = c->block ? copy_all_slots(c) : -ENOMEM;
    if (!err)
        err = copy_gathered(c);
    if (!err)
        err = spur_file_list(snapshot_place(c->session, c->name, "traces", path), copy_ended, c);
    if (!err || err == -ENOENT)
        err = snapshot_write(c->to, 0, &c->head, sizeof c->head);
    if (!err)
        err = snapshot_copy_file(c->session, c->snapshot->to, c->name, SPUR_COUNTS_FILE);
    if (!err || err == -ENOENT)
        err = snapshot_copy_file(c->session, c->snapshot->to, c->name, "journal");
    if (err == -ENOENT)
        err = 0;
    spur_mem_free(c->block, bytes);
    return err;
}

static int copy_process(const struct spur_snapshot *snapshot, const char *session, const char *name)
{
    struct copy c = {snapshot, session, name, .from = -1, .to = -1};
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    c.from = spur_file_open(snapshot_place(session, name, "segment", path), &size);
    if (c.from < 0)
        return c.from;
    int err = spur_beneath_mkdir(snapshot_place(snapshot->to, name, "", path), 0700);
    if (!err)
        err = spur_beneath_mkdir(snapshot_place(snapshot->to, name, "traces", path), 0700);
    if (!err)
        c.to = spur_beneath_open(snapshot_place(snapshot->to, name, "segment", path),
                                 O_RDWR | O_CREAT | O_EXCL, 0600);
    if (!err)
        err = c.to < 0 ? c.to : copy_contents(&c);
    spur_file_close(c.from);
    if (c.to >= 0 && close(c.to) < 0 && !err)
        err = -errno;
    free(c.threads);
    return err;
}

/* ---- the session ---- */

struct pass {
    struct spur_snapshot *snapshot;
    const char *session;
};

static int copy_entry(void *data, const char *name)
{
    const struct pass *pass = data;
    struct spur_snapshot *snapshot = pass->snapshot;
    char path[SPUR_FILE_PATH_BYTES];
    struct stat info;
    if (!finish_is_process_name(name) || (snapshot->only && strcmp(name, snapshot->only) != 0) ||
        lstat(snapshot_place(pass->session, name, "", path), &info) < 0 || !S_ISDIR(info.st_mode))
        return 0;
    int err = copy_process(snapshot, pass->session, name);
    if (err == -EEXIST) { /* moved from this host meanwhile, maybe during the copying */
        err = spur_local_remove(snapshot_place(snapshot->to, name, "", path), 1);
        err = err ? err : copy_process(snapshot, pass->session, name);
    }
    if (err == -ENOENT)
        return 0; /* the process has not recorded anything yet */
    snapshot->copied += !err;
    return err;
}

static int copy_all(void *data, const char *session)
{
    struct pass pass = {data, session};
    char path[SPUR_FILE_PATH_BYTES];
    int err = spur_file_list(snapshot_place(session, "", "", path), copy_entry, &pass);
    return spur_file_is_none(err) ? 0 : err;
}

/* The processes of this host first: a process moved meanwhile is seen twice, and not missed. */
static int copy_processes(struct spur_snapshot *snapshot)
{
    struct finish *f = spur_mem_new(sizeof *f);
    if (!f)
        return -ENOMEM;
    f->dir = snapshot->from;
    int err = finish_hosts_each(f, copy_all, snapshot);
    memcpy(snapshot->away, f->hosts.names, sizeof snapshot->away);
    spur_mem_free(f, sizeof *f);
    return err ? err : copy_all(snapshot, snapshot->from);
}

static bool is_finished(const struct spur_snapshot *snapshot)
{
    char path[SPUR_FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/traces.otf2", snapshot->from);
    return spur_file_is_there(path) ||
           spur_file_is_there(snapshot_place(snapshot->from, "finishing", "", path));
}

int spur_snapshot_copy(struct spur_snapshot *snapshot)
{
    char path[SPUR_FILE_PATH_BYTES];
    struct stat info;
    snapshot->copied = 0;
    if (is_finished(snapshot))
        return -EAGAIN;
    if (lstat(snapshot_place(snapshot->from, "", "", path), &info) < 0 || !S_ISDIR(info.st_mode))
        return -ENOENT;
    if (mkdir(snapshot->to, 0777) < 0)
        return -errno;
    int err = spur_beneath_mkdir(snapshot_place(snapshot->to, "", "", path), 0700);
    if (!err)
        err = copy_processes(snapshot);
    if (!err)
        err = snapshot_copy_folder(snapshot, "notes");
    if (!err)
        err = snapshot_copy_settled(snapshot);
    if (is_finished(snapshot))
        err = -EAGAIN; /* the files have been moved meanwhile */
    return err ? err : snapshot->copied ? 0 : -ENOENT;
}
