/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The session as it was found, filled in step by step. Everything is agent memory, owned by struct
 * finish and released at its end.
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

/* What a name in the folder of a session is. */
enum finish_found {
    FINISH_FOUND,     /* a process */
    FINISH_LISTED,    /* nothing but the name is known */
    FINISH_NOT_FOUND, /* something else */
};

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

/* Where the bytes of a file lie that goes into a container. */
enum finish_in {
    FINISH_IN_STORE,    /* finish/state/finish_store.h */
    FINISH_IN_FOLDER,   /* the event file that the process has left, */
    FINISH_IN_SETTLED,  /* or a file that it has made of it, see finish/find/finish_settled.h, */
    FINISH_IN_TOLD,     /* or what it has put into its record, */
    FINISH_IN_RETRY,    /* or what an earlier attempt has put aside */
    FINISH_IN_GATHERED, /* what it has gathered of short threads */
};

struct finish_source {
    uint64_t at; /* in that file; of FINISH_IN_GATHERED what finish_gathered_look() finds it by */
    uint64_t bytes;
    enum finish_in in;
    uint32_t store; /* of FINISH_IN_STORE: the number of its file */
};

struct finish_thread {
    uint32_t number;
    bool has_file;
    bool is_live;         /* `slot` is what it had in memory when the process died */
    uint8_t type;         /* OTF2_LocationType */
    uint32_t name;        /* string: local until unified, then global; undefined: none given */
    uint32_t device;      /* of the process, that it is a stream of, + 1; 0: of none */
    uint64_t slot_at;     /* in the segment */
    uint64_t events;      /* in the final file, */
    uint64_t bytes;       /* of it */
    uint64_t first, last; /* times; of no events: UINT64_MAX and 0 */
    uint64_t
        gathered_at; /* where what the process has gathered of it lies, and how much that is: */
    uint32_t gathered_bytes;       /* 0: nothing */
    uint64_t dropped;              /* events before the first that is kept, see finish_ring.h */
    struct finish_source evt, def; /* for containers */
};

struct finish_store;

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

/* Processors' clocks that have left the system's clock. */
struct finish_bent {
    uint64_t processes; /* with such a clock */
    double ns;          /* the largest step ahead of the system's clock; behind: below 0 */
    double after_ns;    /* time of the step since the first moment of the clock */
    uint32_t name;      /* name of the property with the clock of a process */
};

/* Memory that a process owns: see OWN in finish_wire.c, and finish_wire.def if a step needs it. */
struct finish_process {
    char name[SPUR_NAME_BYTES]; /* of its directory in DIR/.spur, "" if it is missing */
    char
        *local; /* the place on this host whose .spur has it instead, [SPUR_PLACE_BYTES]; or NULL */
    struct spur_segment head; /* checked: texts end, sizes are in range */
    enum finish_state state;
    enum finish_found found;
    bool is_there;        /* of one that lies on this host: the process runs, whatever it is now */
    bool is_asked_for;    /* the team is asked what it is */
    bool is_elsewhere;    /* another of the team has seen what it is, on its host */
    bool is_snapshot;     /* it still ran when its files were copied, as far as is known, */
    bool is_running;      /* and runs now */
    bool is_settled;      /* it has a record: see finish/find/finish_settled.h, */
    bool has_folder;      /* and its folder all the same */
    bool has_definitions; /* it has written its local definitions */
    struct spur_words told;       /* of a record: of its threads, */
    const char *told_in;          /* the path of the file that it is in, of f->told; */
    uint64_t told_at;             /* and where */
    uint64_t kept_at, kept_bytes; /* in that file: events and local definitions, see there */
    struct spur_unified_map told_map;
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
    struct spur_words devices;       /* their names by number: strings, as those of threads */
    uint32_t first_device;           /* location group of device 0 */
    struct spur_words locks; /* pairs: number and data, local; then the strings of a property */
    struct spur_words lock_counts; /* cells of LockCount; then the strings of a property */
    struct finish_property property[FINISH_PROPERTIES];
    uint32_t n_properties;
    struct finish_reading reading[FINISH_READINGS]; /* the first and the last */
    uint32_t n_readings;
    uint32_t program; /* of ProgramBegin: strings, local; the name is undefined if not known */
    struct spur_words arguments;    /* likewise */
    struct spur_clock_line line;    /* from its times to those of the archive */
    struct finish_process *creator; /* NULL: none known */
    uint32_t location_group;        /* OTF2_UNDEFINED_LOCATION_GROUP until it is placed */
    uint32_t clock_words;           /* string: the value of the property with the clock */
    struct finish_end end;
    uint64_t seen_ticks; /* when its parent has seen it alive, by its clock; 0: unknown */
    uint32_t node;       /* of its host */
    uint32_t label;      /* string: name of the location group */
    uint32_t crashed_in; /* string: a place in words; undefined: not known */
};

