/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A SION container (format/container.h): the table of blocks, and a walk over the stream of a task.
 * Nothing is reported here: errors are written down as faults, since the library and `spur check`
 * report faults in different ways.
 */
#ifndef READER_CONTAINER_FILE_H
#define READER_CONTAINER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>

#include "format/container.h"
#include "format/paths.h"

/* An error, and its place. */
struct otf2_fault {
    OTF2_ErrorCode code;
    const char *what;
    uint64_t at; /* in the file */
    bool has_at;
    char path[OTF2_PATH_BYTES];
};

/* All functions return fault->code. The first three need fault->path, or set the path. */
OTF2_ErrorCode otf2_fault_at(struct otf2_fault *fault, uint64_t at, const char *what);
OTF2_ErrorCode otf2_fault_errno(struct otf2_fault *fault, const char *what);
OTF2_ErrorCode otf2_fault_memory(struct otf2_fault *fault);

/* Reports the fault as an error of the library: never OTF2_SUCCESS. */
OTF2_ErrorCode otf2_fault_report(const struct otf2_fault *fault);

/* Opens a regular file for reading: fault->path is the path. -1: the file cannot be opened. */
int otf2_input_open(struct otf2_fault *fault, uint64_t *bytes);

/* Reads exactly `bytes` bytes. */
OTF2_ErrorCode otf2_input_read(int fd, uint64_t at, void *to, uint64_t bytes,
                               struct otf2_fault *fault);

struct otf2_container_file {
    struct otf2_container head;
    uint64_t bytes;   /* of the file */
    uint64_t rows;    /* of blocks */
    uint64_t tail_at; /* offset of the numbers of blocks */
    uint64_t *begins; /* by task, of the block in the first row; a last entry: the row's end */
};

/* Reads the head of an open file with the given size. After a fault nothing is to be released. */
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
    uint64_t left;   /* used bytes of this block from `at` on */
    struct otf2_fault *fault;
};

/* Begins with the stream of the given task, which must belong to the given rank. */
OTF2_ErrorCode otf2_container_walk_begin(struct otf2_container_walk *w, uint64_t rank);

/* Whether the stream goes on. False: the end of the stream, or w->fault->code is set. */
bool otf2_container_walk_more(struct otf2_container_walk *w);

/*
 * Passes over bytes of the stream, and calls `take` for each part that lies together in the file.
 * If the stream ends before, the fault has the text `what`.
 */
OTF2_ErrorCode otf2_container_walk_pass(struct otf2_container_walk *w, uint64_t bytes,
                                        OTF2_ErrorCode (*take)(void *user, uint64_t at,
                                                               uint64_t bytes),
                                        void *user, const char *what);

/* Reads the head of a record: the location, and the number of bytes that follow. */
OTF2_ErrorCode otf2_container_walk_record(struct otf2_container_walk *w, uint64_t *location,
                                          uint64_t *bytes);

#endif
