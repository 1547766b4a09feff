/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One SION container (format/container.h): its table of blocks, and a walk over the stream of a
 * task. Nothing is reported here: what is wrong is written down as a fault, since the library and
 * `spur check` tell it in different ways.
 */
#ifndef READER_CONTAINER_FILE_H
#define READER_CONTAINER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>

#include "format/container.h"
#include "format/paths.h"

/* What is wrong, and where. */
struct otf2_fault {
    OTF2_ErrorCode code;
    const char *what;
    uint64_t at; /* in the file */
    bool has_at;
    char path[OTF2_PATH_BYTES];
};

/* All return fault->code. The first three need fault->path, or set it. */
OTF2_ErrorCode otf2_fault_at(struct otf2_fault *fault, uint64_t at, const char *what);
OTF2_ErrorCode otf2_fault_errno(struct otf2_fault *fault, const char *what);
OTF2_ErrorCode otf2_fault_memory(struct otf2_fault *fault);

/* Tells it as an error of the library: never OTF2_SUCCESS. */
OTF2_ErrorCode otf2_fault_report(const struct otf2_fault *fault);

/* Opens a regular file for reading. -1: it cannot be; fault->path is its path. */
int otf2_input_open(struct otf2_fault *fault, uint64_t *bytes);

/* Reads exactly that many bytes. */
OTF2_ErrorCode otf2_input_read(int fd, uint64_t at, void *to, uint64_t bytes,
                               struct otf2_fault *fault);

struct otf2_container_file {
    struct otf2_container head;
    uint64_t bytes;   /* of the file */
    uint64_t rows;    /* of blocks */
    uint64_t tail_at; /* where the numbers of blocks stand */
    uint64_t *begins; /* by task, of its block in the first row; behind the last: that row's end */
};

/* Reads the head of an open file of that many bytes. After a fault nothing is to be released. */
OTF2_ErrorCode otf2_container_file_read(struct otf2_container_file *f, int fd, uint64_t bytes,
                                        struct otf2_fault *fault);
void otf2_container_file_fini(struct otf2_container_file *f);

/* A place in the stream of a task. */
struct otf2_container_walk {
    const struct otf2_container_file *file;
    int fd;
    uint32_t task;
    uint64_t blocks; /* of the task */
    uint64_t next;   /* block */
    uint64_t at;     /* in the file */
    uint64_t left;   /* used bytes of this block from there on */
    struct otf2_fault *fault;
};

/* Begins with the stream of that task, which must be the given rank's. */
OTF2_ErrorCode otf2_container_walk_begin(struct otf2_container_walk *w, uint64_t rank);

/* Whether the stream goes on. False: it does not, or w->fault->code is set. */
bool otf2_container_walk_more(struct otf2_container_walk *w);

/*
 * Passes over bytes of the stream, and calls `take` for each part of them that lies together in the
 * file. `what` is said if the stream ends before.
 */
OTF2_ErrorCode otf2_container_walk_pass(struct otf2_container_walk *w, uint64_t bytes,
                                        OTF2_ErrorCode (*take)(void *user, uint64_t at,
                                                               uint64_t bytes),
                                        void *user, const char *what);

/* Reads the head of a record: the location, and how many bytes follow. */
OTF2_ErrorCode otf2_container_walk_record(struct otf2_container_walk *w, uint64_t *location,
                                          uint64_t *bytes);

#endif
