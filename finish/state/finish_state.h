/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The session as found on the disk, filled in step by step. Everything is agent memory, owned by
 * struct finish and released with the struct.
 */
#ifndef SPUR_FINISH_STATE_H
#define SPUR_FINISH_STATE_H

#include "base/lock.h"
#include "base/raw_file.h"
#include "finish/state/finish_contexts.h"
#include "finish/state/finish_options.h"
#include "finish/unify/unify.h"
#include "finish/unify/unify_file.h"
#include "session/clock_sync.h"
#include "session/segment.h"
#include "session/stamp.h"

/* The meaning of a name in the folder of a session. */
enum finish_found {
    FINISH_FOUND,     /* a process */
    FINISH_LISTED,    /* only the name is known */
    FINISH_NOT_FOUND, /* something else */
};

enum finish_state {
    FINISH_ENDED,   /* closed everything itself */
    FINISH_EXECED,  /* replaced by another program: its files end in the middle */
    FINISH_DEAD,    /* killed, crashed, or a thread of the process could not be stopped */
    FINISH_ALIVE,   /* on this host */
    FINISH_UNKNOWN, /* of another host or boot, and not ended */
    FINISH_MISSING, /* a rank known to other ranks, without any files */
};

/* Reasons, beside enum spur_stop, for a recording that ends before the process. */
enum { FINISH_STOP_CUT = SPUR_STOPS /* files were cut off */, FINISH_STOPS };

/* The place of the bytes of a file that goes into a container. */
enum finish_in {
    FINISH_IN_STORE,    /* finish/state/finish_store.h */
    FINISH_IN_FOLDER,   /* the event file that the process has left, */
    FINISH_IN_SETTLED,  /* a final file by the process itself, see finish/find/finish_settled.h, */
    FINISH_IN_TOLD,     /* the record of the process, */
    FINISH_IN_RETRY,    /* a file put aside by an earlier attempt */
    FINISH_IN_GATHERED, /* the gathered events of short threads */
};

struct finish_source {
    uint64_t at; /* in the file; FINISH_IN_GATHERED: the key for finish_gathered_look() */
    uint64_t bytes;
    enum finish_in in;
    uint32_t store; /* of FINISH_IN_STORE: the number of the file */
};

struct finish_thread {
    uint32_t number;
    bool has_file;
    bool is_live;            /* `slot` was in memory when the process died */
    uint8_t type;            /* OTF2_LocationType */
    uint32_t name;           /* string: local until unified, then global; undefined: no name */
    uint32_t device;         /* device number + 1 of the stream in the process; 0: no stream */
    uint64_t slot_at;        /* in the segment */
    uint64_t events;         /* in the final file, */
    uint64_t bytes;          /* of the final file */
    uint64_t first, last;    /* times; without events: UINT64_MAX and 0 */
    uint64_t gathered_at;    /* place of the thread's gathered events, and their size: */
    uint32_t gathered_bytes; /* 0: nothing */
    uint64_t dropped;        /* events before the first kept event, see finish_ring.h */
    struct finish_source evt, def; /* for containers */
};

struct finish_store;

struct finish_property {
    uint32_t name, value; /* strings: local until unified, then global */
};

/* The process's clock and another clock at the same moment: a row ClockReading of the journal. */
struct finish_reading {
    uint64_t clock; /* identity of the other clock */
    struct spur_clock_reading at;
};

/* The known facts about a process's end; see finish/find/finish_end.c. */
struct finish_end {
    bool is_seen;   /* by the waiting parent, or noted by the process: `status` is the truth */
    bool is_own;    /* noted by the process */
    int status;     /* as wait(2) returns the status */
    uint64_t ticks; /* by the process's clock: time of death, or of the last record; 0: unknown */
    uint64_t realtime;
};

enum { FINISH_PROPERTIES = 32, FINISH_READINGS = 2 };

/* The values for ClockProperties. */
struct finish_time {
    uint64_t ticks_per_second;
    uint64_t begin, length;
    uint64_t realtime; /* of the begin: ns since the epoch */
};

/* Processors' clocks that have left the system's clock. */
struct finish_bent {
    uint64_t processes; /* with a bent clock */
    double ns;          /* the largest step ahead of the system's clock; behind: below 0 */
    double after_ns;    /* time of the step since the first moment of the clock */
};

