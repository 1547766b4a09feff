/* SPDX-License-Identifier: BSD-3-Clause */
/* A stretch of a file in memory, without a descriptor. */
#ifndef SPUR_FILE_MAP_H
#define SPUR_FILE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The identity of a file, whatever file has its name later. */
struct spur_file_id {
    uint64_t device, inode;
};

struct spur_file_map {
    const char *path;
    int flags; /* of open(2), more than O_RDWR */
    uint64_t at;
    size_t bytes;
    bool has_space; /* its space is allocated, not only reserved: a hole is SIGBUS on a full disk */
    struct spur_file_id *id; /* receives the identity of the file; NULL: not wanted */
};

/* 0 and *map, shared and writable; or -errno. SIGXFSZ is taken back. errno is not kept. */
int spur_file_map(const struct spur_file_map *file, char **map);

/*
 * Mapped bytes, from `at` of the file on, get their space, rounded to pages. 0 or -errno. errno is
 * not kept.
 */
int spur_file_map_space(const char *path, char *mapped, uint64_t at, uint64_t bytes);

/*
 * Write zeros to a stretch that nobody has written to. Afterwards some file systems keep the
 * stretch in few large pages, instead of many small pages. 0 or -errno; -ESTALE: another file has
 * the name. errno is not kept.
 */
int spur_file_map_fill(const char *path, const struct spur_file_id *id, uint64_t at,
                       uint64_t bytes);

/* Does spur_file_map_space() need no descriptor? Since Linux 5.14. errno is not kept. */
bool spur_file_map_can_wait(void);

/* Make an empty file of the session. 0 or -errno; errno is not kept. */
int spur_file_mark(char *path);

#endif
