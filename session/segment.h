/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The segment of a recording process: a file, mapped shared, with everything that must outlive the
 * process: the identity of the process, the cursors and open regions of the live threads, and the
 * chunks of events that are not yet in an .evt file. The process writes the segment
 * (agent/segment/buffer.c). After the death of the process finish/ reads the segment, and must
 * treat every field as possibly broken.
 *
 * The file is an array of blocks of `block_bytes` (the event chunk size of the archive). Block 0
 * starts with this header and continues with slots from SPUR_SLOTS_OFFSET on. Further blocks of
 * slots are named in slot_block[]; every other block is free or a chunk of events. Blocks get their
 * space on the disk piece by piece, before the first access, so that a full disk is an error code
 * and never SIGBUS. The rest of the file consists of holes.
 *
 * Between the header and the first slot lies room for the events of short threads: see
 * agent/segment/gathered.h.
 *
 * Files of a process beside the segment, in the same directory:
 *   journal             definitions of the process, append-only (session/journal.h)
 *   traces/<thread>.evt whole chunks of events, a file for each thread that has flushed, or ended
 *                       with more than is gathered
 *   gathered            gathered events, moved here whenever the room in the segment is full
 */
#ifndef SPUR_SEGMENT_H
#define SPUR_SEGMENT_H

#include <stdatomic.h>
#include <stdint.h>

#include "session/clock_watch.h"
#include "session/usage.h"
#include "session/wait_kinds.h"
#include "settings/config.h"
#include "writer/evt_cursor.h"

#define SPUR_SEGMENT_MAGIC "SPURSEG"

/* In DIR/.spur: space that is freed when the session is finished. */
#define SPUR_RESERVE_FILE "reserve"

/* In DIR/.spur: the request to the session, "on" or "off". */
#define SPUR_CONTROL_FILE "control"

/* Beside the segment. */
#define SPUR_GATHERED_FILE "gathered"

enum {
    SPUR_SEGMENT_VERSION = 13,
    SPUR_GATHERED_OFFSET = 8192, /* in block 0 */
    SPUR_GATHERED_BYTES = 64 << 10,
    /* The first slot in block 0; further blocks start with slots. */
    SPUR_SLOTS_OFFSET = SPUR_GATHERED_OFFSET + SPUR_GATHERED_BYTES,
    SPUR_SLOT_CHUNKS = 64,  /* chunks that a thread may hold before a flush */
    SPUR_SLOT_REGIONS = 64, /* open regions and the like remembered; deeper ones are only counted */
    SPUR_SLOT_BLOCKS = 256,
    SPUR_POSTED = 32, /* requests remembered, a power of two */
    SPUR_CRASH_FRAMES = 64,
    SPUR_NAME_BYTES = 256,
};

/*
 * The open items of a thread. Without a mark the number is a region. With a mark the number is a
 * team's communicator, a fork's paradigm, or the calling context of a region.
 */
enum {
    SPUR_OPEN_TEAM = 1 << 29,
    SPUR_OPEN_FORK = 1 << 30,
    SPUR_OPEN_CONTEXT = SPUR_OPEN_TEAM | SPUR_OPEN_FORK,
    SPUR_OPEN_ID = (1 << 29) - 1
};

/* The unwind distance in events until finishing writes the right distance: two bytes wide. */
enum { SPUR_DISTANCE_LATER = 1 << 8 };

/* Why a running process records no more; struct spur_segment.stopped. */
enum spur_stop {
    SPUR_STOP_NOT,
    SPUR_STOP_DISK,        /* no room for events or definitions */
    SPUR_STOP_BUFFER,      /* a thread's buffer was full, and SPUR_FLUSH=stop */
    SPUR_STOP_LIMIT,       /* of SPUR_LIMIT, for one process */
    SPUR_STOP_LIMIT_ALL,   /* the same, for all processes */
    SPUR_STOP_SHARE,       /* only the share of the disk is left that must stay free */
    SPUR_STOP_DEFINITIONS, /* SPUR_IDS_MAX of one kind */
    SPUR_STOPS,
};

/*
 * The reason why the innermost open call of a thread waits: for a report about a program that
 * stands still. Written by plain stores in each call that may block; valid while `depth` equals the
 * slot's depth.
 */
struct spur_waiting {
    _Atomic uint32_t kind; /* enum spur_wait */
    uint32_t depth;
    uint32_t comm, peer, tag; /* process-local communicator; a rank, a root, a lock, a thread */
    _Atomic uint32_t paused;  /* region + 1 of a call entered while recording is paused; 0: none */
    uint64_t handle;          /* of a request */
};

