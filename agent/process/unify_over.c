/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unification over a transport: every process writes its map beside its journal, and rank 0 writes
 * DIR/.spur/unified.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/segment/buffer.h"
#include "agent/state/identity.h"
#include "base/apart.h"
#include "base/raw_file.h"
#include "finish/unify/unify_file.h"
#include "finish/unify/unify_tree.h"

/* Beside the journal. */
static bool map_path(char *path)
{
    const void *bytes;
    const char *journal;
    spur_defs_bytes(&bytes, &journal);
    const char *slash = strrchr(journal, '/');
    return slash && (size_t)snprintf(path, SPUR_FILE_PATH_BYTES, "%.*s/map", (int)(slash - journal),
                                     journal) < SPUR_FILE_PATH_BYTES;
}

/* On no host, but in the session directory. */
static bool unified_path(char *path)
{
    return (size_t)snprintf(path, SPUR_FILE_PATH_BYTES, "%s/.spur/unified", spur_process.dir) <
           SPUR_FILE_PATH_BYTES;
}

struct saving {
    const struct spur_transport *transport;
    const struct spur_unify_tree *tree;
    uint64_t covered;
};

static int save(void *data)
{
    const struct saving *saving = data;
    const struct spur_transport *t = saving->transport;
    const struct spur_unify_tree *tree = saving->tree;
    char path[SPUR_FILE_PATH_BYTES];
    const struct spur_unified_map map = {.stamp = tree->stamp,
                                         .rank = t->rank,
                                         .covered = saving->covered};
    bool is_saved = map_path(path) && spur_unified_map_save(path, &map, &tree->map) == 0;
    if (is_saved)
        spur_buffer_segment()->world = tree->world;
    if (t->rank == 0 && unified_path(path))
        (void)spur_unified_save(path, &tree->result, t->size, tree->stamp);
    return 0;
}

/* The name of a process is that of no other one of the session. */
static uint64_t number_world(void)
{
    uint64_t words[SPUR_NAME_BYTES / sizeof(uint64_t)] = {0};
    memcpy(words, spur_process.name, strnlen(spur_process.name, SPUR_NAME_BYTES));
    uint64_t number = spur_hash(1, words, sizeof words / sizeof words[0]);
    return number ? number : 1;
}

/*
 * Failure is no trouble: finishing unifies the files. Another thread may define something while we
 * are at it, so what is unified is a copy.
 */
void spur_unify_over(const struct spur_transport *t)
{
    int saved = errno;
    struct spur_unify_tree tree = {.stamp = 0, .world = number_world()};
    struct spur_words journal = {0};
    bool is_there = spur_defs_copy(&journal) && journal.n > 0;
    const struct spur_unify_input own = {journal.at, journal.n * sizeof *journal.at,
                                         t->rank,    0,
                                         NULL,       0};
    if (spur_unify_tree(t, is_there ? &own : NULL, &tree) == 0)
        (void)spur_apart(save, &(struct saving){t, &tree, own.bytes});
    spur_words_free(&journal);
    spur_unify_tree_free(&tree);
    errno = saved;
}