/* A directory, and of a file within it what is longest: "/.spur/settled-" with a number in 16
 * digits. */
enum { FINISH_PLACE_BYTES = 4096 + 64 };

struct finish {
    const char *dir;
    char place[FINISH_PLACE_BYTES]; /* where the library makes it: `dir`, or within .spur */
    struct finish_store *store;     /* for containers */
    unsigned
        container; /* how many containers of each kind it becomes, as SPUR_CONTAINER; 0: none */
    struct spur_finish_options options;
    bool is_claimed; /* nobody else finishes the session, or moves what lies on this host */
    struct finish_hosts {
        uint64_t away;   /* other hosts that still have something of the session, */
        char names[512]; /* the first of them: "host2 (in /tmp/spur-0-1), host3 (in ...)" */
    } hosts;
    struct finish_process **process; /* in order of their numbers, once numbered */
    uint64_t n_processes, room;
    uint64_t n_mpi; /* all ranks of all worlds: the numbers below this */
    uint64_t n_threads;
    uint64_t events, repaired; /* repaired: synthesised events */
    uint64_t bytes;            /* of the event files */
    uint64_t dropped;          /* events that rings did not keep */
    uint64_t cut_off;          /* threads of which a file was cut off, see finish_whole.h */
    struct finish_lost {       /* strings: names of properties, of texts; undefined: not needed */
        uint32_t events, before, why[FINISH_STOPS], stopped, stopped_at, contended_at;
    } lost;
    uint64_t short_calls; /* only counted, on threads that never ended */
    uint64_t stopped;     /* processes whose recording stopped before they did */
    uint64_t left_out;    /* programs and children of other users, who may not write here */
    int64_t spawned;      /* processes that others have started by MPI, and that left nothing */
    uint64_t untraced;    /* programs that the processes have started and that cannot be traced */
    uint64_t block_bytes;
    char boot_id[64];    /* of the kernel that finishing runs on */
    struct finish_here { /* where this process is, which may help another one */
        bool is_known;
        char boot_id[64];
        uint64_t pid_space;
    } here;
    struct spur_stamp start; /* when finishing began */
    struct spur_stamp now;   /* when all processes were seen to have ended */
    struct spur_unify *unify;
    struct spur_words seen;          /* processes that their parents have seen die, */
    bool has_seen;                   /* once they are listed, by finish/find/finish_end.c */
    struct spur_words region_order;  /* unified regions in the order of their ids in the archive */
    uint32_t first_context;          /* unified: what the archive has of contexts begins there */
    struct finish_contexts contexts; /* by their ids in the archive */
    bool has_stacks;                 /* they stand in events, and not in call sites only */
    uint32_t attribute;              /* global id: marks synthesised events */
    uint32_t *host;                  /* strings: names of the nodes */
    uint64_t host_room;
    uint32_t n_hosts;
    uint32_t no_name; /* string "" */
    struct finish_time time;
    struct finish_bent bent;
    OTF2_Archive *archive;
    bool is_retried;           /* an earlier attempt was not completed */
    struct spur_words settled; /* processes that have settled, as they were found: pointers */
    struct finish_told {       /* files of their records */
        struct finish_told *next;
        char path[SPUR_FILE_PATH_BYTES];
    } * told;
    bool keeps_settled;            /* one of them is left out */
    bool is_adopted;               /* the archive's folder is that of ranks that settled */
    bool is_settling;              /* by the process itself, which goes on for a moment; */
    struct spur_words kept;        /* what it puts into its record, of events and definitions */
    struct spur_words adopted_evt; /* locations whose files are in the archive's folder already, */
    struct spur_words adopted_def; /* in order */
    struct spur_words group_ids;   /* in the archive, by unified id; see finish_groups.h */
    bool is_helping;               /* another process finishes the session */
    bool has_unified;              /* the ranks of an MPI job have */
    int unread;            /* -errno: something that is there cannot be read, or moved, now */
    int unremoved;         /* -errno: something that is not needed any more cannot be removed */
    struct spur_lock lock; /* of the archive: several workers ask for writers */
    char culprit[512];     /* file or reason of the first trouble, for its one line */
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

/* Heap sort: the C library's sorting allocates. */
void finish_sort(uint64_t *items, uint64_t n,
                 bool (*less)(const void *context, uint64_t a, uint64_t b), const void *context);

/* Why that process recorded no more, in words; NULL if it did not stop. */
const char *finish_lost_why(const struct finish_process *p);

/* A unified string, borrowed until the next is added; "": there is none of that number. */
const char *finish_text(const struct finish *f, uint32_t string);

#endif