enum spur_slot_state {
    SPUR_SLOT_FREE,
    SPUR_SLOT_LIVE,
    SPUR_SLOT_ENDED, /* the thread's file is complete: the slot is of no more use */
};

/*
 * The requests of other processes to a process, see agent/record/control.h; bits of
 * spur_segment.asked.
 */
enum { SPUR_ASK_ON = 1, SPUR_ASK_OFF = 2 };

/*
 * A thread that is alive, or was alive when the process died. The chunks are listed oldest first,
 * from `oldest` on and round. All chunks but the last are sealed (complete, zero-filled, header
 * right). The last chunk is described by [cursor.chunk, cursor.pos): the valid length is pos -
 * chunk. The oldest chunks may be zeros: their events are in the thread's file already. `oldest`
 * changes by a single store: the chunk that was the oldest is then the last.
 */
struct spur_slot {
    struct otf2_evt_cursor cursor;
    _Atomic uint32_t state;
    uint32_t thread; /* number of the thread in its process */
    uint32_t is_main;
    uint32_t depth;        /* number of open items */
    _Atomic uint32_t room; /* depths without a second look: all of region[], or 0: look first */
    uint32_t region[SPUR_SLOT_REGIONS]; /* process-local ids with marks, outermost first */
    uint32_t chunks;
    uint32_t chunk[SPUR_SLOT_CHUNKS];       /* block numbers */
    uint32_t chunk_depth[SPUR_SLOT_CHUNKS]; /* number of open items at the begin of the chunk */
    uint32_t contingent;       /* process-local communicator and count for ThreadEnd, */
    uint32_t has_thread_begin; /* for threads whose ThreadBegin was recorded */
    uint64_t sequence;
    _Atomic uint64_t creating; /* a new thread under creation by this thread; 0: none; see below */
    uint32_t oldest;           /* place in chunk[] */
    _Atomic uint32_t changes;  /* of the list of chunks so far: for readers of a slot in use */
    _Atomic uint32_t taken_back; /* takings back of last events, see agent/record/short_calls.h */
    uint8_t *firm;               /* in the cursor's chunk: events up to here are never taken back */
    uint64_t short_calls, short_ns; /* calls only counted so far, and the time in these calls */
    uint64_t short_told;            /* counted calls already reported by a record */
    struct spur_waiting waiting;
} __attribute__((aligned(64)));

/*
 * `creating`: the contingent's communicator in the upper half; in the lower half the number of the
 * new thread + 1, and a mark that the new thread has set when it began. If the process ends after
 * the mark, but before the creator's own record, the code that closes the location writes the
 * ThreadCreate.
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

/* The announcement of a process about its own end. */
enum spur_ending { SPUR_ENDING_NONE, SPUR_ENDING_EXIT, SPUR_ENDING_ABORT, SPUR_ENDING_MPI_ABORT };

/* A moment seen by both clocks. */
struct spur_moment {
    uint64_t ticks;     /* of the event clock */
    uint64_t monotonic; /* ns, CLOCK_MONOTONIC */
    uint64_t realtime;  /* ns since the epoch, CLOCK_REALTIME */
};

/* The progress of the note of a crash; see agent/process/crash.h. */
enum spur_crash_state {
    SPUR_CRASH_NONE,
    SPUR_CRASH_NOTING,
    SPUR_CRASH_MAYBE, /* the program has a handler, and may survive */
    SPUR_CRASH_SURE,
};

struct spur_crash {
    _Atomic uint32_t state;
    uint32_t signal;
    int32_t code;     /* of siginfo */
    int32_t tid;      /* kernel's number of the thread */
    uint32_t thread;  /* its number in the process; UINT32_MAX: the thread has not recorded */
    uint32_t frames;  /* number of innermost frames: Code definitions, innermost first */
    uint64_t address; /* fault address; 0: none */
    uint64_t ticks;   /* of the event clock; 0: not known */
    uint32_t frame[SPUR_CRASH_FRAMES];
};

/* Whether everything was closed, and on which occasion. */
enum spur_ended { SPUR_NOT_ENDED, SPUR_ENDED, SPUR_ENDED_SEALED, SPUR_ENDED_DETACHED };

