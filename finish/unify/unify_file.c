/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/unify/unify_file.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/raw_file.h"

/* What both files begin with. */
struct header {
    uint64_t magic;
    uint64_t words; /* of the whole file: one that was cut off is not used */
    uint64_t stamp;
    uint64_t number;               /* of processes, or of the process */
    uint64_t covered;              /* of a map: bytes of the journal */
    uint64_t defined[SPUR_SPACES]; /* of a map */
};

enum { HEADER_WORDS = sizeof(struct header) / sizeof(uint64_t), FILE_MAX = 1 << 30 };

static const uint64_t unified_magic = 0x32494e5552555053; /* "SPURUNI2" */
static const uint64_t map_magic = 0x3150414d52555053;     /* "SPURMAP1" */

uint64_t spur_unify_stamp(uint64_t n, const uint64_t *journal, uint64_t words)
{
    return spur_hash(n, journal, words);
}

static bool put(struct spur_words *words, const void *from, size_t n)
{
    uint64_t *at = n ? spur_words_add(words, n) : NULL;
    if (at)
        memcpy(at, from, n * sizeof *at);
    return at || n == 0;
}

/* The header, once its file is whole. */
static int begin(struct spur_words *file, struct header *header)
{
    header->words = file->n;
    if (file->failed)
        return -ENOMEM;
    memcpy(file->at, header, sizeof *header);
    return 0;
}

int spur_unified_save(const char *path, const struct spur_words *journal, uint64_t n,
                      uint64_t stamp)
{
    struct header header = {.magic = unified_magic, .stamp = stamp, .number = n};
    struct spur_words file = {0};
    bool ok = put(&file, &header, HEADER_WORDS) && put(&file, journal->at, journal->n);
    int err = ok ? begin(&file, &header) : -ENOMEM;
    if (!err)
        err = spur_file_create(path, file.at, file.n * sizeof *file.at);
    spur_words_free(&file);
    return err;
}

int spur_unified_map_make(struct spur_words *file, const struct spur_unified_map *about,
                          const struct spur_map *map)
{
    struct header header = {.magic = map_magic,
                            .stamp = about->stamp,
                            .number = about->rank,
                            .covered = about->covered};
    bool ok = put(file, &header, HEADER_WORDS);
    for (int space = 0; space < SPUR_SPACES && ok; space++) {
        header.defined[space] = map->of[space].n;
        ok = put(file, map->of[space].at, map->of[space].n);
    }
    return ok ? begin(file, &header) : -ENOMEM;
}

/* -EINVAL at once for what is not as long as it says, however long it is. */
static int load(const char *path, uint64_t magic, void **memory, uint64_t *bytes, uint64_t *room)
{
    struct header header;
    uint64_t size;
    int fd = spur_file_open(path, &size);
    if (fd < 0)
        return fd;
    bool is_it = spur_file_read(fd, 0, &header, sizeof header) == sizeof header &&
                 header.magic == magic && header.words == size / sizeof(uint64_t);
    spur_file_close(fd);
    return is_it ? spur_file_load(path, FILE_MAX, memory, bytes, room) : -EINVAL;
}

/* The words behind the header; NULL: not such a file, or cut off. */
static const uint64_t *check(const void *memory, uint64_t bytes, uint64_t magic,
                             struct header *header)
{
    if (bytes < sizeof *header)
        return NULL;
    memcpy(header, memory, sizeof *header);
    if (header->magic != magic || header->words != bytes / sizeof(uint64_t))
        return NULL;
    return (const uint64_t *)memory + HEADER_WORDS;
}

int spur_unified_load(const char *path, struct spur_unified *unified)
{
    struct header header;
    uint64_t bytes;
    int err = load(path, unified_magic, &unified->memory, &bytes, &unified->room);
    if (err)
        return err;
    unified->journal = check(unified->memory, bytes, unified_magic, &header);
    uint64_t words = unified->journal ? header.words - HEADER_WORDS : 0;
    if (!unified->journal ||
        spur_unify_stamp(header.number, unified->journal, words) != header.stamp) {
        spur_unified_free(unified);
        return -EINVAL;
    }
    unified->n = header.number;
    unified->stamp = header.stamp;
    unified->journal_bytes = words * sizeof(uint64_t);
    return 0;
}

void spur_unified_free(struct spur_unified *unified)
{
    spur_mem_free(unified->memory, unified->room);
    *unified = (struct spur_unified){0};
}

/* Do the ids that the header claims fill the file exactly? */
static bool is_full(const struct header *header)
{
    uint64_t left = header->words - HEADER_WORDS;
    for (int space = 0; space < SPUR_SPACES; space++) {
        if (header->defined[space] > left)
            return false;
        left -= header->defined[space];
    }
    return left == 0;
}

int spur_unified_map_load(const char *path, struct spur_unified_map *map)
{
    void *memory = NULL;
    uint64_t bytes, room;
    int err = load(path, map_magic, &memory, &bytes, &room);
    return err ? err : spur_unified_map_take(memory, bytes, room, map);
}

int spur_unified_map_take(void *memory, uint64_t bytes, uint64_t room, struct spur_unified_map *map)
{
    struct header header;
    map->memory = memory;
    map->bytes = bytes;
    map->room = room;
    map->ids = check(map->memory, bytes, map_magic, &header);
    if (!map->ids || !is_full(&header)) {
        spur_unified_map_free(map);
        return -EINVAL;
    }
    map->stamp = header.stamp;
    map->rank = header.number;
    map->covered = header.covered;
    memcpy(map->defined, header.defined, sizeof map->defined);
    return 0;
}

void spur_unified_map_free(struct spur_unified_map *map)
{
    spur_mem_free(map->memory, map->room);
    *map = (struct spur_unified_map){0};
}

bool spur_unified_covers(const struct spur_unified_map *map, const void *journal, uint64_t bytes)
{
    struct spur_record record;
    uint64_t at = map->covered;
    if (at > bytes || at % sizeof(uint64_t) != 0)
        return false;
    while (spur_journal_next(journal, bytes, &at, &record))
        if (record.kind != SPUR_DEFINITION_Location &&
            record.kind != SPUR_DEFINITION_ProcessProperty &&
            record.kind != SPUR_DEFINITION_LockCount)
            return false;
    return true;
}
