/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files for finishing, by raw calls. Nothing allocates from the host's heap, and nothing is a
 * cancellation point. No symbolic link is followed within a session (base/beneath.h). Only regular
 * files are opened, and only files without another name are written to (-EMLINK). Functions return
 * 0 (or a count) or -errno.
 */
#ifndef SPUR_FINISH_FILE_H
#define SPUR_FINISH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPUR_FILE_PATH_BYTES = 4096 + 512 };

/* A descriptor for reading, and its size. */
int spur_file_open(const char *path, uint64_t *size);
/* The same for reading and writing. */
int spur_file_edit(const char *path, uint64_t *size);
void spur_file_close(int fd);

/* Bytes read from `at` on: less than `bytes` only at the end of the file. */
int64_t spur_file_read(int fd, uint64_t at, void *to, uint64_t bytes);

/* Write from `at` on, within the file. */
int spur_file_write(int fd, uint64_t at, const void *from, uint64_t bytes);

/*
 * Copy `bytes` bytes from a place in one file to a place in another file; UINT64_MAX: all bytes up
 * to the end. -EIO: the file ends before.
 */
int spur_file_copy(int from, uint64_t from_at, int to, uint64_t to_at, uint64_t bytes);

/* A whole file in agent memory of `*room` bytes, zeroes behind its `*bytes`; at most `limit`. */
int spur_file_load(const char *path, uint64_t limit, void **memory, uint64_t *bytes,
                   uint64_t *room);

/* Does the -errno of opening mean: no such file, or folder, of ours? */
bool spur_file_is_none(int err);

/* Append to a file of mode 0600, made if missing. */
int spur_file_append(const char *path, const void *from, uint64_t bytes);

/* A new file of mode 0600 with this content; -EEXIST. */
int spur_file_create(const char *path, const void *from, uint64_t bytes);
/* The same for a file of the archive: as many may read the file as the user's umask lets. */
int spur_file_publish(const char *path, const void *from, uint64_t bytes);

/* Give the space of a part of the file back, where the file system can; the part reads as zero. */
void spur_file_punch(const char *path, uint64_t at, uint64_t bytes);

int spur_file_cut(const char *path, uint64_t bytes);
bool spur_file_is_there(const char *path); /* a symbolic link is */

/*
 * Call `each` for every entry but "." and "..". Entries removed by `each` are fine. Stops when
 * `each` returns a value but 0, and returns the value.
 */
int spur_file_list(const char *dir, int (*each)(void *data, const char *name), void *data);

#endif
