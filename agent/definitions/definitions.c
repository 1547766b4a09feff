/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/definitions/definitions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "agent/segment/buffer.h"
#include "agent/segment/stop.h"
#include "base/file_map.h"
#include "base/lock.h"
#include "base/mapping.h"
#include "base/mem.h"
#include "base/own_stack.h"
#include "session/journal.h"

enum {
    PATH_BYTES = 4096,
    FIRST_BYTES = 64 << 10, /* mapped at the start */
    PIECE_BYTES = 4 << 10,
    FIRST_ENTRIES = 1 << 8,
};

struct entry {
    uint32_t hash;
    uint32_t id_plus_1; /* 0: free */
    uint64_t at;        /* of the record in the journal */
};

static struct {
    struct spur_lock lock;
    char path[PATH_BYTES];       /* of the journal */
    char *map;                   /* NULL: not recording */
    uint64_t bytes, space, used; /* mapped; with space; of records */
    struct entry *table;         /* open addressing, a power of two, at most half full */
    uint32_t entries, taken;
    bool is_full; /* a definition found no place: no new definition is taken afterwards */
    struct spur_counts counts;
    _Atomic uint32_t teams; /* numbers given so far */
} defs;

static void drop(void)
{
    if (defs.map)
        spur_unmap(defs.map, defs.bytes);
    defs.map = NULL;
    defs.bytes = defs.space = defs.used = 0;
    defs.is_full = false;
    defs.counts = (struct spur_counts){{0}};
    atomic_store_explicit(&defs.teams, 0, memory_order_relaxed);
    if (defs.table)
        memset(defs.table, 0, defs.entries * sizeof *defs.table);
    defs.taken = 0;
}

/* Takes space piece by piece, before its use: most processes define little. */
static int take_space(uint64_t need)
{
    uint64_t end = defs.used + need, next = defs.space + defs.space / 4;
    next = (next < end ? end : next) + PIECE_BYTES - 1;
    next = next < defs.bytes ? next / PIECE_BYTES * PIECE_BYTES : defs.bytes;
    if (end <= defs.space)
        return 0;
    int err = spur_file_map_space(defs.path, defs.map + defs.space, defs.space, next - defs.space);
    if (!err)
        defs.space = next;
    return err;
}

/* Maps this number of bytes, with the space of the file. */
static int map_journal(int flags, uint64_t bytes)
{
    const struct spur_file_map journal = {.path = defs.path, .flags = flags, .bytes = bytes};
    char *map = NULL;
    int err = spur_file_map(&journal, &map);
    if (err)
        return err;
    spur_map_pages_alone(map, bytes);
    if (defs.map)
        spur_unmap(defs.map, defs.bytes);
    defs.map = map;
    defs.bytes = bytes;
    return 0;
}

int spur_defs_open(const char *dir)
{
    int saved = errno;
    spur_lock_take(&defs.lock);
    drop();
    int n = snprintf(defs.path, sizeof defs.path, "%s/journal", dir);
    int err = (size_t)n < sizeof defs.path ? 0 : -ENAMETOOLONG;
    if (!err)
        err = map_journal(O_CREAT | O_EXCL, FIRST_BYTES);
    if (!err)
        err = take_space(PIECE_BYTES);
    if (err)
        drop();
    spur_lock_give(&defs.lock);
    errno = saved;
    return err;
}

void spur_defs_close(void)
{
    spur_lock_take(&defs.lock);
    drop();
    spur_lock_give(&defs.lock);
}

void spur_defs_forget(void)
{
    /* The parent's other threads may have been at work: their table is not to be trusted. */
    defs.table = NULL;
    defs.entries = 0;
    spur_lock_reset(&defs.lock);
    drop();
}

static int make_longer(uint64_t need)
{
    uint64_t bytes = defs.bytes;
    while (bytes - defs.used < need)
        bytes *= 2;
    return bytes == defs.bytes ? 0 : map_journal(0, bytes);
}

static bool grow_file(uint64_t need)
{
    int err = make_longer(need);
    if (!err)
        err = take_space(need);
    if (err)
        spur_stop(SPUR_STOP_DISK, -err, NULL);
    return err == 0;
}

void spur_defs_prepare(void)
{
    enum { ROOM = 1 << 17 };
    spur_lock_take(&defs.lock);
    if (defs.map && make_longer(ROOM) == 0 && !spur_file_map_can_wait())
        (void)take_space(ROOM);
    spur_lock_give(&defs.lock);
}

static struct spur_record_header *header_at(uint64_t at)
{
    return (struct spur_record_header *)(void *)(defs.map + at);
}

static void table_put(struct entry *table, uint32_t entries, struct entry new)
{
    uint32_t i = new.hash &(entries - 1);
    while (table[i].id_plus_1)
        i = (i + 1) & (entries - 1);
    table[i] = new;
}

static bool grow_table(void)
{
    if (defs.taken < defs.entries / 2)
        return true;
    uint32_t entries = defs.entries ? 2 * defs.entries : FIRST_ENTRIES;
    struct entry *table = spur_mem_new(entries * sizeof *table);
    if (!table) {
        spur_stop(SPUR_STOP_DISK, ENOMEM, NULL);
        return false;
    }
    for (uint32_t i = 0; i < defs.entries; i++)
        if (defs.table[i].id_plus_1)
            table_put(table, entries, defs.table[i]);
    spur_mem_free(defs.table, defs.entries * sizeof *table);
    defs.table = table;
    defs.entries = entries;
    return true;
}

