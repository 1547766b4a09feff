/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files of a session, copied for a snapshot. Paths have SPUR_FILE_PATH_BYTES. */
#ifndef SPUR_SNAPSHOT_FILES_H
#define SPUR_SNAPSHOT_FILES_H

#include <stdint.h>

#include "base/raw_file.h"
#include "finish/snapshot.h"

enum { SNAPSHOT_COPY_BYTES = 1 << 20 };

/* "SESSION/.spur/NAME/FILE", written to `path` and returned; NAME and FILE may be "". */
char *snapshot_place(const char *session, const char *name, const char *file,
                     char path[SPUR_FILE_PATH_BYTES]);

/* 0 or -errno. */
int snapshot_write(int fd, uint64_t at, const void *bytes, uint64_t n);

/* A descriptor of a new file, in place of a file copied before; or -errno. */
int snapshot_make(const char *path);

/* 0 or -errno; -ENOENT: no file. */
int snapshot_copy_file(const char *from_session, const char *to_session, const char *name,
                       const char *file);

/* The files of a folder of DIR/.spur, if the folder exists. 0 or -errno. */
int snapshot_copy_folder(const struct spur_snapshot *snapshot, const char *folder);

/*
 * Settled processes, see finish/find/finish_settled.h. Copied behind all other processes, so that a
 * process that settles meanwhile is not missed. Records are copied before the files of the process,
 * since the files were there first. 0 or -errno.
 */
int snapshot_copy_settled(struct spur_snapshot *snapshot);

#endif