/*
 * The event clock: the clock of the system, or the counter of a processor. The values of different
 * counters cannot be compared; a process in an emulator has a different counter on the same host.
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

    /* identity */
    uint32_t pid; /* 0: the process has not yet described itself */
    uint32_t ppid;
    uint64_t pid_space;           /* the namespace of the pids; 0: not known */
    uint64_t kernel_start;        /* field 22 of /proc/PID/stat: with pid and boot_id, unique */
    char host[SPUR_NAME_BYTES];   /* uname nodename */
    char boot_id[64];             /* of the kernel: equal boots share their clocks */
    char parent[SPUR_NAME_BYTES]; /* directory names of possible parent processes, the nearest
                                     first, with ':' between the names; "": not known */
    char job[128];                /* the MPI job of the rank, in the words of the starter, or "" */
    int32_t rank;                 /* in MPI_COMM_WORLD, -1: not an MPI process */
    uint32_t size;
    uint32_t finalized; /* no other rank of the job is still under way: MPI_Finalize has returned,
                           or this process was attached to */

    /* clock */
    uint32_t clock;                 /* enum spur_clock_kind */
    uint32_t stopped;               /* enum spur_stop */
    uint32_t flush;                 /* enum spur_flush */
    uint32_t has_kept;              /* slots of ended threads hold the last events of the threads */
    uint32_t stop_error;            /* errno of SPUR_STOP_DISK, 0: not known */
    uint64_t stopped_at;            /* ticks */
    uint64_t clock_id;              /* equal: the same clock, so times can be compared */
    struct spur_moment first, last; /* last: refreshed at each flush and at the end */

    /* end */
    _Atomic uint32_t ended; /* enum spur_ended */
    int32_t exit_status;    /* valid if SPUR_ENDED */
    uint64_t end_ticks;
    _Atomic uint32_t ending;     /* enum spur_ending: the announced act */
    int32_t ending_code;         /* of an exit or of MPI_Abort */
    int32_t ending_thread;       /* kernel's number of the announcing thread */
    uint64_t threads;            /* numbers given so far */
    _Atomic uint64_t exec_ticks; /* begin of an exec; 0: no exec */
    _Atomic uint32_t untraced;   /* untraceable programs started by the process: static, setuid */
    _Atomic uint32_t spawned;    /* processes that the MPI library has started, elsewhere maybe */
    uint32_t is_spawned;         /* the process was spawned by an MPI library */

    /* Programs and children of another user, without the right to write here; of the first: */
    _Atomic uint32_t left_out;
    uint32_t left_out_user, left_out_pid;
    char left_out_name[20];

    uint32_t slot_blocks;
    uint32_t slot_block[SPUR_SLOT_BLOCKS];

    /* control */
    _Atomic uint32_t asked; /* SPUR_ASK_*, written by other processes */
    uint32_t began_off;     /* recording was paused from the start */
    uint32_t is_paused;
    uint32_t pauses;                /* number of pauses since the start */
    _Atomic uint64_t on_at, off_at; /* ticks of the last switch, made or requested */
    uint32_t filtered;              /* regions left out by SPUR_FILTER */
    uint32_t short_metric;          /* metric of calls that are only counted, + 1; 0: none */
    uint64_t min_duration;          /* ns of the shortest recorded call */
    _Atomic uint64_t short_calls;   /* shorter calls, only counted, of ended threads */

    _Atomic uint64_t fibre_calls; /* lower bound of left-out calls: see agent/record/fibre.h */

    /* Events of all threads but the first refer to strings below this number only. */
    _Atomic uint32_t event_strings;

    struct spur_posted posted[SPUR_POSTED];

    /* of the gathered events: number of valid bytes, and number of moves to the file */
    _Atomic uint32_t gathered_bytes, gathered_moves;

    struct spur_crash crash;
    struct spur_usage usage;

    uint32_t paired_metric; /* with values for the event behind them, + 1; 0: no metric */
    uint32_t container;     /* as in SPUR_CONTAINER: see settings/config.h */

    /* A lower bound for the bytes of whole records in the journal: a shorter journal is damaged. */
    _Atomic uint64_t journal_bytes;
    uint64_t identity; /* spur_segment_identity() */

    uint64_t world; /* the MPI job, if the ranks have unified: the process may settle; 0: may not */

    struct spur_clock_watch watch; /* for a clock of the processor */
};

_Static_assert(sizeof(struct spur_segment) <= SPUR_GATHERED_OFFSET, "header and events overlap");

/*
 * The identity of the process, as a number other than 0: damage to the fields shows, since the
 * number no longer fits.
 */
static inline uint64_t spur_segment_identity(const struct spur_segment *segment, uint32_t pid)
{
    const uint64_t words[] = {pid,
                              segment->ppid,
                              segment->pid_space,
                              segment->kernel_start,
                              (uint32_t)segment->rank,
                              segment->size};
    uint64_t sum = 1;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        sum = (sum ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    return sum | 1;
}

/*
 * The gathered events of a thread: the following `bytes` are all contents of an event file. The
 * next struct begins at a multiple of the size of the struct.
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
