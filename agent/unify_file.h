/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The result of a unification over MPI as a file, DIR/.spur/unified: which journals it covers and
 * how far, the unified journal, and the maps. Finishing takes it instead of unifying again if it
 * covers everything; the archive is the same either way.
 */
#ifndef SPUR_UNIFY_FILE_H
#define SPUR_UNIFY_FILE_H

#include "agent/segment.h"
#include "agent/unify.h"

struct spur_unified_process {
    char name[SPUR_NAME_BYTES]; /* of its directory */
    uint64_t covered;           /* bytes of its journal */
    uint64_t defined[SPUR_SPACES];
};

struct spur_unified {
    uint64_t n; /* processes, in order of their numbers */
    const struct spur_unified_process *process;
    const uint64_t *journal;
    uint64_t journal_bytes;
    const uint64_t *maps; /* of process 0, space by space, then of process 1, ... */
    void *memory;
    uint64_t room;
};

/* A new file; `process[].defined` is filled in from the maps. 0 or -errno. */
int spur_unified_save(const char *path, const struct spur_unify *unify, uint64_t n,
                      struct spur_unified_process *process, const struct spur_map *maps);

/* 0, -ENOENT, or another -errno: not to be used. What is loaded is checked. */
int spur_unified_load(const char *path, struct spur_unified *unified);
void spur_unified_free(struct spur_unified *unified);

/* Does the journal define nothing beyond what was covered? */
bool spur_unified_covers(const struct spur_unified_process *process, const void *journal,
                         uint64_t bytes);

#endif
