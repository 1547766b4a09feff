/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files of a session, copied for a snapshot. Paths have SPUR_FILE_PATH_BYTES. */
#ifndef SPUR_SNAPSHOT_FILES_H
#define SPUR_SNAPSHOT_FILES_H

#include <stdint.h>

#include "base/raw_file.h"
#include "finish/snapshot.h"

enum { SNAPSHOT_COPY_BYTES = 1 << 20 };

/* "SESSION/.spur/NAME/FILE", in `path`, which it returns; NAME and FILE may be "". */
char *snapshot_place(const char *session, const char *name, const char *file,
                     char path[SPUR_FILE_PATH_BYTES]);

/* 0 or -errno. */
int snapshot_write(int fd, uint64_t at, const void *bytes, uint64_t n);

/* A descriptor of a new file, in place of one that was copied before; or -errno. */
int snapshot_make(const char *path);

/* 0 or -errno; -ENOENT: there is none. */
int snapshot_copy_file(const char *from_session, const char *to_session, const char *name,
                       const char *file);

/* The files of a folder of DIR/.spur, which need not be there. 0 or -errno. */
int snapshot_copy_folder(const struct spur_snapshot *snapshot, const char *folder);

/*
 * Processes that have settled, see finish/find/finish_settled.h: behind the others, so that one
 * that does so meanwhile is not missed, and their records before their files, which were there
 * first. 0 or -errno.
 */
int snapshot_copy_settled(struct spur_snapshot *snapshot);

#endif
