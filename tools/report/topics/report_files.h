/* SPDX-License-Identifier: BSD-3-Clause */
/* Files, and the operations on them that are under way. And how they are accessed. */
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

/* ---- how files are accessed (report_accesses.c) ---- */

/*
 * How files are accessed: by file and interface, process, call site, kind, and powers of two of the
 * bytes. What is known of the place in the file:
 *
 *     a call that says where it works (pread) has the attribute Offset;
 *     all others work at the position of the handle. It is 0 when the handle is created, moves by
 *     what is read or written, and is where IoSeek says. Duplicates share it. Of a handle that was
 *     open before it is not known up to a seek, but how it changes is.
 *     Handles of several processes (MPI-IO) have no place: a view says what an offset means.
 *
 * Reads and writes of a handle are judged apart. An access that begins where the one before has
 * ended (the first: at 0) is sequential; else one that begins as far behind the begin of the one
 * before as that did is strided; else it is random. What moves no byte is not judged.
 */
enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_OPEN, ACCESS_OTHER, ACCESS_KINDS };

enum { ACCESS_SMALL_POWER = 12, ACCESS_BLOCK = 1 << ACCESS_SMALL_POWER };

#define ACCESS_NOWHERE UINT64_MAX

struct moves {
    uint64_t n;
    uint64_t bytes;
    uint64_t ticks;
    uint64_t moved; /* that moved a byte; the rest are of these */
    uint64_t small; /* under ACCESS_BLOCK bytes */
    uint64_t sequential;
    uint64_t strided;
    uint64_t random;
    uint64_t placed;    /* whose place is known */
    uint64_t unaligned; /* which is no multiple of ACCESS_BLOCK */
};

/* All of one kind, from one site of a process to a file, with 2^(power - 1) bytes up to 2^power. */
struct access {
    uint64_t handle; /* the file's first one */
    uint32_t file;   /* index in files */
    uint32_t process;
    uint32_t site; /* NIL: not known */
    uint8_t kind;
    uint8_t power;
    bool is_below; /* in a call of another interface */
    struct moves moves;
    struct birth born;
};

/* Whether the program reads or writes there itself, by this interface. */
static inline bool access_is_own(const struct access *a)
{
    return !a->is_below && (a->kind == ACCESS_READ || a->kind == ACCESS_WRITE);
}

/* The reads, or the writes, of a position. */
struct access_course {
    uint64_t begin; /* of the last one */
    uint64_t end;
    uint64_t stride;
    bool is_exact; /* these are places in the file, and not distances from an unknown one */
    bool has_end;
    bool has_begin;
    bool has_stride;
};

/* What a handle and its duplicates share. */
struct access_position {
    uint64_t at;
    bool is_exact;
    bool appends;               /* what is written goes behind the end */
    struct access_course of[2]; /* ACCESS_READ, ACCESS_WRITE */
    uint32_t n_handles;
    uint32_t next_free; /* if there is none */
};

struct accesses {
    LIST(struct access) all;
    struct map index_of; /* (process and site, file, kind, ...) */
    LIST(struct access_position) positions;
    uint32_t free;          /* of these: index + 1, 0: none */
    struct map position_of; /* (process, handle) */
};

/* The row of one, which may be new: its moves do not count. */
struct access *accesses_row(struct accesses *a, const struct access *like);

void moves_add(struct moves *to, const struct moves *from);

/* What happens to handles of a process: NOWHERE of a seek: nobody knows. */
void accesses_created(struct report *r, uint32_t process, uint64_t handle, bool appends);
void accesses_duplicated(struct report *r, uint32_t process, uint64_t from, uint64_t to,
                         bool appends);
void accesses_flags(struct report *r, uint32_t process, uint64_t handle, bool appends);
void accesses_sought(struct report *r, uint32_t process, uint64_t handle, uint64_t place);

/*
 * An operation of the row's kind, that moved so many bytes: judges it, moves the position, and adds
 * it to a row. `offset` is NOWHERE if the call does not say. Returns the place in the file, or
 * NOWHERE.
 */
uint64_t accesses_moved(struct report *r, struct access like, uint64_t handle, uint64_t bytes,
                        uint64_t offset, uint64_t ticks);

/* ---- files ---- */

struct file {
    uint64_t handle;      /* the first one; its definition knows the name */
    struct place longest; /* from the begin of an operation to its completion */
    struct birth born;
    uint64_t sequence; /* of that event, among those of its location */
};

/* An operation that is not complete. */
struct operation {
    uint64_t begin;
    uint64_t call;   /* see struct frame */
    uint64_t asked;  /* bytes */
    uint64_t offset; /* ACCESS_NOWHERE: the call does not say */
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
    uint32_t free;      /* index + 1, 0: none */
};

/*
 * A call that has opened a file, for tools/report/causes. Those of under 10 microseconds are not
 * kept, so that there are never too many: one takes 40 bytes of memory.
 */
struct file_opening {
    uint64_t begin;
    uint64_t end;
    uint64_t handle;
    uint32_t location;
    uint32_t site; /* of the call, NIL: not known */
    bool creates;  /* if there is no such file */
};

struct opens {
    LIST(struct file_opening) all;
};

/* All that was done to a file by one interface. */
struct file_sum {
    struct moves of[ACCESS_KINDS];
    struct moves accesses; /* reads and writes */
    uint64_t own_ticks;    /* of operations, but for those that another interface has made */
    uint32_t n_processes;
};

/* By index of a file; to be freed. */
struct file_sum *files_sum(const struct report *r);

/* Processes that write a file in small pieces with gaps in between, which others may fill. */
struct file_sharers {
    uint32_t n;
    struct moves moves;
};

/* By index of a file; to be freed. */
struct file_sharers *files_sharers(const struct report *r);

/* Calls that work on files: those of the program, not what they call. */
struct file_times {
    uint64_t calls;
    uint64_t ticks;
    uint64_t metadata_calls; /* those of them that move no data */
    uint64_t metadata_ticks;
};

/* By process, of the selected locations; to be freed. */
struct file_times *files_times(const struct report *r);

/* The file of a handle, which may be new. */
uint32_t files_find(struct report *r, uint64_t handle, struct birth born, uint64_t sequence);

/* A note has come: what a location has done (report_files.c). */
void files_take(struct report *r, const void *data);

/* A call that opens files or asks for them has ended: now, which is the stream's last event. */
void files_asked(struct report *r, const struct stream *s, const struct frame *call);

void files_register(OTF2_GlobalEvtReaderCallbacks *c);

#endif
