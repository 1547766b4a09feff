/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The segment of a recording process: one file, mapped shared, that holds all that must outlive
 * the process: who it is, the cursors and open regions of its live threads, and the chunks of
 * events that are not yet in an .evt file. Written by the process itself (agent/segment/buffer.c),
 * read after its death by finish/, which must treat every field as possibly broken.
 *
 * The file is an array of blocks of `block_bytes` (the event chunk size of the archive). Block 0
 * starts with this header and continues with slots from SPUR_SLOTS_OFFSET on; further blocks of
 * slots are named in slot_block[]; every other block is free or a chunk of events. Blocks get their
 * space piece by piece, before it is touched, so that a full disk is an error code and never
 * SIGBUS; the rest of the file are holes.
 *
 * Between the header and the first slot lies room for what short threads have recorded: see
 * agent/segment/gathered.h.
 *
 * Files of a process beside it, in the same directory:
 *   journal             its definitions, append-only (session/journal.h)
 *   traces/<thread>.evt whole chunks of events, one file per thread that has flushed, or ended with
 *                       more than is gathered
 *   gathered            what was gathered when the room for it was full, again and again
 */
#ifndef SPUR_SEGMENT_H
#define SPUR_SEGMENT_H

#include <stdatomic.h>
#include <stdint.h>

#include "session/clock_watch.h"
#include "session/usage.h"
#include "settings/config.h"
#include "writer/evt_cursor.h"

#define SPUR_SEGMENT_MAGIC "SPURSEG"

/* In DIR/.spur: space that is freed when the session is finished. */
#define SPUR_RESERVE_FILE "reserve"

/* The same: what was asked of the session, "on" or "off". */
#define SPUR_CONTROL_FILE "control"

/* Beside the segment. */
#define SPUR_GATHERED_FILE "gathered"

enum {
    SPUR_SEGMENT_VERSION = 12,
    SPUR_GATHERED_OFFSET = 8192, /* in block 0 */
    SPUR_GATHERED_BYTES = 64 << 10,
    /* The first slot in block 0; further blocks start with slots. */
    SPUR_SLOTS_OFFSET = SPUR_GATHERED_OFFSET + SPUR_GATHERED_BYTES,
    SPUR_SLOT_CHUNKS = 64,  /* chunks a thread may hold before they are flushed */
    SPUR_SLOT_REGIONS = 64, /* open regions and the like remembered; deeper ones are counted only */
    SPUR_SLOT_BLOCKS = 256,
    SPUR_POSTED = 32, /* requests remembered, a power of two */
    SPUR_CRASH_FRAMES = 64,
    SPUR_NAME_BYTES = 256,
};

/*
 * What is open on a thread. Without a mark the number is that of a region; with these marks it is
 * that of a team's communicator, of a fork's paradigm, or of a region in its calling context.
 */
enum {
    SPUR_OPEN_TEAM = 1 << 29,
    SPUR_OPEN_FORK = 1 << 30,
    SPUR_OPEN_CONTEXT = SPUR_OPEN_TEAM | SPUR_OPEN_FORK,
    SPUR_OPEN_ID = (1 << 29) - 1
};

/* The unwind distance in events until finishing puts the right one there: two bytes wide. */
enum { SPUR_DISTANCE_LATER = 1 << 8 };

/* Why a process records no more, although it goes on; struct spur_segment.stopped. */
enum spur_stop {
    SPUR_STOP_NOT,
    SPUR_STOP_DISK,        /* there was no room for events or definitions */
    SPUR_STOP_BUFFER,      /* a thread's buffer was full, and SPUR_FLUSH=stop */
    SPUR_STOP_LIMIT,       /* of SPUR_LIMIT, for one process */
    SPUR_STOP_LIMIT_ALL,   /* the same, for all processes */
    SPUR_STOP_SHARE,       /* the disk has only the share left that stays free */
    SPUR_STOP_DEFINITIONS, /* SPUR_IDS_MAX of one kind */
    SPUR_STOPS,
};

/*
 * What the innermost open call of a thread waits for: for a report about a program that stands
 * still. Written by plain stores in each call that may block; valid while `depth` is that of the
 * slot.
 */
struct spur_waiting {
    _Atomic uint32_t kind; /* enum spur_wait */
    uint32_t depth;
    uint32_t comm, peer, tag; /* process-local communicator; a rank, a root, a lock, a thread */
    _Atomic uint32_t paused;  /* region + 1 of a call entered while recording is paused; 0: none */
    uint64_t handle;          /* of a request */
};

/* A message that was posted as a request, at the place that its id tells. */
struct spur_posted {
    uint64_t id, handle;
    uint32_t comm, peer, tag, is_send;
};

enum spur_slot_state {
    SPUR_SLOT_FREE,
    SPUR_SLOT_LIVE,
    SPUR_SLOT_ENDED, /* its file is complete: what is left here is of no use */
};

/* What others may ask of a process, see agent/record/control.h; bits of spur_segment.asked. */
enum { SPUR_ASK_ON = 1, SPUR_ASK_OFF = 2 };

