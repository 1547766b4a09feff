/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs an analysis of an archive on several workers: threads, or processes of MPI. The result is
 * the same for any number of them.
 *
 * The engine deals locations to the workers (engine_deal). Each worker reads the events of its
 * locations in the order of time: the LOCAL part of the analysis. What concerns several locations
 * goes to a SHARED part, as a note. A note has a key, and all notes of one key go to one worker,
 * the owner of the key. The owner takes them in the order of
 *
 *     time, location, sequence, steps
 *
 * which is the order in which a single worker would meet them. So a shared part is written as if
 * there were one worker, and keeps the state of its keys. A shared part may send notes to a shared
 * part of a later stage, but not of an earlier one.
 *
 * With one worker a note is taken at once, by a direct call: no queue, no copy.
 *
 * Several workers work in rounds. In a round each worker reads up to some time. The notes before
 * the earliest of these times are complete, and go to their owners. Memory is bounded by a round,
 * by how far a worker may be ahead (it waits then), and by what the analysis keeps open.
 *
 * A worker that fails calls fail(), which ends all workers, with one line.
 */
#ifndef TOOLS_ENGINE_ENGINE_H
#define TOOLS_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ENGINE_STAGES_MAX = 3, ENGINE_ALL = -1 };

/* In front of its data. Of a worker's notes of one time and location, the order is that of telling.
 */
struct engine_note {
    uint64_t time;     /* never less than that of the worker's notes before */
    uint64_t sequence; /* of the event at its location */
    uint32_t location; /* a number that all workers have for it, less for what comes first */
    uint32_t steps[2]; /* which note of the event; and, from a shared part, which of that note */
    uint16_t kind;     /* the analysis' own */
    uint8_t stage;     /* 1 ...: the shared part that takes it */
    uint8_t words;     /* of 8 bytes, of the data */
};

/* Bytes that grow. */
struct engine_bytes {
    char *at;
    size_t n, room;
};

void engine_add(struct engine_bytes *bytes, const void *data, size_t n);

/* A worker's end of the engine. */
struct engine {
    unsigned rank, size; /* which of how many workers; the result is made on worker 0 */
    unsigned thread;     /* which of those of its process */
    void *state;         /* what begin() has returned */
    const struct engine_analysis *analysis;
    struct engine_rounds *rounds; /* NULL: there is one worker */
};

/* All functions but `begin` get the worker's state. */
struct engine_analysis {
    unsigned n_stages; /* of shared parts */

    /* On each worker: its state. `context` is engine_run's; workers may only read there. */
    void *(*begin)(void *context, struct engine *engine);

    /* The local part: reads up to `most` events more, counts them in *n; false: they were the last.
     */
    bool (*read)(void *state, uint64_t most, uint64_t *n);

    /* No note that is told from now on by the local part has an earlier time. */
    uint64_t (*reached)(const void *state);

    /* A shared part. */
    void (*take)(void *state, const struct engine_note *note, const void *data);

    /*
     * Nothing more comes to a stage on any worker; 0 is the local part. May tell notes to later
     * stages, which are taken before these end. NULL: nothing is to be done.
     */
    void (*end)(void *state, unsigned stage);

    /* All stages have ended: workers give each other what they have, by engine_exchange(). NULL:
     * they do not. */
    void (*meet)(void *state);

    /*
     * What the workers have found meets in a tree, whose root is worker 0. Each worker but that one
     * gives once: what it has found and what it has joined before. A worker joins what the next
     * workers give, in the order of workers. NULL: nothing.
     */
    void (*give)(void *state, struct engine_bytes *bytes);
    void (*join)(void *state, const void *bytes, size_t n);

    /* The end of a worker; on worker 0 the result is complete. */
    void (*finish)(void *state);
};

/* How it is run. Zeros: as is best. */
struct engine_how {
    unsigned workers; /* threads; 0: engine_processors() */
    uint64_t round;   /* events that a worker reads in one */
    size_t ahead;     /* bytes of notes with which a worker waits for the others */
    bool goes_on;     /* another run follows */
    bool is_verbose;  /* says on standard error what passed between the workers */
};

/*
 * First in main(): makes the ranks of an MPI job workers. Of these processes only the first one
 * prints. Without, and where there is no such job, the command runs in this process alone.
 */
void engine_start(void);

/* Whether this process is one of several ranks: what a terminal shows then is the launcher's. */
bool engine_has_ranks(void);

/* Whether this process is the first of them, or the only one. */
bool engine_is_first(void);

/*
 * Between runs, by all ranks: what the first one says; the least that one says. Where they do not
 * read the same archive, by its digest, all end, with one line.
 */
uint64_t engine_told(uint64_t value);
uint64_t engine_least(uint64_t value);
void engine_told_bytes(struct engine_bytes *bytes); /* which the other ranks do not have yet */
void engine_same(const char *path, uint64_t digest);

/*
 * By all ranks, of a command that was asked for so many threads (0: it was not): each rank has so
 * many then, or its part of the processors that the ranks of its host may use. Before the runs.
 */
void engine_ask_threads(unsigned n);

/* The number alone, of this process: its ranks stay workers with one thread each. */
unsigned engine_rank_threads(unsigned n);

/*
 * In place of runs: the first rank goes on as if there were no job, and the others end. For what
 * the ranks cannot share. Behind the options, so that a wrong one is said once.
 */
void engine_leave(void);

/* How many workers there will be. */
unsigned engine_workers(const struct engine_how *how);

/*
 * Runs the analysis from begin to end; worker 0 is the caller. Behind the last run there is no
 * other process: the ranks of an MPI job but the first one have ended.
 */
void engine_run(const struct engine_analysis *analysis, void *context,
                const struct engine_how *how);

/* ---- for an analysis ---- */

/* Where notes of a key go. */
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
 * In meet(), by all workers in the same order: out[i] goes to worker i. What has come from each of
 * them, the own one too, is borrowed until engine_exchanged(); what is given out stays as it is
 * until then.
 */
const struct engine_bytes *engine_exchange(struct engine *engine, const struct engine_bytes *out);
void engine_exchanged(struct engine *engine);

/* Whether a pointer is worth something for all workers, as long as what it points to is borrowed.
 */
bool engine_is_shared(const struct engine *engine);

/*
 * How far all ranks are, where an analysis reads all in one round: by the first worker of each
 * rank, from time to time, with a number of this rank that grows. On the first rank the sum of all
 * is returned. At its end a rank says its last number, and the first one shows the sum until all
 * others have said theirs. Without ranks the sum is the own number, and there is no end.
 */
void engine_count_begin(void);
uint64_t engine_count(uint64_t own);
void engine_count_end(uint64_t own, void (*show)(uint64_t all));

/*
 * Deals `n` units of these sizes to workers: units that follow each other to one worker, since
 * neighbours have most to do with each other. If that is less even, the largest unit first, each to
 * the worker that has the least. owner[i]: who gets unit i. Returns the largest sum of sizes of a
 * worker, each unit counted as one more.
 */
uint64_t engine_deal(const uint64_t *sizes, size_t n, unsigned workers, uint32_t *owner);

/* How many processors this process may use: its affinity, and the quota of its control group. */
unsigned engine_processors(void);

#endif
