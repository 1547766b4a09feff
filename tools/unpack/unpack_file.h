/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file of a compressed archive, unpacked beside itself as FILE.unpacked. Several threads may do
 * that, each with a struct made of its own.
 */
#ifndef TOOLS_UNPACK_FILE_H
#define TOOLS_UNPACK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/base/list.h"

#define UNPACKED ".unpacked" /* behind the name of what waits for its name */

/* What a worker has made, and what it has to say, each with the number of the file. */
struct made {
    uint32_t file; /* that is being unpacked */
    bool has_failed;
    LIST(struct made_line {
        uint32_t file;
        bool is_fault;
        char *text;
    })
    lines;
    LIST(uint32_t) files; /* there is a new file, whole or not */
};

struct mapped {
    const uint8_t *bytes;
    size_t size;
    mode_t mode;
};

/* Once, before any thread: a file that becomes shorter while it is read is a fault like others. */
void unpack_expect_short_files(void);

/* Keeps a line; false. The second one takes the reason from errno. */
bool unpack_fault(struct made *made, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool unpack_cannot(struct made *made, const char *what, const char *path);

bool unpack_map(struct made *made, const char *path, struct mapped *file);
void unpack_unmap(const struct mapped *file);

/* A new file beside `path` of that mode; -1: kept as a fault. */
int unpack_make_beside(struct made *made, const char *path, mode_t mode);
bool unpack_write(int fd, const uint8_t *data, size_t size);
bool unpack_close(struct made *made, int fd, const char *path);

/* The file `made->file`. What is plain already was unpacked by a run that was cut off. */
bool unpack_file(struct made *made, const char *path, uint64_t chunk_bytes);

#endif
