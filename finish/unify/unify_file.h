/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The result of a unification over MPI as files: DIR/.spur/unified, the unified journal, and in the
 * directory of each process `map`: the map of the process, and the covered part of the journal.
 * Equal stamps show that the files belong together. If the files cover everything, finishing takes
 * the files instead of unifying again; the archive is the same either way.
 */
#ifndef SPUR_UNIFY_FILE_H
#define SPUR_UNIFY_FILE_H

#include "finish/unify/unify.h"

struct spur_unified {
    uint64_t n;     /* processes */
    uint64_t stamp; /* of the unification */
    const uint64_t *journal;
    uint64_t journal_bytes;
    void *memory;
    uint64_t room;
};

struct spur_unified_map {
    uint64_t stamp;
    uint64_t rank;
    uint64_t covered; /* bytes of the process's journal */
    uint64_t defined[SPUR_SPACES];
    const uint64_t *ids; /* space by space */
    void *memory;        /* contents of the file, `bytes` bytes */
    uint64_t bytes;
    uint64_t room;
};

/* A digest of the unified journal of `n` processes. */
uint64_t spur_unify_stamp(uint64_t n, const uint64_t *journal, uint64_t words);

/* A new file. 0 or -errno. */
int spur_unified_save(const char *path, const struct spur_words *journal, uint64_t n,
                      uint64_t stamp);
/* Make the contents of a map's file. Stamp, rank and covered of `about` count. 0 or -errno. */
int spur_unified_map_make(struct spur_words *file, const struct spur_unified_map *about,
                          const struct spur_map *map);

/* 0, -ENOENT, or another -errno: not to be used. Loaded contents are checked. */
int spur_unified_load(const char *path, struct spur_unified *unified);
void spur_unified_free(struct spur_unified *unified);
int spur_unified_map_load(const char *path, struct spur_unified_map *map);
/*
 * The same from the contents of a map's file; `memory`, of `room` bytes, is the map's from now on.
 */
int spur_unified_map_take(void *memory, uint64_t bytes, uint64_t room,
                          struct spur_unified_map *map);
void spur_unified_map_free(struct spur_unified_map *map);

/* Does the journal define nothing beyond the covered part? */
bool spur_unified_covers(const struct spur_unified_map *map, const void *journal, uint64_t bytes);

#endif