/*
 * A thread that is alive, or was when its process died. The chunks are listed oldest first, from
 * `oldest` on and round; all but the last are sealed (complete, zero-filled, header right), the
 * last is the one that [cursor.chunk, cursor.pos) describes: its valid length is pos - chunk.
 * Of the oldest ones some may be zeros: they are in the thread's file already.
 * Which is the oldest changes by one store: that chunk is then the last one.
 */
struct spur_slot {
    struct otf2_evt_cursor cursor;
    _Atomic uint32_t state;
    uint32_t thread; /* number of the thread in its process */
    uint32_t is_main;
    uint32_t depth;        /* of what is open */
    _Atomic uint32_t room; /* depths that need no second look: all of region[], or 0: look first */
    uint32_t region[SPUR_SLOT_REGIONS]; /* process-local ids with marks, outermost first */
    uint32_t chunks;
    uint32_t chunk[SPUR_SLOT_CHUNKS];       /* block numbers */
    uint32_t chunk_depth[SPUR_SLOT_CHUNKS]; /* of what was open when it was begun */
    uint32_t contingent;       /* process-local communicator and count for ThreadEnd, */
    uint32_t has_thread_begin; /* for threads whose ThreadBegin was recorded */
    uint64_t sequence;
    _Atomic uint64_t creating; /* a thread that this one is creating, see below; 0: none */
    uint32_t oldest;           /* place in chunk[] */
    _Atomic uint32_t changes;  /* of the list of chunks so far: for readers while it is used */
    _Atomic uint32_t
        taken_back; /* how often its last events were, see agent/record/short_calls.h */
    uint8_t *firm;  /* in the cursor's chunk: events up to here are not taken back */
    uint64_t short_calls, short_ns; /* calls so far that are only counted, and time in them */
    uint64_t short_told;            /* calls of these that a record has told of */
    struct spur_waiting waiting;
} __attribute__((aligned(64)));

/*
 * `creating`: the contingent's communicator in the upper half; in the lower one the number of the
 * new thread + 1, and a mark that the new thread has set when it began. Then the process may end
 * before the creator has said so: the code that closes the location writes the ThreadCreate.
 */
enum { SPUR_CREATING_BITS = 32 };
#define SPUR_CREATING_BEGUN (UINT64_C(1) << 31)
static inline uint64_t spur_creating(uint32_t contingent, uint32_t number)
{
    return (uint64_t)contingent << SPUR_CREATING_BITS |
           ((number + UINT64_C(1)) & (SPUR_CREATING_BEGUN - 1));
}
static inline uint32_t spur_creating_contingent(uint64_t creating)
{
    return (uint32_t)(creating >> SPUR_CREATING_BITS);
}
static inline uint64_t spur_creating_number(uint64_t creating)
{
    return (creating & (SPUR_CREATING_BEGUN - 1)) - 1;
}

/* What a process has said of its end before it came. */
enum spur_ending { SPUR_ENDING_NONE, SPUR_ENDING_EXIT, SPUR_ENDING_ABORT, SPUR_ENDING_MPI_ABORT };

/* One moment seen by both clocks. */
struct spur_moment {
    uint64_t ticks;     /* of the event clock */
    uint64_t monotonic; /* ns, CLOCK_MONOTONIC */
    uint64_t realtime;  /* ns since the epoch, CLOCK_REALTIME */
};

/* How far the note of a crash is; see agent/process/crash.h. */
enum spur_crash_state {
    SPUR_CRASH_NONE,
    SPUR_CRASH_NOTING,
    SPUR_CRASH_MAYBE, /* the program has a handler, which may go on */
    SPUR_CRASH_SURE,
};

struct spur_crash {
    _Atomic uint32_t state;
    uint32_t signal;
    int32_t code;     /* of siginfo */
    int32_t tid;      /* kernel's number of the thread */
    uint32_t thread;  /* its number in the process; UINT32_MAX: it has not recorded */
    uint32_t frames;  /* the innermost ones of its stack: Code definitions, innermost first */
    uint64_t address; /* that the fault is about; 0: none */
    uint64_t ticks;   /* of the event clock; 0: not known */
    uint32_t frame[SPUR_CRASH_FRAMES];
};

/* Whether all was closed, and by what. */
enum spur_ended { SPUR_NOT_ENDED, SPUR_ENDED, SPUR_ENDED_SEALED, SPUR_ENDED_DETACHED };

/*
 * The event clock: that of the system, or the counter of a processor. What one counter shows says
 * nothing about another one, which a process in an emulator has on the same host.
 */
enum spur_clock_kind {
    SPUR_CLOCK_MONOTONIC,
    SPUR_CLOCK_TSC,
    SPUR_CLOCK_CNTVCT,
    SPUR_CLOCK_TIME_CSR,
};

struct spur_segment {
    char magic[8];
    uint32_t version;
    uint32_t slot_bytes; /* sizeof(struct spur_slot) */
    uint64_t block_bytes;

