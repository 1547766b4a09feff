/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of finishing share (finish/ only): the session as it was found, filled in
 * step by step. Everything is agent memory, owned by struct finish and released at its end.
 */
#ifndef SPUR_FINISH_PARTS_H
#define SPUR_FINISH_PARTS_H

#include "finish/events/finish_distance.h"
#include "finish/finish.h"
#include "finish/unify/unify.h"
#include "session/clock_sync.h"
#include "session/segment.h"
#include "session/stamp.h"

enum finish_state {
    FINISH_ENDED,   /* closed everything itself */
    FINISH_EXECED,  /* replaced by another program: its files end in the middle */
    FINISH_DEAD,    /* killed, crashed, or a thread of it could not be stopped */
    FINISH_ALIVE,   /* on this host */
    FINISH_UNKNOWN, /* of another host or boot, and not ended */
    FINISH_MISSING, /* a rank that other ranks know of, but that left nothing */
};

/* Why the recording of a process ends before it does, beside enum spur_stop. */
enum { FINISH_STOP_CUT = SPUR_STOPS /* its files were cut off */, FINISH_STOPS };

struct finish_thread {
    uint32_t number;
    bool has_file;
    bool is_live;         /* `slot` is what it had in memory when the process died */
    uint8_t type;         /* OTF2_LocationType */
    uint32_t name;        /* string: local until unified, then global; undefined: none given */
    uint64_t slot_at;     /* in the segment */
    uint64_t events;      /* in the final file */
    uint64_t first, last; /* times; of no events: UINT64_MAX and 0 */
    uint64_t
        gathered_at; /* where what the process has gathered of it lies, and how much that is: */
    uint32_t gathered_bytes; /* 0: nothing */
    uint64_t dropped;        /* events before the first that is kept, see finish_ring.h */
};

struct finish_teams; /* see finish/define/finish_groups.h */

struct finish_property {
    uint32_t name, value; /* strings: local until unified, then global */
};

/* The process's clock and another one at the same moment: a row ClockReading of its journal. */
struct finish_reading {
    uint64_t clock; /* identity of the other one */
    struct spur_clock_reading at;
};

/* What is known of a process's end; see finish/find/finish_end.c. */
struct finish_end {
    bool is_seen;   /* by who waited for it, or noted by itself: `status` is the truth */
    bool is_own;    /* the latter */
    int status;     /* as wait(2) gives it */
    uint64_t ticks; /* by the process's clock: when it was dead, or recorded last; 0: unknown */
    uint64_t realtime;
};

enum { FINISH_PROPERTIES = 32, FINISH_READINGS = 2 };

/* What ClockProperties says. */
struct finish_time {
    uint64_t ticks_per_second;
    uint64_t begin, length;
    uint64_t realtime; /* of the begin: ns since the epoch */
};

struct finish_process {
    char name[SPUR_NAME_BYTES]; /* of its directory in DIR/.spur, "" if it is missing */
    struct spur_segment head;   /* checked: texts end, sizes are in range */
    enum finish_state state;
    bool is_snapshot;  /* it still ran when its files were copied, as far as is known, */
    bool is_running;   /* and runs now */
    uint64_t number;   /* the upper half of its locations' ids */
    uint64_t mpi_base; /* number of rank 0 of its world, if it is an MPI process */
    uint32_t job;      /* which MPI job of the session that is, from 1 on */
    void *journal;
    uint64_t journal_bytes, journal_room;
    bool is_damaged; /* the journal is: what it had behind that is lost */
    struct spur_map map;
    struct finish_thread *threads; /* by number */
    uint64_t n_threads;
    uint64_t first_thread;     /* place of its first thread among all threads of the session */
    struct spur_words members; /* of its teams: team << 32 | position, and the thread */
    struct spur_words members_order; /* of the pairs above, by their first words */
    struct finish_property property[FINISH_PROPERTIES];
    uint32_t n_properties;
    struct finish_reading reading[FINISH_READINGS]; /* the first and the last */
    uint32_t n_readings;
    uint32_t program; /* of ProgramBegin: strings, local; the name is undefined if not known */
    uint32_t n_arguments;
    const uint64_t *arguments;      /* borrowed from the journal */
    struct spur_clock_line line;    /* from its times to those of the archive */
    struct finish_process *creator; /* NULL: none known */
    uint32_t location_group;        /* OTF2_UNDEFINED_LOCATION_GROUP until it is placed */
    struct finish_end end;
    uint32_t node;       /* of its host */
    uint32_t label;      /* string: name of the location group */
    uint32_t crashed_in; /* string: a place in words; undefined: not known */
};