/* The id + 1 of a record equal to the record just packed behind the end; 0: no equal record. */
static uint32_t known(uint32_t kind, uint32_t hash, size_t bytes)
{
    const void *packed = header_at(defs.used) + 1;
    for (uint32_t i = hash & (defs.entries - 1); defs.table[i].id_plus_1;
         i = (i + 1) & (defs.entries - 1)) {
        const struct spur_record_header *header = header_at(defs.table[i].at);
        if (defs.table[i].hash == hash && header->kind == kind && header->bytes == bytes &&
            memcmp(header + 1, packed, bytes) == 0)
            return defs.table[i].id_plus_1;
    }
    return 0;
}

/*
 * Packs the record behind the end, without its kind. The size comes first: if the process is killed
 * now, finishing knows by the size that the bytes behind the end are no damage.
 */
static const uint64_t *pack_draft(uint32_t kind, const struct spur_cell *cells, size_t bytes)
{
    struct spur_record_header *header = header_at(defs.used);
    header->bytes = (uint32_t)bytes;
    atomic_thread_fence(memory_order_release);
    uint64_t *payload = (uint64_t *)(void *)(header + 1);
    spur_record_pack(kind, cells, payload);
    return payload;
}

/* Zeros again: only zeros lie behind the last record. */
static void drop_draft(size_t bytes)
{
    struct spur_record_header *header = header_at(defs.used);
    memset(header + 1, 0, bytes);
    atomic_thread_fence(memory_order_release);
    header->bytes = 0;
}

static void commit(uint32_t kind, size_t bytes)
{
    struct spur_record_header *header = header_at(defs.used);
    atomic_store_explicit(&header->kind, kind, memory_order_release);
    defs.used += sizeof *header + bytes;
    struct spur_segment *segment = spur_buffer_segment();
    if (segment)
        atomic_store_explicit(&segment->journal_bytes, defs.used, memory_order_release);
}

/*
 * Is there a place for the definition? After the stop of recording, events under way are still
 * written: a region whose name is missing must not be defined. An addition to a definition is taken
 * if the addition names no missing definition.
 */
static bool has_place(const struct spur_definition *row, const struct spur_cell *cells)
{
    if (row->space < SPUR_SPACES && !defs.is_full && defs.counts.of[row->space] == SPUR_IDS_MAX) {
        defs.is_full = true;
        spur_stop(SPUR_STOP_DEFINITIONS, 0, row->name);
    }
    bool is_whole = row->space == SPUR_SPACES;
    for (int i = 0; is_whole && i < row->cells; i++)
        is_whole = row->cell[i] != SPUR_CELL_STRING || cells[i].number != OTF2_UNDEFINED_STRING;
    return !defs.is_full || is_whole;
}

/* Call with the lock. */
static uint32_t intern(uint32_t kind, const struct spur_cell *cells)
{
    const struct spur_definition *row = &spur_definitions[kind];
    size_t words = spur_record_pack(kind, cells, NULL);
    size_t bytes = words * sizeof(uint64_t);
    uint64_t need = bytes + 2 * sizeof(struct spur_record_header);
    if (!defs.map || bytes > UINT32_MAX)
        return OTF2_UNDEFINED_UINT32;
    if ((defs.space - defs.used < need && !grow_file(need)) || !grow_table()) {
        defs.is_full = true;
        return OTF2_UNDEFINED_UINT32;
    }
    const uint64_t *payload = pack_draft(kind, cells, bytes);
    uint32_t hash = 0;
    if (row->identity == SPUR_IDENTITY_CONTENT) {
        hash = (uint32_t)spur_hash(kind, payload, words);
        uint32_t id_plus_1 = known(kind, hash, bytes);
        if (id_plus_1) {
            drop_draft(bytes);
            return id_plus_1 - 1;
        }
    }
    if (!has_place(row, cells)) {
        drop_draft(bytes);
        return OTF2_UNDEFINED_UINT32;
    }
    uint64_t at = defs.used;
    commit(kind, bytes);
    if (row->space == SPUR_SPACES)
        return OTF2_UNDEFINED_UINT32;
    uint32_t id = defs.counts.of[row->space]++;
    if (row->identity == SPUR_IDENTITY_CONTENT) {
        table_put(defs.table, defs.entries, (struct entry){hash, id + 1, at});
        defs.taken++;
    }
    return id;
}

static uint32_t spur_define_here(uint32_t kind, const struct spur_cell *cells)
{
    int saved = errno;
    spur_lock_take(&defs.lock);
    uint32_t id = intern(kind, cells);
    spur_lock_give(&defs.lock);
    errno = saved;
    return id;
}
SPUR_DOOR(uint32_t, spur_define, (uint32_t, kind), (const struct spur_cell *, cells))

uint32_t spur_defs_next_team(void)
{
    return atomic_fetch_add_explicit(&defs.teams, 1, memory_order_relaxed);
}

uint64_t spur_defs_bytes(const void **bytes, const char **path)
{
    spur_lock_take(&defs.lock);
    *bytes = defs.map;
    uint64_t used = defs.used;
    if (path)
        *path = defs.path;
    spur_lock_give(&defs.lock);
    return used;
}

bool spur_defs_copy(struct spur_words *journal)
{
    spur_lock_take(&defs.lock);
    size_t words = defs.map ? defs.used / sizeof(uint64_t) : 0;
    uint64_t *at = words ? spur_words_add(journal, words) : NULL;
    if (at)
        memcpy(at, defs.map, words * sizeof *at);
    spur_lock_give(&defs.lock);
    return at || words == 0;
}
