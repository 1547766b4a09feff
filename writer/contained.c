/* SPDX-License-Identifier: BSD-3-Clause */
/* The data that a process adds to its task of a container. */
#include "writer/contained.h"

#include <errno.h>
#include <string.h>

#include "format/container.h"
#include "format/memory.h"
#include "format/paths.h"
#include "writer/archive_state.h"

/* Readers of the reference library can handle records of this size, in whole chunks. */
enum { RECORD_BYTES = 4 << 20 };

const OTF2_FileType otf2_contained_types[OTF2_CONTAINED_KINDS] = {OTF2_FILETYPE_EVENTS,
                                                                  OTF2_FILETYPE_LOCAL_DEFS,
                                                                  OTF2_FILETYPE_SNAPSHOTS};

static unsigned kind_of(OTF2_FileType type)
{
    return type == OTF2_FILETYPE_EVENTS ? 0 : type == OTF2_FILETYPE_LOCAL_DEFS ? 1 : 2;
}

bool otf2_is_contained(const OTF2_Archive *a, OTF2_FileType type)
{
    return a->substrate == OTF2_SUBSTRATE_SION &&
           (type == OTF2_FILETYPE_EVENTS || type == OTF2_FILETYPE_LOCAL_DEFS ||
            type == OTF2_FILETYPE_SNAPSHOTS);
}

void otf2_contained_open(OTF2_Archive *a, OTF2_FileType type)
{
    if (otf2_is_contained(a, type))
        a->contained.kinds[kind_of(type)].is_used = true;
}

bool otf2_contained_know(OTF2_Archive *a, OTF2_LocationRef location)
{
    struct otf2_registry *known = &a->contained.locations;
    if (a->substrate != OTF2_SUBSTRATE_SION || location == OTF2_UNDEFINED_LOCATION ||
        otf2_registry_find(known, location))
        return true;
    struct otf2_node *node = otf2_mem_new(sizeof *node);
    if (node)
        node->location = location;
    if (node && otf2_registry_add(known, node))
        return true;
    otf2_mem_free(node);
    return false;
}

void otf2_contained_fini(struct otf2_contained *c)
{
    while (c->locations.newest) {
        struct otf2_node *node = c->locations.newest;
        otf2_registry_remove(&c->locations, node);
        otf2_mem_free(node);
    }
    otf2_registry_fini(&c->locations);
    otf2_mem_free(c->places);
    c->places = NULL;
}

/* ---- the stream of the task ---- */

int otf2_task_write(const OTF2X_FileCallbacks *files, const char *path,
                    const struct otf2_task_blocks *blocks, uint64_t at, const void *data,
                    uint64_t bytes)
{
    const char *from = data;
    int err = 0;
    while (bytes && !err) {
        uint64_t in_block = at % blocks->block;
        uint64_t left = blocks->block - in_block;
        struct otf2_bytes part = {from, (size_t)(bytes < left ? bytes : left)};
        err =
            otf2_file_patch(files, path,
                            blocks->begin + at / blocks->block * blocks->row + in_block, &part, 1);
        from += part.size;
        at += part.size;
        bytes -= part.size;
    }
    return err;
}

static int put(const OTF2_Archive *a, const char *path, uint64_t at, const void *data,
               uint64_t bytes)
{
    return otf2_task_write(a->files, path, &a->contained.blocks, at, data, bytes);
}

/* A record that could not be written leaves no trace: the next record begins in the same place. */
static int write_record(OTF2_Archive *a, OTF2_FileType type, OTF2_LocationRef location,
                        const uint8_t *bytes, uint64_t n)
{
    char path[OTF2_PATH_BYTES];
    struct otf2_contained *c = &a->contained;
    const uint64_t head[] = {location, n};
    unsigned kind = kind_of(type);
    if (!otf2_archive_file(a, type, c->file, path, sizeof path))
        return -ENAMETOOLONG;
    otf2_archive_lock(a);
    uint64_t at = c->kinds[kind].bytes;
    int err = otf2_contained_know(a, location) ? put(a, path, at, head, sizeof head) : -ENOMEM;
    if (!err)
        err = put(a, path, at + sizeof head, bytes, n);
    if (!err) {
        c->kinds[kind].bytes += sizeof head + n;
        c->kinds[kind].is_used = true;
    }
    otf2_archive_unlock(a);
    return err;
}

/* ---- data held by a stream ---- */

static bool make_room(struct otf2_held *h, uint64_t bytes, uint64_t most)
{
    enum { FIRST = 4096 };
    if (bytes <= h->room)
        return true;
    uint64_t room = h->room ? h->room : FIRST;
    while (room < bytes)
        room *= 2;
    if (room > most && bytes <= most)
        room = most;
    uint8_t *more = otf2_mem_new((size_t)room);
    if (!more)
        return false;
    if (h->n)
        memcpy(more, h->bytes, (size_t)h->n);
    otf2_mem_free(h->bytes);
    h->bytes = more;
    h->room = room;
    return true;
}

/*
 * The most bytes of a record. The reference library reads definitions at once, so all definitions
 * are one record. Other records end with a chunk: otherwise the reference library takes the end of
 * a record for the end of the file.
 */
static uint64_t most_of(OTF2_FileType type, uint64_t chunk_bytes)
{
    if (type == OTF2_FILETYPE_LOCAL_DEFS)
        return UINT64_MAX;
    return chunk_bytes > RECORD_BYTES ? chunk_bytes : RECORD_BYTES / chunk_bytes * chunk_bytes;
}

int otf2_held_write(struct otf2_held *h, OTF2_Archive *a, OTF2_FileType type,
                    OTF2_LocationRef location, uint64_t chunk_bytes, const struct otf2_bytes *parts,
                    size_t n)
{
    uint64_t most = most_of(type, chunk_bytes);
    uint64_t bytes = 0;
    int err = 0;
    for (size_t i = 0; i < n; i++)
        bytes += parts[i].size;
    /* A part is a chunk, or a shorter last part. The end of the file may be more than a chunk. */
    if (h->n >= most)
        err = otf2_held_end(h, a, type, location);
    if (err)
        return err;
    if (!make_room(h, h->n + bytes, most))
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        memcpy(h->bytes + h->n, parts[i].data, parts[i].size);
        h->n += parts[i].size;
    }
    return 0;
}

int otf2_held_end(struct otf2_held *h, OTF2_Archive *a, OTF2_FileType type,
                  OTF2_LocationRef location)
{
    int err = h->n ? write_record(a, type, location, h->bytes, h->n) : 0;
    if (!err)
        h->n = 0;
    return err;
}