struct finish {
    const char *dir;
    struct spur_finish_options options;
    struct finish_process **process; /* in order of their numbers, once numbered */
    uint64_t n_processes, room;
    uint64_t n_mpi; /* all ranks of all worlds: the numbers below this */
    uint64_t n_threads;
    uint64_t events, repaired; /* repaired: synthesised events */
    uint64_t dropped;          /* events that rings did not keep */
    uint64_t cut_off;          /* threads of which a file was cut off, see finish_whole.h */
    struct finish_lost {       /* strings: names of properties, of texts; undefined: not needed */
        uint32_t events, before, why[FINISH_STOPS], stopped, stopped_at;
    } lost;
    uint64_t short_calls; /* only counted, on threads that never ended */
    uint64_t stopped;     /* processes whose recording stopped before they did */
    uint64_t left_out;    /* programs and children of other users, who may not write here */
    int64_t spawned;      /* processes that others have started by MPI, and that left nothing */
    uint64_t untraced;    /* programs that the processes have started and that cannot be traced */
    uint64_t block_bytes;
    char boot_id[64];        /* of the kernel that this runs on */
    struct spur_stamp start; /* when finishing began */
    struct spur_stamp now;   /* when all processes were seen to have ended */
    struct spur_unify *unify;
    struct spur_words seen;          /* processes that their parents have seen die, */
    bool has_seen;                   /* once they are listed, by finish/find/finish_end.c */
    struct spur_words region_order;  /* unified regions in the order of their ids in the archive */
    uint32_t first_context;          /* unified: what the archive has of contexts begins there */
    struct finish_contexts contexts; /* by their ids in the archive */
    uint32_t attribute;              /* global id: marks synthesised events */
    uint32_t *host;                  /* strings: names of the nodes */
    uint64_t host_room;
    uint32_t n_hosts;
    uint32_t no_name; /* string "" */
    struct finish_time time;
    OTF2_Archive *archive;
    bool is_retried;   /* an earlier attempt was not completed */
    bool is_unclaimed; /* it has given its claim back */
    int unread;        /* -errno: something that is there cannot be read, or moved, now */
    int unremoved;     /* -errno: something that is not needed any more cannot be removed */
    char culprit[512]; /* file or reason of the first trouble, for its one line */
};

/* The id of a location in the archive. */
static inline uint64_t finish_location_id(const struct finish_process *p,
                                          const struct finish_thread *t)
{
    return p->number << 32 | t->number;
}

/* ---- finish_scan.c: what is there ---- */

/* Fill in the processes, with their states, unsorted. 0 or -errno. */
int finish_scan(struct finish *f);
void finish_forget(struct finish *f); /* the processes, for another scan */
void finish_free(struct finish *f);

/* Did the process of this directory die before it had come to say who it was? */
bool finish_is_stillborn(const struct finish *f, const char *name);

/* Can it be the name in DIR/.spur of a process? */
bool finish_is_process_name(const char *name);

/* Is the segment in this directory missing, or no segment? */
bool finish_is_unreadable(const struct finish *f, const char *name);
/* Of that name: does it run still, or has it recorded? */
bool finish_may_record(const struct finish *f, const char *name);

/* Add a process, zeroed. NULL: no memory. */
struct finish_process *finish_add(struct finish *f);

/* "DIR/.spur/NAME/FILE"; FILE may be NULL. Returns `path`. */
char *finish_path(const struct finish *f, const struct finish_process *p, const char *file,
                  char *path);

/* ---- finish_running.c: may it be finished? ---- */

enum { FINISH_NAP_MS = 20 };
void finish_nap(void);

bool finish_is_running(const struct finish *f);
/* "pid 12, pid 15 on host4 and 3 more"; "": none. */
void finish_list_running(const struct finish *f, char *text, size_t size);
/* 0, or -EBUSY and a line that names those that still run. */
int finish_check_running(const struct finish *f);
/* finish_scan(), and again for some time while processes run that are about to end. */
int finish_scan_patiently(struct finish *f);

/* ---- finish_live.c ---- */

/* Is there a process on this host that has the agent and may still come to record for `f`? */
bool finish_is_lived_in(const struct finish *f);

/* ---- finish_order.c: which is which ---- */

/* A process that has become another program does not record any more. */
int finish_find_execs(struct finish *f);
/* Are there processes that finish_scan() has not seen, and that may record? */
bool finish_has_newcomers(const struct finish *f);

/* Number the processes, add missing ranks, find creators; the processes are then in order. */
int finish_order(struct finish *f);

/* Where the other MPI jobs begin that the process has met, by its numbers; UINT64_MAX: not known.
 */
int finish_worlds(const struct finish *f, const struct finish_process *p,
                  struct spur_words *worlds);

/* Heap sort: the C library's sorting allocates. */
void finish_sort(uint64_t *items, uint64_t n,
                 bool (*less)(const void *context, uint64_t a, uint64_t b), const void *context);

/* ---- finish_journal.c ---- */

/* Load the process's journal, as far as it goes. 0 or -errno. */
int finish_journal_load(const struct finish *f, struct finish_process *p);

/* ---- finish_threads.c: what a process says of itself ---- */

