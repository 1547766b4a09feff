/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The common part of `spur pack` and `spur unpack`: the files of an archive are made anew beside
 * the old files, with ARCHIVE_REMADE behind their names, and take the old files' places when all
 * new files are whole. Several threads may work, each with a struct made of its own.
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

#define REMAKE_NO_ANCHOR "no anchor file of an OTF2 archive, or damaged"

/* The files and the messages of a worker, each with the number of the file. */
struct made {
    uint32_t file; /* the file being made */
    bool has_failed;
    LIST(struct made_line {
        uint32_t file;
        bool is_fault;
        char *text;
    })
    lines;
    LIST(uint32_t) files; /* files begun, whole or not */
};

/* Keeps a line; returns false. remake_cannot() takes the reason from errno. */
bool remake_fault(struct made *made, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool remake_cannot(struct made *made, const char *what, const char *path);

/* Keeps a line that is no fault. */
void remake_warn(struct made *made, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Prints the lines of all workers in the order of a single worker, which stops at its first fault.
 */
void remake_tell(const struct made *made);

/* ---- by all workers ---- */

struct remake_share {
    const uint32_t *owner; /* by number of a part: the worker of the part */
    uint32_t worker;       /* this worker */
};

struct remaking {
    void *work;
    struct made *made; /* of all workers, afterwards on the first worker */
    void (*remake)(void *work, struct made *made, struct remake_share share);
    const uint32_t *owner; /* for remake_by_workers() */
};

/*
 * Each worker makes its share of `n` parts, with the given sizes in bytes. `threads`: 0: as many as
 * useful.
 */
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

/* A new file beside `path` with the given mode; -1: failed, kept as a fault. */
int remake_beside(struct made *made, const char *path, mode_t mode);
bool remake_write(int fd, const uint8_t *data, size_t size);
bool remake_close(struct made *made, int fd, const char *path);

/* All files of the file system are on the disk. */
bool remake_sync(struct made *made, const char *path);

/*
 * Writes a copy of the anchor file beside `path`, with another byte at offset `at`, and syncs all
 * files.
 */
bool remake_anchor(struct made *made, const char *path, const struct mapped *file, size_t at,
                   uint8_t byte);

/* ---- the folder of the files of all locations ---- */

/*
 * `base`: the path of the anchor file without its ending. The new folder takes the place of the old
 * folder, then the new anchor file replaces the old anchor file; then superfluous files are
 * removed. Between both steps only SIGKILL and a power cut, which cannot be blocked, may come: see
 * archive_remade.h.
 */
bool remake_exchange(struct made *made, const char *base);

/* Called first. False: another run has begun with the archive; kept as a fault. */
bool remake_is_alone(struct made *made, const char *anchor);

/*
 * Called second: completes an interrupted run on the archive, by one process. True: nothing is left
 * to do, since the archive has the wanted substrate now, or a step has failed.
 */
bool remake_settled(struct made *made, const char *anchor, OTF2_FileSubstrate wanted);

/* An empty folder beside the archive's folder, of the same mode. */
bool remake_folder(struct made *made, const char *base);

/* Removes a folder with the files inside. */
void remake_remove(const char *path);

/* Removes the files of a run that could not do all. */
void remake_drop(const char *base);

#endif
