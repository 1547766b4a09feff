/* SPDX-License-Identifier: BSD-3-Clause */
/* Files, the operations under way on files, and the patterns of access. */
#ifndef TOOLS_REPORT_FILES_H
#define TOOLS_REPORT_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/topics/report_notes.h"
#include "tools/report/topics/report_place.h"

struct frame;
struct report;
struct stream;

/* ---- patterns of access (report_accesses.c) ---- */

/*
 * Accesses to files: by file and interface, process, call site, kind, and powers of two of the
 * bytes. The place of an access in the file is known as follows:
 *
 *     a call with a place of its own (pread) has the attribute Offset;
 *     all other calls work at the position of the handle. The position is 0 when the handle is
 *     created, moves by the bytes that are read or written, and is set by IoSeek. Duplicates share
 *     a
 *     position. If the handle was open before the recording, the position is unknown until a seek,
 *     but its changes are known.
 *     Handles of several processes (MPI-IO) have no place: a view gives the meaning of an offset.
 *
 * Reads and writes of a handle are judged separately. sequential: the access begins at the end of
 * the previous access (the first access: at 0). strided, else: the distance to the begin of the
 * previous access equals the distance before that. random: all else. An access without bytes is not
 * judged.
 */
enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_OPEN, ACCESS_OTHER, ACCESS_KINDS };

enum { ACCESS_SMALL_POWER = 12, ACCESS_BLOCK = 1 << ACCESS_SMALL_POWER };

#define ACCESS_NOWHERE UINT64_MAX

struct moves {
    uint64_t n;
    uint64_t bytes;
    uint64_t ticks;
    uint64_t moved; /* accesses with bytes; all counters below are parts of these */
    uint64_t small; /* under ACCESS_BLOCK bytes */
    uint64_t sequential;
    uint64_t strided;
    uint64_t random;
    uint64_t placed;    /* accesses with a known place */
    uint64_t unaligned; /* placed accesses whose place is no multiple of ACCESS_BLOCK */
};

/*
 * All accesses of the same kind, from a call site of a process to a file, with 2^(power - 1) bytes
 * up to 2^power.
 */
struct access {
    uint64_t handle; /* the file's first handle */
    uint32_t file;   /* index in files */
    uint32_t process;
    uint32_t site; /* NIL: not known */
    uint8_t kind;
    uint8_t power;
    bool is_below; /* the access is made inside a call of another interface */
    struct moves moves;
    struct birth born;
};

/* Whether the program itself reads or writes there, through this interface. */
static inline bool access_is_own(const struct access *a)
{
    return !a->is_below && (a->kind == ACCESS_READ || a->kind == ACCESS_WRITE);
}

/* The reads, or the writes, at a position. */
struct access_course {
    uint64_t begin; /* begin of the last access */
    uint64_t end;
    uint64_t stride;
    bool is_exact; /* places in the file; false: distances from an unknown place */
    bool has_end;
    bool has_begin;
    bool has_stride;
};

/* The position that a handle and its duplicates share. */
struct access_position {
    uint64_t at;
    bool is_exact;
    bool appends;               /* writes go to the end of the file */
    struct access_course of[2]; /* ACCESS_READ, ACCESS_WRITE */
    uint32_t n_handles;
    uint32_t next_free; /* in the free list, if n_handles is 0 */
};

struct accesses {
    LIST(struct access) all;
    struct map index_of; /* (process and site, file, kind, ...) */
    LIST(struct access_position) positions;
    uint32_t free;          /* of positions: index + 1, 0: no free position */
    struct map position_of; /* (process, handle) */
};

/*
 * The row of the same file, process, site and kind, a new row if needed. The moves of `like` are
 * ignored.
 */
struct access *accesses_row(struct accesses *a, const struct access *like);

void moves_add(struct moves *to, const struct moves *from);

/* Changes of the handles of a process. NOWHERE as the place of a seek: the place is not known. */
void accesses_created(struct report *r, uint32_t process, uint64_t handle, bool appends);
void accesses_duplicated(struct report *r, uint32_t process, uint64_t from, uint64_t to,
                         bool appends);
void accesses_flags(struct report *r, uint32_t process, uint64_t handle, bool appends);
void accesses_sought(struct report *r, uint32_t process, uint64_t handle, uint64_t place);

/*
 * An operation of the kind of `like` has moved `bytes`. Judges the operation, moves the position,
 * and adds the operation to a row. `offset` is NOWHERE if the call has no place of its own. Returns
 * the place in the file, or NOWHERE.
 */
uint64_t accesses_moved(struct report *r, struct access like, uint64_t handle, uint64_t bytes,
                        uint64_t offset, uint64_t ticks);

/* ---- files ---- */

struct file {
    uint64_t handle;      /* the first handle; its definition has the name */
    struct place longest; /* the longest operation, from begin to completion */
    struct birth born;
    uint64_t sequence; /* of the birth event, among the events of its location */
};

/* An operation that is not complete. */
struct operation {
    uint64_t begin;
    uint64_t call;   /* see struct frame */
    uint64_t asked;  /* bytes asked for */
    uint64_t offset; /* ACCESS_NOWHERE: the call has no place of its own */
    uint32_t site;
    OTF2_IoOperationMode mode;
    bool is_below;
    uint32_t next_free;
};

struct files {
    LIST(struct file) all;
    struct map index_of; /* (0, file) or (1, handle without a file) */
    LIST(struct operation) open;
    struct map open_of; /* (location or process and handle, id) */
    uint32_t free;      /* index + 1, 0: no free operation */
};

/*
 * A call that has opened a file, for tools/report/causes. Openings under 10 microseconds are not
 * kept, which bounds their number: each opening takes 40 bytes of memory.
 */
struct file_opening {
    uint64_t begin;
    uint64_t end;
    uint64_t handle;
    uint32_t location;
    uint32_t site; /* call site, NIL: not known */
    bool creates;  /* the call creates the file if the file does not exist */
};

struct opens {
    LIST(struct file_opening) all;
};

/* All accesses to a file through the same interface. */
struct file_sum {
    struct moves of[ACCESS_KINDS];
    struct moves accesses; /* reads and writes */
    uint64_t own_ticks;    /* of operations, except operations made by another interface */
    uint32_t n_processes;
};

/* By index of a file; to be freed. */
struct file_sum *files_sum(const struct report *r);

/*
 * Processes that write a file in small pieces, with gaps in between, where other processes may
 * write.
 */
struct file_sharers {
    uint32_t n;
    struct moves moves;
};

/* By index of a file; to be freed. */
struct file_sharers *files_sharers(const struct report *r);

/* Calls that work on files: the program's own calls, without the calls made inside them. */
struct file_times {
    uint64_t calls;
    uint64_t ticks;
    uint64_t metadata_calls; /* calls that move no data */
    uint64_t metadata_ticks;
};

/* By process, of the selected locations; to be freed. */
struct file_times *files_times(const struct report *r);

/* The index of a handle's file; a new file is added. */
uint32_t files_find(struct report *r, uint64_t handle, struct birth born, uint64_t sequence);

/* Takes a note of the work of a location on a file (report_files.c). */
void files_take(struct report *r, const void *data);

/* A call that opens files, or asks for their state, has ended: at the stream's last event. */
void files_asked(struct report *r, const struct stream *s, const struct frame *call);

void files_register(OTF2_GlobalEvtReaderCallbacks *c);

#endif
