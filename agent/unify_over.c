/* SPDX-License-Identifier: BSD-3-Clause */
/* Unification over a transport: the root receives all journals and writes DIR/.spur/unified. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/definitions.h"
#include "agent/finish_file.h"
#include "agent/mem.h"
#include "agent/unify_file.h"

/* What a process sends: this and its journal. */
struct part {
    char name[SPUR_NAME_BYTES]; /* of its directory; "" if it does not record */
    uint64_t bytes;
};

static struct part *new_part(uint64_t *bytes)
{
    const void *journal;
    const char *path;
    uint64_t size = spur_defs_bytes(&journal, &path);
    struct part *part = spur_mem_new(sizeof *part + size);
    *bytes = sizeof *part + size;
    if (!part)
        return NULL;
    const char *slash = strrchr(path, '/');
    if (journal && slash) {
        snprintf(part->name, sizeof part->name, "%s", slash + 1);
        part->bytes = size;
        memcpy(part + 1, journal, size);
    }
    return part;
}

static int add_part(struct spur_unify *unify, const char *bytes, uint64_t length, uint64_t rank,
                    struct spur_unified_process *process, struct spur_map *map)
{
    const struct part *part = (const struct part *)(const void *)bytes;
    if (length < sizeof *part || length % sizeof(uint64_t) != 0 ||
        part->bytes > length - sizeof *part || part->name[0] == '\0')
        return -EINVAL;
    const struct spur_unify_input input = {part + 1, part->bytes, rank, 0};
    snprintf(process->name, sizeof process->name, "%s", part->name);
    process->covered = spur_journal_length(part + 1, part->bytes);
    return spur_unify_add(unify, &input, map);
}

static int save(const struct spur_unify *unify, uint32_t n, struct spur_unified_process *process,
                const struct spur_map *maps)
{
    char path[SPUR_FILE_PATH_BYTES];
    const void *journal;
    const char *own;
    spur_defs_bytes(&journal, &own);
    if ((size_t)snprintf(path, sizeof path, "%s/../unified", own) >= sizeof path)
        return -ENAMETOOLONG;
    return spur_unified_save(path, unify, n, process, maps);
}

/* At the root. */
static int unify_parts(uint32_t n, const char *bytes, const uint64_t *lengths)
{
    struct spur_unify *unify = spur_unify_new();
    struct spur_unified_process *process = spur_mem_new(n * sizeof *process);
    struct spur_map *maps = spur_mem_new(n * sizeof *maps);
    int err = unify && process && maps ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < n && !err; i++) {
        err = add_part(unify, bytes, lengths[i], i, &process[i], &maps[i]);
        bytes += lengths[i];
    }
    if (!err)
        err = save(unify, n, process, maps);
    for (uint32_t i = 0; maps && i < n; i++)
        spur_map_free(&maps[i]);
    spur_mem_free(maps, n * sizeof *maps);
    spur_mem_free(process, n * sizeof *process);
    spur_unify_free(unify);
    return err;
}

/*
 * Failure is no trouble: finishing unifies the files. So the processes need not hear of it, and
 * nothing is sent back.
 */
void spur_unify_over(struct spur_transport *t)
{
    int saved = errno;
    uint64_t bytes;
    void *all = NULL;
    uint64_t *lengths = t->rank == 0 ? spur_mem_new(t->size * sizeof *lengths) : NULL;
    struct part *part = new_part(&bytes);
    struct part nothing = {.bytes = 0};
    t->alloc = spur_mem_new;
    int err = t->gather(t, part ? part : &nothing, part ? bytes : sizeof nothing, &all, lengths);
    if (t->rank == 0 && !err && all && lengths) {
        uint64_t total = 0;
        for (uint32_t i = 0; i < t->size; i++)
            total += lengths[i];
        (void)unify_parts(t->size, all, lengths);
        spur_mem_free(all, total);
    }
    spur_mem_free(part, bytes);
    spur_mem_free(lengths, t->size * sizeof *lengths);
    errno = saved;
}
