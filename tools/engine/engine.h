/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs an analysis of an archive on several workers: threads, or processes of MPI. The result is
 * the same for any number of workers.
 *
 * The engine deals locations to the workers (engine_deal). Each worker reads the events of its
 * locations in the order of time: the LOCAL part of the analysis. Facts about several locations go
 * to a SHARED part, as notes. A note has a key, and all notes of a key go to the same worker, the
 * owner of the key. The owner takes the notes in the order of
 *
 *     time, location, sequence, steps
 *
 * A single worker would meet the notes in the same order. So a shared part is written as if there
 * were a single worker, and keeps the state of its keys. A shared part may send notes to a shared
 * part of a later stage, but not of an earlier stage.
 *
 * With a single worker a note is taken at once, by a direct call: no queue, no copy.
 *
 * Several workers work in rounds. In a round each worker reads up to some time. The notes before
 * the earliest of the workers' times are complete, and go to their owners. Memory is bounded by a
 * round, by the limit on how far a worker may be ahead (a worker ahead of the limit waits), and by
 * the state that the analysis keeps open.
 *
 * A worker that fails calls fail(): all workers end, with one line.
 */
#ifndef TOOLS_ENGINE_ENGINE_H
#define TOOLS_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ENGINE_STAGES_MAX = 3, ENGINE_ALL = -1 };

/*
 * A note, in front of its data. A worker's notes of the same time and location are taken in the
 * order of telling.
 */
struct engine_note {
    uint64_t time;     /* never less than the time of the worker's notes before */
    uint64_t sequence; /* of the event at its location */
    uint32_t location; /* its number on all workers; smaller numbers come first */
    uint32_t steps[2]; /* number among the event's notes; from a shared part, among the note's */
    uint16_t kind;     /* for the analysis alone */
    uint8_t stage;     /* 1 ...: the shared part that takes the note */
    uint8_t words;     /* length of the data, in 8 bytes */
};

/* A buffer of bytes that grows. */
struct engine_bytes {
    char *at;
    size_t n, room;
};

void engine_add(struct engine_bytes *bytes, const void *data, size_t n);

/* A worker's end of the engine. */
struct engine {
    unsigned rank, size; /* number of the worker, and of all workers; worker 0 makes the result */
    unsigned thread;     /* number of the thread in its process */
    void *state;         /* result of begin() */
    const struct engine_analysis *analysis;
    struct engine_rounds *rounds; /* NULL: there is a single worker */
};

/* All functions except `begin` get the worker's state. */
struct engine_analysis {
    unsigned n_stages; /* of shared parts */

    /*
     * On each worker: makes its state. `context` is engine_run's; workers may only read the
     * context.
     */
    void *(*begin)(void *context, struct engine *engine);

    /*
     * The local part: reads up to `most` more events, and counts the events in *n; false: the end
     * is reached.
     */
    bool (*read)(void *state, uint64_t most, uint64_t *n);

    /* A time: no note from the local part will have an earlier time from now on. */
    uint64_t (*reached)(const void *state);

    /* A shared part. */
    void (*take)(void *state, const struct engine_note *note, const void *data);

    /*
     * Called when no more notes come to a stage on any worker; stage 0 is the local part. May tell
     * notes to later stages: the later stages take these notes before they end. NULL: nothing is to
     * be done.
     */
    void (*end)(void *state, unsigned stage);

    /* All stages have ended: workers exchange data by engine_exchange(). NULL: no exchange. */
    void (*meet)(void *state);

    /*
     * Results of the workers meet in a tree, whose root is worker 0. Each worker except worker 0
     * gives once: its own results, with all results it has joined before. A worker joins the
     * results of the next workers, in the order of workers. NULL: no results.
     */
    void (*give)(void *state, struct engine_bytes *bytes);
    void (*join)(void *state, const void *bytes, size_t n);

    /* The end of a worker; on worker 0 the result is complete. */
    void (*finish)(void *state);
};

/* Options of a run. Zeros: the best values. */
struct engine_how {
    unsigned workers; /* threads; 0: engine_processors() */
    uint64_t round;   /* events that a worker reads in a round */
    size_t ahead;     /* bytes of notes after which a worker waits for slower workers */
    bool goes_on;     /* another run follows */
    bool is_verbose;  /* prints on standard error how much data passed between the workers */
};

