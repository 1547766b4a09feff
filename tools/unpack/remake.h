/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `spur pack` and `spur unpack` have in common: the files of an archive are made anew beside
 * the old ones, with ARCHIVE_REMADE behind their names, and take their places when all are whole.
 * Several threads may do that, each with a struct made of its own.
 */
#ifndef TOOLS_UNPACK_REMAKE_H
#define TOOLS_UNPACK_REMAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <otf2/OTF2_GeneralDefinitions.h>

#include "tools/base/archive_remade.h"
#include "tools/base/list.h"

/* What a worker has made, and what it has to say, each with the number of the file. */
struct made {
    uint32_t file; /* that is being made */
    bool has_failed;
    LIST(struct made_line {
        uint32_t file;
        bool is_fault;
        char *text;
    })
    lines;
    LIST(uint32_t) files; /* there is a new file, whole or not */
};

/* Keeps a line; false. The second one takes the reason from errno. */
bool remake_fault(struct made *made, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool remake_cannot(struct made *made, const char *what, const char *path);

/* Keeps a line that is no fault. */
void remake_warn(struct made *made, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The lines of all, as one worker would have them, which stops at its first fault. */
void remake_tell(const struct made *made);

/* ---- by all workers ---- */

struct remake_share {
    const uint32_t *owner; /* by number of a part: the worker that makes it */
    uint32_t worker;       /* this one */
};

struct remaking {
    void *work;
    struct made *made; /* by all, afterwards on the first worker */
    void (*remake)(void *work, struct made *made, struct remake_share share);
    const uint32_t *owner; /* for remake_by_workers() */
};

/* Each worker makes its share of `n` parts, of that many bytes. `threads`: 0: those of use. */
void remake_by_workers(struct remaking *remaking, const uint64_t *bytes, size_t n,
                       unsigned threads);

/* ---- files ---- */

struct mapped {
    const uint8_t *bytes;
    size_t size;
    mode_t mode;
};

bool remake_map(struct made *made, const char *path, struct mapped *file);
void remake_unmap(const struct mapped *file);

/* A new file beside `path` of that mode; -1: kept as a fault. */
int remake_beside(struct made *made, const char *path, mode_t mode);
bool remake_write(int fd, const uint8_t *data, size_t size);
bool remake_close(struct made *made, int fd, const char *path);

/* All files of the file system are on the disk. */
bool remake_sync(struct made *made, const char *path);

/* The anchor file `path` beside itself, but for the byte at that place, and all files synced. */
bool remake_anchor(struct made *made, const char *path, const struct mapped *file, size_t at,
                   uint8_t byte);

/* ---- the folder of the files of all locations ---- */

/*
 * `base`: the path of the anchor file without its ending. The folder beside it takes its place,
 * then the new anchor file; then what is of no use goes. Only what cannot be blocked, SIGKILL and a
 * power cut, comes between the two: see archive_remade.h.
 */
bool remake_exchange(struct made *made, const char *base);

/* First of all. False: another run has begun with that archive; that is kept as a fault. */
bool remake_is_alone(struct made *made, const char *anchor);

/*
 * Then: completes what was cut off there, by one process. True: and that was all, since the
 * archive is of that substrate now, or something has failed.
 */
bool remake_settled(struct made *made, const char *anchor, OTF2_FileSubstrate wanted);

/* An empty folder beside the one of the archive, of the same mode. */
bool remake_folder(struct made *made, const char *base);

/* A folder with the files in it. */
void remake_remove(const char *path);

/* Removes what a run has made that could not do all. */
void remake_drop(const char *base);

#endif
