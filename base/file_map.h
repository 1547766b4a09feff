/* SPDX-License-Identifier: BSD-3-Clause */
/* A stretch of a file in memory, for which no descriptor is kept. */
#ifndef SPUR_FILE_MAP_H
#define SPUR_FILE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spur_file_map {
    const char *path;
    int flags; /* of open(2), more than O_RDWR */
    uint64_t at;
    size_t bytes;
    bool has_space; /* it is allocated, not only reserved: a hole is SIGBUS on a full disk */
};

/* 0 and *map, shared and writable; or -errno. SIGXFSZ is taken back. errno is not kept. */
int spur_file_map(const struct spur_file_map *file, char **map);

/*
 * Mapped bytes, which are at `at` of the file, get their space, rounded to pages. 0 or -errno.
 * errno is not kept.
 */
int spur_file_map_space(const char *path, char *mapped, uint64_t at, uint64_t bytes);

/* Does that need no descriptor? Since Linux 5.14. errno is not kept. */
bool spur_file_map_can_wait(void);

/* Make an empty file of the session. 0 or -errno; errno is not kept. */
int spur_file_mark(char *path);

#endif
