/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unification over a transport: every process keeps its map, and rank 0 writes DIR/.spur/unified.
 */
#include "agent/process/unify_over.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
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

static struct spur_words held;
static _Atomic bool is_held; /* once it is whole */

/* A child has its own segment, and the memory of its parent. */
const void *spur_unify_over_map(size_t *bytes)
{
    if (!atomic_load_explicit(&is_held, memory_order_acquire) || !spur_buffer_segment()->world)
        return NULL;
    *bytes = held.n * sizeof *held.at;
    return held.at;
}

void spur_unify_over_save(void)
{
    char path[SPUR_FILE_PATH_BYTES];
    size_t bytes;
    const void *map = spur_unify_over_map(&bytes);
    if (map && map_path(path))
        (void)spur_file_create(path, map, bytes);
}

static void hold(const struct spur_transport *t, const struct spur_unify_tree *tree,
                 uint64_t covered)
{
    const struct spur_unified_map map = {.stamp = tree->stamp, .rank = t->rank, .covered = covered};
    atomic_store_explicit(&is_held, false, memory_order_relaxed);
    spur_words_free(&held);
    if (spur_unified_map_make(&held, &map, &tree->map) != 0)
        return;
    atomic_store_explicit(&is_held, true, memory_order_release);
    spur_buffer_segment()->world = tree->world;
}

struct saving {
    const struct spur_transport *transport;
    const struct spur_unify_tree *tree;
};

static int save_result(void *data)
{
    const struct saving *saving = data;
    const struct spur_unify_tree *tree = saving->tree;
    char path[SPUR_FILE_PATH_BYTES];
    return unified_path(path)
               ? spur_unified_save(path, &tree->result, saving->transport->size, tree->stamp)
               : -ENAMETOOLONG;
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
    if (spur_unify_tree(t, is_there ? &own : NULL, &tree) == 0) {
        hold(t, &tree, own.bytes);
        if (t->rank == 0)
            (void)spur_apart(save_result, &(struct saving){t, &tree});
    }
    spur_words_free(&journal);
    spur_unify_tree_free(&tree);
    errno = saved;
}
