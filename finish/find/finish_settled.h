/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settled processes: a rank that ends in order makes the final files of its locations itself, as
 * far as the files depend only on the rank and on the definitions unified by all ranks. Everything
 * else goes into a record (finish/finish_settle.c). So all ranks do at the same time the work that
 * otherwise a single process would do after the end of all ranks.
 *
 *     DIR/.spur/ends/HOST.KEY.N                    records of processes of that host
 *     DIR/.spur/settled-WORLD/traces/LOCATION.evt  the files, as if WORLD were the only MPI job
 *     DIR/.spur/settled-WORLD/traces/LOCATION.def
 *
 * For containers (SPUR_CONTAINER) a process makes no files: existing event files go to
 * settled-WORLD, everything else is in the record.
 *
 * The record decides. Without a record, the files of a process in settled-WORLD replace the missing
 * files in the process's own folder, and the definitions of the process are written anew.
 */
#ifndef SPUR_FINISH_SETTLED_H
#define SPUR_FINISH_SETTLED_H

#include "finish/state/finish_state.h"

#define FINISH_ENDS_FOLDER "ends"

/*
 * The head of the file. `end` is set after a record was written: bytes behind `end` are no record.
 */
struct finish_ends {
    uint64_t magic;
    uint64_t end;
};

enum {
    FINISH_TOLD_NUMBER, /* of the thread; rows are ordered by number */
    FINISH_TOLD_EVENTS,
    FINISH_TOLD_FIRST,
    FINISH_TOLD_LAST,
    FINISH_TOLD_BYTES, /* of events */
    FINISH_TOLD_EVT,   /* offset of the events in the kept bytes, + 1; 0: in a file. */
    FINISH_TOLD_DEF,   /* The same for local definitions, */
    FINISH_TOLD_DEF_BYTES,
    FINISH_TOLD
};

/*
 * A record. FINISH_TOLD words for each thread follow, then the map, then the journal, then events
 * and local definitions, if kept in the record.
 */
struct finish_settled {
    uint64_t magic;
    uint64_t bytes;         /* of the record, a multiple of 8 */
    uint64_t digest;        /* of the members behind `digest` in this struct; */
    uint64_t digest_behind; /* of the bytes behind the struct */
    uint64_t threads, map_bytes, journal_bytes, kept_bytes;
    uint64_t has_definitions; /* files of local definitions exist */
    char name[SPUR_NAME_BYTES];
    struct spur_segment head;
};

#define FINISH_ENDS_MAGIC UINT64_C(0x3153444e45525053)    /* "SPREND1" */
#define FINISH_SETTLED_MAGIC UINT64_C(0x334c545352505553) /* "SUPRSTL3" */

uint64_t finish_settled_digest(const struct finish_settled *record);

/* "DIR/.spur/settled-WORLD[/traces/LOCATION.ENDING]", of a rank of the world; returns `path`. */
char *finish_settled_folder(const struct finish *f, uint64_t world,
                            char path[SPUR_FILE_PATH_BYTES]);
char *finish_settled_path(const struct finish *f, const struct finish_process *p, uint32_t thread,
                          const char *ending, char path[SPUR_FILE_PATH_BYTES]);

/* Behind the scan of DIR/.spur: the processes with records, beside the processes with folders. */
int finish_settled_scan(struct finish *f);

/* Load the parts of the records behind the heads. 0 or -errno. */
int finish_settled_load(struct finish *f);

/*
 * Before the archive is opened, and once processes have numbers: the folder settled-WORLD of the
 * first MPI job becomes the archive's folder of locations. 0 or -errno.
 */
int finish_settled_adopt(struct finish *f);

/* The FINISH_TOLD words for a thread in the record of the process. NULL: no words. */
const uint64_t *finish_settled_of(const struct finish_process *p, const struct finish_thread *t);

/*
 * The place of `which` (FINISH_TOLD_EVT or _DEF) of the thread in the record. False: not in the
 * record.
 */
bool finish_settled_kept(const struct finish_process *p, const struct finish_thread *t,
                         unsigned which, struct finish_source *source);

/*
 * Whether other processes of the team see all data of the process: not if the record keeps bytes,
 * which only the process that loaded the record has.
 */
bool finish_settled_is_seen(const struct finish_process *p);

/* Is the file of that location in the archive's folder since the adoption? */
bool finish_settled_has(const struct spur_words *list, uint64_t location);

#endif
