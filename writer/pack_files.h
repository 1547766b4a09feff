/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packing complete plain files of an archive into SION containers (format/container.h). All sizes
 * are known before. So a task has a single block, as large as the task's stream, up to 32 MiB, and
 * each file of a location is a single record. A reader is right even if the reader takes the end of
 * a record or of a block for the end of the file.
 *
 * A plan fixes the place of everything. Then any number of threads or processes, each with a pen of
 * its own, copy the files of different locations. At last one of the threads or processes writes
 * the parts around the blocks, and the rank map. Functions return 0 or -errno, and leave in
 * `culprit` the path of a file that could not be read or written.
 */
#ifndef WRITER_PACK_FILES_H
#define WRITER_PACK_FILES_H

#include <stdint.h>

#include "format/paths.h"
#include "writer/contained.h"

struct otf2_pack;

struct otf2_pack_location {
    OTF2_LocationRef id;
    uint32_t rank;
    uint64_t bytes[OTF2_CONTAINED_KINDS]; /* of the location's files; 0: no file */
    uint64_t at[OTF2_CONTAINED_KINDS];    /* of its record in the stream of the task */
    const void *source;                   /* for `read` */
};

/* The names of an archive. */
struct otf2_pack_archive {
    const char *folder;
    const char *name;
};

struct otf2_pack {
    /* Given by the caller. */
    const OTF2X_FileCallbacks *files;
    struct otf2_pack_archive from, to; /* the containers contain the name in `from` */
    /*
     * Reads exactly `bytes` bytes of a file that lies outside the plain archive. NULL: all files
     * lie in the plain archive. 0 or -errno, with the path in `culprit`.
     */
    int (*read)(const struct otf2_pack *p, const struct otf2_pack_location *l, unsigned kind,
                uint64_t at, void *to, size_t bytes, char *culprit);
    void *user;                           /* of `read` */
    uint32_t align;                       /* otf2_file_align() */
    uint32_t ranks;                       /* each has a location */
    struct otf2_pack_location *locations; /* rank by rank */
    uint64_t n;

    /* Added by otf2_pack_share(). */
    uint32_t n_files; /* of each kind of containers */
    uint32_t *file;   /* of each rank: 0, 1, ... in the order of the files' first ranks */

    /* Added by the plan. */
    uint32_t *places; /* file and task of each rank */
    uint32_t *tasks;  /* of each file */
    struct otf2_pack_task {
        struct otf2_task_blocks blocks;
        uint64_t bytes;             /* of the stream */
    } * task[OTF2_CONTAINED_KINDS]; /* of each rank; NULL: no files of the kind */
};

/*
 * Shares the ranks out to containers: to n_files, as many to each, or with n_files 0 to a container
 * for each host. host[rank]: less than n_hosts.
 */
int otf2_pack_share(struct otf2_pack *p, uint32_t n_files, const uint32_t *host, uint32_t n_hosts);

/*
 * Called after otf2_pack_share(). The memory of both functions comes from otf2_mem_new(), and is
 * given back by otf2_pack_fini(), in any case.
 */
int otf2_pack_plan(struct otf2_pack *p);
void otf2_pack_fini(struct otf2_pack *p);

struct otf2_pack_pen {
    const struct otf2_pack *pack;
    uint8_t *bytes;
    uint64_t n;
    unsigned kind; /* owner of `bytes`, */
    uint32_t rank;
    uint64_t at; /* place of `bytes` in the stream */
    char culprit[OTF2_PATH_BYTES];
};

int otf2_pack_begin(struct otf2_pack_pen *pen, const struct otf2_pack *p);

/* The files of all locations of a rank. */
int otf2_pack_rank(struct otf2_pack_pen *pen, uint32_t rank);

void otf2_pack_end(struct otf2_pack_pen *pen);

/* Called after all pens. Before this call no container is valid. */
int otf2_pack_complete(const struct otf2_pack *p, char *culprit);

#endif