/*
 * Memory of a process: see OWN in finish_wire.c, and finish_wire.def for columns that a step needs.
 */
struct finish_process {
    char name[SPUR_NAME_BYTES]; /* of the directory in DIR/.spur, "" for a missing rank */
    char *local; /* place on this host in use instead of DIR/.spur, [SPUR_PLACE_BYTES]; or NULL */
    struct spur_segment head; /* checked: texts end, sizes are in range */
    enum finish_state state;
    enum finish_found found;
    bool is_there;          /* with files on this host: the process runs, even as another program */
    bool is_asked_for;      /* the team is asked for the state */
    bool is_elsewhere;      /* a team member on the process's host has seen the state */
    bool is_snapshot;       /* as far as known, the process still ran when the files were copied, */
    bool is_running;        /* and runs now */
    bool is_settled;        /* the process has a record: see finish/find/finish_settled.h, */
    bool has_folder;        /* and still has a folder */
    bool has_definitions;   /* the process has written its local definitions */
    struct spur_words told; /* of a record: of the threads, */
    const char *told_in;    /* the path of the record's file, of f->told, */
    uint64_t told_at;       /* and the place in the file */
    uint64_t kept_at, kept_bytes; /* events and local definitions in the same file, see there */
    struct spur_unified_map told_map;
    uint64_t number;   /* the upper half of the ids of the process's locations */
    uint64_t mpi_base; /* of an MPI process: number of rank 0 of the same world */
    uint32_t job;      /* number of the MPI job in the session, from 1 on */
    void *journal;
    uint64_t journal_bytes, journal_room;
    bool is_damaged; /* the journal: everything behind the damage is lost */
    struct spur_map map;
    struct finish_thread *threads; /* by number */
    uint64_t n_threads;
    uint64_t first_thread;     /* place of the first thread among all threads of the session */
    struct spur_words members; /* of the teams: team << 32 | position, and the thread */
    struct spur_words members_order; /* the above pairs sorted by first word */
    struct spur_words devices;       /* names by number: strings, as for threads */
    uint32_t first_device;           /* location group of device 0 */
    struct spur_words locks; /* pairs: number and data, local; then the strings of a property */
    struct spur_words lock_counts; /* cells of LockCount; then the strings of a property */
    struct finish_property property[FINISH_PROPERTIES];
    uint32_t n_properties;
    struct finish_reading reading[FINISH_READINGS]; /* the first and the last */
    uint32_t n_readings;
    uint32_t program; /* of ProgramBegin: strings, local; unknown: the name is undefined */
    struct spur_words arguments;    /* likewise */
    struct spur_clock_line line;    /* from times of the process to times of the archive */
    struct finish_process *creator; /* NULL: not known */
    uint32_t location_group;        /* OTF2_UNDEFINED_LOCATION_GROUP until placed */
    uint32_t clock_words;           /* string: the value of the property with the clock */
    struct finish_end end;
    uint64_t seen_ticks; /* the parent last saw the process alive, by its clock; 0: unknown */
    uint32_t node;       /* of the host */
    uint32_t label;      /* string: name of the location group */
    uint32_t crashed_in; /* string: a place in words; undefined: not known */
};

/*
 * A directory with the longest name of a file inside: "/.spur/settled-" with a number in 16 digits.
 */
enum { FINISH_PLACE_BYTES = 4096 + 64 };