/* Load the journal; find the threads, by their files, their slots and the journal; properties. */
int finish_threads(struct finish *f, struct finish_process *p);

/* Place among the process's threads of the one of that number; their number if there is none. */
uint64_t finish_thread_place(const struct finish_process *p, uint64_t number);

/* The members of the process's team into `members`: places of threads among all of the session. */
uint64_t finish_team(const struct finish_process *p, uint64_t team, uint64_t *members,
                     uint64_t room);

/* ---- finish_end.c: how processes ended ---- */

/* What others have noted, of one process that is not closed. */
void finish_end_read(struct finish *f, struct finish_process *p);

/* Before its events are completed: when a dead process had ended for sure. */
void finish_end_date(struct finish *f, struct finish_process *p);

/* The properties, once all times are known and before strings are written. */
void finish_end_properties(struct finish *f);

/* "; Process 12 (prog) was killed by SIGSEGV", and how many more died; "": none did. */
void finish_end_say(struct finish *f, char *text, size_t size);

/* How many processes did not end by an exit status. */
uint64_t finish_end_dead(const struct finish *f);

/* ---- finish_events.c: the event files ---- */

/* Move a process's event files to their place, and complete those of a dead one. */
int finish_events(struct finish *f, struct finish_process *p);

/* ---- finish_clock.c: one time for all ---- */

/* Once the events are there: give each process its line, and say what ClockProperties will. */
int finish_clock(struct finish *f);
OTF2_ErrorCode finish_clock_properties(const struct finish *f, OTF2_GlobalDefWriter *writer);

/* ---- finish_names.c: from local to global strings ---- */

/* After unification: give everything that has a name its string, before any is written. */
/* A unified string, borrowed until the next is added; "": there is none of that number. */
const char *finish_text(const struct finish *f, uint32_t string);
int finish_names(struct finish *f);

/* ---- finish_code.c: the names of regions that are known by their place in the code ---- */

/*
 * After unification: make a Region of each RegionAt, and of each ContextAt CallingContexts. Places
 * that turn out to be one, of the same line, say, are one region; the processes' maps are changed
 * to that.
 */
int finish_code(struct finish *f);

/* "module+0x1234"; "" when it is not known where. Code that the program has made: "[jit]". */
void finish_code_address(const struct finish *f, uint32_t code, char *text, size_t size);
/* A path of the module, "" if there is none; borrowed until a definition is added. */
const char *finish_code_path(const struct finish *f, uint32_t code);

/* ---- finish_definitions.c: everything but events ---- */

/* Write local definitions, and the global ones. */
int finish_definitions(struct finish *f);

/* ---- finish_local.c: how the ids of each process translate ---- */

/* Write the local definitions of all locations, into files that are open. */
OTF2_ErrorCode finish_local(const struct finish *f, const struct finish_teams *teams);

/* ---- finish_control.c: what was not recorded by intent ---- */

/* Properties of the archive. */
OTF2_ErrorCode finish_control_properties(const struct finish *f);
/* The end of the summary line: "", or what begins with "; ". */
void finish_control_say(const struct finish *f, char *text, size_t size);

/* ---- finish_io.c: I/O paradigms, of a session in which there are files ---- */

/* Their strings, before strings are written. */
void finish_io_names(struct finish *f);
OTF2_ErrorCode finish_io_paradigms(struct finish *f, OTF2_GlobalDefWriter *writer);

/*
 * ---- finish_lost.c: what the archive does not hold, and why ----
 *
 * Once the events are there: properties of the locations whose beginning a ring dropped, and of the
 * processes that recorded no more before they ended. The strings are made before any is written.
 */
int finish_lost_regions(struct finish *f); /* 0 or -ENOMEM */
void finish_lost_names(struct finish *f);
OTF2_ErrorCode finish_lost_properties(const struct finish *f, OTF2_GlobalDefWriter *writer);

/* Why that process recorded no more, in words; NULL if it did not stop. */
const char *finish_lost_why(const struct finish_process *p);

/* ---- finish_trouble.c: what goes wrong ---- */

/* Remember what went wrong where, once. Returns `err`. */
int finish_blame(struct finish *f, int err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 0, or -errno of what a library error stands for, blamed on `what`. */
int finish_check(struct finish *f, OTF2_ErrorCode error, const char *what);

/*
 * spur_file_open() and spur_file_read() of what processes have left. A failure that does not tell
 * that there is nothing to read is kept in f->unread: who would throw something away, since what
 * belongs to it is missing, gives that back instead, and everything waits for another attempt.
 */
void finish_note_unread(struct finish *f, int err, const char *path);
int finish_try_open(struct finish *f, const char *path, uint64_t *size);
int64_t finish_try_read(struct finish *f, const char *path, int fd, uint64_t at, void *to,
                        uint64_t bytes);

/* Say what was blamed, and what to do about it, in one line. */
void finish_say_trouble(const struct finish *f, int err);

#endif