    /* who */
    uint32_t pid, ppid;
    uint64_t pid_space;           /* namespace that pids count in; 0: not known */
    uint64_t kernel_start;        /* field 22 of /proc/PID/stat: with pid and boot_id, unique */
    char host[SPUR_NAME_BYTES];   /* uname nodename */
    char boot_id[64];             /* of the kernel: the same boot shares its clocks */
    char parent[SPUR_NAME_BYTES]; /* directory names of processes it may come from, the nearest
                                   * first, with ':' between them; "": none is known */
    char job[128]; /* the MPI job that the rank is of, as its starter calls it, or "" */
    int32_t rank;  /* in MPI_COMM_WORLD, -1: not an MPI process */
    uint32_t size;
    uint32_t finalized; /* no other rank of the job is still on its way: MPI_Finalize has returned,
                         * or this one was attached to */

    /* clock */
    uint32_t clock;                 /* enum spur_clock_kind */
    uint32_t stopped;               /* enum spur_stop */
    uint32_t flush;                 /* enum spur_flush */
    uint32_t has_kept;              /* slots of threads that have ended hold their last events */
    uint32_t stop_error;            /* errno of SPUR_STOP_DISK, 0: not known */
    uint64_t stopped_at;            /* ticks */
    uint64_t clock_id;              /* equal: the same clock, so times can be compared */
    struct spur_moment first, last; /* last: refreshed at each flush and at the end */

    /* end */
    _Atomic uint32_t ended; /* enum spur_ended */
    int32_t exit_status;    /* valid if SPUR_ENDED */
    uint64_t end_ticks;
    _Atomic uint32_t ending;     /* enum spur_ending: what it was about to do, by its own account */
    int32_t ending_code;         /* of an exit or of MPI_Abort */
    int32_t ending_thread;       /* kernel's number of the thread that said so */
    uint64_t threads;            /* numbers given so far */
    _Atomic uint64_t exec_ticks; /* it is becoming another program, since then; 0: it is not */
    _Atomic uint32_t untraced;   /* programs it started that cannot be traced: static, setuid */
    _Atomic uint32_t spawned;    /* processes that its library has started, elsewhere maybe */
    uint32_t is_spawned;         /* it is one of such */

    /* Programs and children of another user, who may not write here; of the first: */
    _Atomic uint32_t left_out;
    uint32_t left_out_user, left_out_pid;
    char left_out_name[20];

    uint32_t slot_blocks;
    uint32_t slot_block[SPUR_SLOT_BLOCKS];

    /* control */
    _Atomic uint32_t asked; /* SPUR_ASK_*, written by other processes */
    uint32_t began_off;     /* recording was paused from the start */
    uint32_t is_paused;
    uint32_t pauses;                /* times that it was switched off since */
    _Atomic uint64_t on_at, off_at; /* ticks of the last switch that was made or asked for */
    uint32_t filtered;              /* regions that SPUR_FILTER left out */
    uint32_t short_metric;          /* metric of calls that are only counted, + 1; 0: none */
    uint64_t min_duration;          /* ns of the shortest ones that are recorded */
    _Atomic uint64_t short_calls;   /* that are not, of threads that have ended */

    _Atomic uint64_t fibre_calls; /* at least so many were left out: see agent/record/fibre.h */

    /* Events of other threads than the first refer to strings below this number only. */
    _Atomic uint32_t event_strings;

    struct spur_posted posted[SPUR_POSTED];

    /* of the gathered events: how many bytes are valid, and how often they went to the file */
    _Atomic uint32_t gathered_bytes, gathered_moves;

    struct spur_crash crash;
    struct spur_usage usage;
    _Atomic uint64_t contended_at; /* ticks: since then only locks that had to wait; 0: all */

    uint32_t paired_metric; /* whose values belong to the event behind them, + 1; 0: none */
    uint32_t container;     /* as SPUR_CONTAINER says: see settings/config.h */

    /* The journal has at least so many bytes of whole records: where it ends sooner, it is damaged.
     */
    _Atomic uint64_t journal_bytes;
    uint64_t identity; /* spur_segment_identity() */

    uint64_t world; /* of its MPI job, whose ranks have unified: it may settle; 0: it may not */

    struct spur_clock_watch watch; /* of a clock that is the processor's */
};

_Static_assert(sizeof(struct spur_segment) <= SPUR_GATHERED_OFFSET, "header and events overlap");

/* Who the process is, in a number that is not 0: what damage has changed does not fit to it. */
static inline uint64_t spur_segment_identity(const struct spur_segment *segment)
{
    const uint64_t words[] = {segment->pid,          segment->ppid,           segment->pid_space,
                              segment->kernel_start, (uint32_t)segment->rank, segment->size};
    uint64_t sum = 1;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        sum = (sum ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    return sum | 1;
}

/*
 * What is gathered of one thread: `bytes` that follow are all that its event file would hold. The
 * next one begins at a multiple of its size.
 */
struct spur_gathered {
    uint32_t thread;
    uint32_t bytes;
};

static inline uint64_t spur_gathered_room(uint64_t bytes)
{
    const uint64_t unit = sizeof(struct spur_gathered);
    return unit + (bytes + unit - 1) / unit * unit;
}

#endif
