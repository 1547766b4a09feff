/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that have settled: a rank that ends in order makes the final files of its locations
 * itself, as far as they depend on nothing but itself and what the ranks have unified, and leaves
 * all else in one record (finish/finish_settle.c). So all ranks do at the same time what one
 * process would do after them.
 *
 *     DIR/.spur/ends/HOST.KEY.N                    records of processes of that host
 *     DIR/.spur/settled-WORLD/traces/LOCATION.evt  the files, as if WORLD were the only MPI job
 *     DIR/.spur/settled-WORLD/traces/LOCATION.def
 *
 * For containers (SPUR_CONTAINER) it makes no files: event files that it has already go to
 * settled-WORLD, all else is in the record.
 *
 * The record is what counts. Of a process that has none, the files in settled-WORLD are taken for
 * those in its own folder, which are missing there; its definitions are written anew.
 */
#ifndef SPUR_FINISH_SETTLED_H
#define SPUR_FINISH_SETTLED_H

#include "finish/state/finish_state.h"

#define FINISH_ENDS_FOLDER "ends"

/* How the file begins. `end` is written behind a record: what comes behind it is none. */
struct finish_ends {
    uint64_t magic;
    uint64_t end;
};

enum {
    FINISH_TOLD_NUMBER, /* of the thread; rows are in their order */
    FINISH_TOLD_EVENTS,
    FINISH_TOLD_FIRST,
    FINISH_TOLD_LAST,
    FINISH_TOLD_BYTES, /* of events */
    FINISH_TOLD_EVT,   /* where they begin in what is kept, + 1; 0: they are in a file. */
    FINISH_TOLD_DEF,   /* The same of local definitions, */
    FINISH_TOLD_DEF_BYTES,
    FINISH_TOLD
};

/*
 * A record. FINISH_TOLD words for each thread follow, then the map, then the journal, then events
 * and local definitions, if these are kept here.
 */
struct finish_settled {
    uint64_t magic;
    uint64_t bytes;         /* of the record, a multiple of 8 */
    uint64_t digest;        /* of what follows `digest` in this struct; */
    uint64_t digest_behind; /* of what follows the struct */
    uint64_t threads, map_bytes, journal_bytes, kept_bytes;
    uint64_t has_definitions; /* files of local definitions */
    char name[SPUR_NAME_BYTES];
    struct spur_segment head;
};

#define FINISH_ENDS_MAGIC UINT64_C(0x3153444e45525053)    /* "SPREND1" */
#define FINISH_SETTLED_MAGIC UINT64_C(0x334c545352505553) /* "SUPRSTL3" */

uint64_t finish_settled_digest(const struct finish_settled *record);

/* "DIR/.spur/settled-WORLD[/traces/LOCATION.ENDING]", of a rank of that world; returns `path`. */
char *finish_settled_folder(const struct finish *f, uint64_t world,
                            char path[SPUR_FILE_PATH_BYTES]);
char *finish_settled_path(const struct finish *f, const struct finish_process *p, uint32_t thread,
                          const char *ending, char path[SPUR_FILE_PATH_BYTES]);

/* Behind the scan of DIR/.spur: the processes that have records, beside their folders. */
int finish_settled_scan(struct finish *f);

/* What is behind the heads of the records. 0 or -errno. */
int finish_settled_load(struct finish *f);

/*
 * Before the archive is opened, and once processes have numbers: the folder settled-WORLD of the
 * first MPI job becomes the archive's folder of locations. 0 or -errno.
 */
int finish_settled_adopt(struct finish *f);

/* What the record of a process tells of one of its threads: FINISH_TOLD words. NULL: nothing. */
const uint64_t *finish_settled_of(const struct finish_process *p, const struct finish_thread *t);

/* Where the record keeps `which` (FINISH_TOLD_EVT or _DEF) of the thread. False: it does not. */
bool finish_settled_kept(const struct finish_process *p, const struct finish_thread *t,
                         unsigned which, struct finish_source *source);

/* Whether another process of the team sees all of it: else only who has loaded the record does. */
bool finish_settled_is_seen(const struct finish_process *p);

/* Is the file of that location in the archive's folder since then? */
bool finish_settled_has(const struct spur_words *list, uint64_t location);

#endif
