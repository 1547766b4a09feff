/* SPDX-License-Identifier: BSD-3-Clause */
/* A stretch of a file in memory, for which no descriptor is kept. */
#ifndef SPUR_FILE_MAP_H
#define SPUR_FILE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which file it is, whatever has its name later. */
struct spur_file_id {
    uint64_t device, inode;
};

struct spur_file_map {
    const char *path;
    int flags; /* of open(2), more than O_RDWR */
    uint64_t at;
    size_t bytes;
    bool has_space; /* it is allocated, not only reserved: a hole is SIGBUS on a full disk */
    struct spur_file_id *id; /* what it is comes here; NULL: nobody asks */
};

/* 0 and *map, shared and writable; or -errno. SIGXFSZ is taken back. errno is not kept. */
int spur_file_map(const struct spur_file_map *file, char **map);

/*
 * Mapped bytes, which are at `at` of the file, get their space, rounded to pages. 0 or -errno.
 * errno is not kept.
 */
int spur_file_map_space(const char *path, char *mapped, uint64_t at, uint64_t bytes);

/*
 * Zeros are written to a stretch that nobody has written to. Some file systems have them in few
 * large pages then, and one by one otherwise. 0 or -errno; -ESTALE: another file has the name.
 * errno is not kept.
 */
int spur_file_map_fill(const char *path, const struct spur_file_id *id, uint64_t at,
                       uint64_t bytes);

/* Does spur_file_map_space() need no descriptor? Since Linux 5.14. errno is not kept. */
bool spur_file_map_can_wait(void);

/* Make an empty file of the session. 0 or -errno; errno is not kept. */
int spur_file_mark(char *path);

#endif
