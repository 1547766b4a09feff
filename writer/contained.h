/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing archives of substrate SION: the files of all locations lie in containers
 * (format/container.h). Each process is a task. The places of a task's blocks follow from the
 * number of tasks, so that processes write without messages to each other. The parts of a container
 * around the blocks are written when the archive is closed.
 *
 * Each local communicator has a container of each kind; without local communicators all processes
 * share a container of each kind.
 */
#ifndef WRITER_CONTAINED_H
#define WRITER_CONTAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "writer/file.h"
#include "writer/registry.h"

enum { OTF2_CONTAINED_KINDS = 3 };

/* Of the files that lie in containers. */
extern const OTF2_FileType otf2_contained_types[OTF2_CONTAINED_KINDS];

/* The places of a task's blocks in the file. */
struct otf2_task_blocks {
    uint64_t begin; /* of the first block */
    uint64_t row;   /* distance between blocks */
    uint64_t block; /* bytes of each block */
};

/* The containers of an archive. */
struct otf2_contained {
    uint32_t ranks;
    uint32_t rank;
    uint32_t files;
    uint32_t file;  /* of this process, */
    uint32_t tasks; /* number of processes in the file; */
    uint32_t task;  /* of this process */
    uint32_t align;
    struct otf2_task_blocks blocks;
    uint32_t *places; /* file and task of each rank; on the root alone; NULL: a rank is a task of
                         file 0 */
    struct {
        bool is_used;
        uint64_t bytes; /* of the task's stream */
    } kinds[OTF2_CONTAINED_KINDS];
    struct otf2_registry locations; /* of this process */
};

/* The bytes of a stream that are not yet in a record of the container. */
struct otf2_held {
    bool is_used;
    uint8_t *bytes;
    uint64_t n;
    uint64_t room;
};

/* Writes bytes at a place of a task's stream, maybe across several blocks. 0 or -errno. */
int otf2_task_write(const OTF2X_FileCallbacks *files, const char *path,
                    const struct otf2_task_blocks *blocks, uint64_t at, const void *data,
                    uint64_t bytes);

/* Whether files of the given type lie in containers. */
bool otf2_is_contained(const OTF2_Archive *a, OTF2_FileType type);

/* Together with all processes: agree on containers, and at the end complete the containers. */
OTF2_ErrorCode otf2_contained_begin(OTF2_Archive *a);
OTF2_ErrorCode otf2_contained_end(OTF2_Archive *a);
void otf2_contained_fini(struct otf2_contained *c);

/* The archive has containers of the given type, even without a writer. */
void otf2_contained_open(OTF2_Archive *a, OTF2_FileType type);

/* A location belongs to this process. Called with the archive's lock. False without memory. */
bool otf2_contained_know(OTF2_Archive *a, OTF2_LocationRef location);

/*
 * Adds whole chunks, or the last chunk, to the held bytes of a stream, and writes full records. 0
 * or -errno.
 */
int otf2_held_write(struct otf2_held *h, OTF2_Archive *a, OTF2_FileType type,
                    OTF2_LocationRef location, uint64_t chunk_bytes, const struct otf2_bytes *parts,
                    size_t n);

/* Writes the rest. Called at the end of a stream, also when nothing was held. 0 or -errno. */
int otf2_held_end(struct otf2_held *h, OTF2_Archive *a, OTF2_FileType type,
                  OTF2_LocationRef location);

#endif