struct finish {
    const char *dir;
    char place[FINISH_PLACE_BYTES]; /* the library makes the archive here: `dir`, or within .spur */
    struct finish_store *store;     /* for containers */
    unsigned
        container; /* number of containers of each kind, as SPUR_CONTAINER; 0: a plain archive */
    struct spur_finish_options options;
    bool is_claimed; /* nobody else finishes the session, or moves files that lie on this host */
    struct finish_hosts {
        uint64_t away;   /* other hosts that still have files of the session, */
        char names[512]; /* the first of these hosts: "host2 (in /tmp/spur-0-1), host3 (in ...)" */
    } hosts;
    struct finish_process **process; /* in order of their numbers, once numbered */
    uint64_t n_processes, room;
    uint64_t n_mpi; /* all ranks of all worlds: the numbers below this number */
    uint64_t n_threads;
    uint64_t events, repaired; /* repaired: synthesised events */
    uint64_t bytes;            /* of the event files */
    uint64_t dropped;          /* events lost from rings */
    uint64_t cut_off;          /* threads whose file was cut off, see finish_whole.h */
    struct finish_lost {       /* strings: names of properties, of texts; undefined: not needed */
        uint32_t events, before, why[FINISH_STOPS], stopped, stopped_at;
    } lost;
    uint64_t short_calls; /* only counted, on threads that never ended */
    uint64_t stopped;     /* processes whose recording stopped before their end */
    uint64_t left_out; /* programs and children of other users, without the right to write here */
    int64_t spawned;   /* processes spawned through MPI that left no files */
    uint64_t untraced; /* untraceable programs started by the processes */
    uint64_t block_bytes;
    char boot_id[64];    /* of the kernel under the finishing process */
    struct finish_here { /* identity of this process, which may help another process */
        bool is_known;
        char boot_id[64];
        uint64_t pid_space;
    } here;
    struct spur_stamp start; /* begin of finishing */
    struct spur_stamp now;   /* time when all processes were seen to have ended */
    struct spur_unify *unify;
    struct spur_words seen;          /* processes seen dead by their parents, */
    bool has_seen;                   /* `seen` is filled in, by finish/find/finish_end.c */
    struct spur_words region_order;  /* unified regions in the order of their ids in the archive */
    uint32_t first_context;          /* unified: contexts in the archive begin at this number */
    struct finish_contexts contexts; /* by id in the archive */
    bool has_stacks;                 /* contexts are in events, and not in call sites only */
    uint32_t attribute;              /* global id: marks synthesised events */
    uint32_t *host;                  /* strings: names of the nodes */
    uint64_t host_room;
    uint32_t n_hosts;
    uint32_t no_name;    /* string "" */
    uint32_t clock_name; /* string: of the property with the clock of a process */
    struct finish_time time;
    struct finish_bent bent;
    OTF2_Archive *archive;
    bool is_retried;           /* an earlier attempt was not completed */
    struct spur_words settled; /* settled processes in the order of the search: pointers */
    struct finish_told {       /* files of the settled processes' records */
        struct finish_told *next;
        char path[SPUR_FILE_PATH_BYTES];
    } * told;
    bool keeps_settled;            /* a settled process is left out */
    bool is_adopted;               /* the archive's folder is the folder of the settled ranks */
    bool is_settling;              /* the process settles itself, and goes on for a moment; */
    struct spur_words kept;        /* events and definitions for the process's record */
    struct spur_words adopted_evt; /* locations whose files are already in the archive's folder, */
    struct spur_words adopted_def; /* in order */
    struct spur_words group_ids;   /* in the archive, by unified id; see finish_groups.h */
    bool is_helping;               /* another process finishes the session */
    bool has_unified;              /* the ranks of an MPI job have unified their definitions */
    int unread;            /* -errno: an existing file or folder cannot be read, or moved, now */
    int unremoved;         /* -errno: a superfluous file or folder cannot be removed */
    struct spur_lock lock; /* of the archive: several workers ask for writers */
    char culprit[512];     /* file or reason of the first trouble, for the error line */
};

/* The id of a location in the archive. */
static inline uint64_t finish_location_id(const struct finish_process *p,
                                          const struct finish_thread *t)
{
    return p->number << 32 | t->number;
}

/* "DIR/.spur/NAME/FILE"; FILE may be NULL. Returns `path`. */
char *finish_path(const struct finish *f, const struct finish_process *p, const char *file,
                  char path[SPUR_FILE_PATH_BYTES]);

/* Heap sort: the sorting of the C library allocates. */
void finish_sort(uint64_t *items, uint64_t n,
                 bool (*less)(const void *context, uint64_t a, uint64_t b), const void *context);

/* The reason, in words, why the process stopped recording; NULL: no stop. */
const char *finish_lost_why(const struct finish_process *p);

/* A unified string, borrowed until the next string is added; "": no string has the number. */
const char *finish_text(const struct finish *f, uint32_t string);

#endif