/*
 * First in main(): makes the ranks of an MPI job workers. Among the processes only the first
 * prints. Without the call, and without a job, the command runs in the calling process alone.
 */
void engine_start(void);

/* Whether the process is a rank of several: then a terminal shows the output of the launcher. */
bool engine_has_ranks(void);

/* Whether the process is the first rank, or the only process. */
bool engine_is_first(void);

/*
 * Between runs, by all ranks. engine_told(): the value of the first rank. engine_least(): the least
 * value of all ranks. engine_same(): if the ranks do not read the same archive, by its digest, all
 * ranks end, with one line.
 */
uint64_t engine_told(uint64_t value);
uint64_t engine_least(uint64_t value);
void engine_told_bytes(struct engine_bytes *bytes); /* bytes that the other ranks do not have yet */
void engine_same(const char *path, uint64_t digest);

/*
 * By all ranks of a command that was asked for `n` threads (0: not asked). Each rank then has `n`
 * threads, or its part of the processors that the ranks of its host may use. Before the runs.
 */
void engine_ask_threads(unsigned n);

/* The number alone, for the calling process: the ranks stay workers with a single thread each. */
unsigned engine_rank_threads(unsigned n);

/*
 * In place of runs: the first rank goes on as if there were no job, and all other ranks end. For
 * work that the ranks cannot share. To be called behind the options, so that a wrong option is
 * reported once.
 */
void engine_leave(void);

/* Number of workers in a run. */
unsigned engine_workers(const struct engine_how *how);

/*
 * Runs the analysis from begin to end; worker 0 is the caller. Behind the last run the caller is
 * the only process: all ranks of an MPI job except the first have ended.
 */
void engine_run(const struct engine_analysis *analysis, void *context,
                const struct engine_how *how);

/* ---- for an analysis ---- */

/* The worker that gets the notes of a key. */
unsigned engine_owner(const struct engine *engine, uint64_t a, uint64_t b, uint64_t c);

/* Puts a note into the queue of its owner, or of all workers (ENGINE_ALL). */
void engine_queue(struct engine *engine, int owner, const struct engine_note *note,
                  const void *data);

/* Tells a note: to the owner of a key. */
static inline void engine_tell(struct engine *engine, uint64_t a, uint64_t b, uint64_t c,
                               const struct engine_note *note, const void *data)
{
    if (!engine->rounds)
        engine->analysis->take(engine->state, note, data);
    else
        engine_queue(engine, (int)engine_owner(engine, a, b, c), note, data);
}

/* Tells a note to all workers. */
static inline void engine_tell_all(struct engine *engine, const struct engine_note *note,
                                   const void *data)
{
    if (!engine->rounds)
        engine->analysis->take(engine->state, note, data);
    else
        engine_queue(engine, ENGINE_ALL, note, data);
}

/*
 * In meet(), by all workers in the same order: out[i] goes to worker i. The result has the bytes
 * from each worker, the own worker too. The result is borrowed until engine_exchanged(); the bytes
 * given out stay unchanged until then.
 */
const struct engine_bytes *engine_exchange(struct engine *engine, const struct engine_bytes *out);
void engine_exchanged(struct engine *engine);

/*
 * Whether a pointer is valid for all workers, as long as the memory behind the pointer is borrowed.
 */
bool engine_is_shared(const struct engine *engine);

/*
 * Progress of all ranks, where an analysis reads all events in a single round. The first worker of
 * each rank calls engine_count() from time to time, with a number that grows. On the first rank the
 * result is the sum of all ranks. At its end a rank tells its last number, and the first rank shows
 * the sum until all other ranks have told their last numbers. Without ranks the sum is the own
 * number, and there is no end to wait for.
 */
void engine_count_begin(void);
uint64_t engine_count(uint64_t own);
void engine_count_end(uint64_t own, void (*show)(uint64_t all));

/*
 * Deals `n` units of the given sizes to workers: successive units to the same worker, since
 * neighbours have most to do with each other. If this is less even: the largest unit first, each
 * unit to the worker that has the least. owner[i]: the worker of unit i. Returns the largest sum of
 * sizes of a worker, each unit counted as one more.
 */
uint64_t engine_deal(const uint64_t *sizes, size_t n, unsigned workers, uint32_t *owner);

/*
 * Number of processors that the process may use: by its affinity, and by the quota of its control
 * group.
 */
unsigned engine_processors(void);

#endif
