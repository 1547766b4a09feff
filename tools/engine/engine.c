/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"
#include "tools/base/progress.h"
#include "tools/engine/engine_notes.h"
#include "tools/engine/engine_traffic.h"
#include "tools/engine/workers.h"

enum {
    ROUND_EVENTS = 1 << 17,
    AHEAD_BYTES = 32 << 20,
    LEVELS = ENGINE_STAGES_MAX + 1, /* where notes are told: the local part, stage 1, 2, ... */
    WAYS = LEVELS * LEVELS
};

/*
 * The state of a worker beside further workers. A way: the notes of a level for a stage, to each
 * owner.
 */
struct engine_rounds {
    struct worker *worker;
    struct note_queue *queues[WAYS]; /* by owner */
    struct engine_bytes *out[WAYS];  /* parts of the queues that are under way */
    struct engine_bytes *in;
    struct note_merge merge;
    struct engine_traffic traffic;
    uint64_t round, n_events;
    uint64_t reached; /* by all, at the last round */
    size_t ahead;
    size_t n_waiting; /* bytes told by the local part, not yet sent */
    unsigned level;   /* the running level */
    bool is_reading;
};

struct running {
    const struct engine_analysis *analysis;
    void *context;
    const struct engine_how *how;
};

static unsigned way_of(unsigned level, unsigned stage)
{
    return level * LEVELS + stage;
}

/* ---- a single worker ---- */

static void run_alone(struct engine *engine)
{
    const struct engine_analysis *a = engine->analysis;
    uint64_t all = 0, n = 0;
    while (a->read(engine->state, PROGRESS_STEP, &n)) {
        all += n;
        progress_show(all);
        n = 0;
    }
    for (unsigned stage = 0; a->end && stage <= a->n_stages; stage++)
        a->end(engine->state, stage);
}

/* ---- telling ---- */

unsigned engine_owner(const struct engine *engine, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                 c * UINT64_C(0x165667b19e3779f9);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return (unsigned)((h >> 32) * engine->size >> 32);
}

void engine_queue(struct engine *engine, int owner, const struct engine_note *note,
                  const void *data)
{
    struct engine_rounds *r = engine->rounds;
    struct note_queue *queues = r->queues[way_of(r->level, note->stage)];
    if (owner != ENGINE_ALL) {
        r->n_waiting += r->level ? 0 : sizeof *note + note->words * sizeof(uint64_t);
        notes_put(&queues[owner], note, data);
        return;
    }
    for (unsigned i = 0; i < engine->size; i++)
        engine_queue(engine, (int)i, note, data);
}

/* ---- rounds ---- */

/* The notes of a way before a time, or all, from all workers to their owners. */
static void send_notes(struct engine *engine, unsigned level, unsigned stage, uint64_t time,
                       bool is_all)
{
    struct engine_rounds *r = engine->rounds;
    unsigned way = way_of(level, stage);
    for (unsigned i = 0; i < engine->size; i++)
        r->out[way][i] = notes_before(&r->queues[way][i], time, is_all);
    traffic_exchange(&r->traffic, r->worker, r->out[way]);
    r->worker->how->exchange(r->worker, r->out[way], r->in);
    for (unsigned i = 0; i < engine->size; i++)
        merge_add(&r->merge, r->in[i]);
}

/* Drops the sent notes: all owners have taken the notes. */
static void drop_sent(struct engine *engine)
{
    struct engine_rounds *r = engine->rounds;
    r->worker->how->done(r->worker);
    for (unsigned way = 0; way < WAYS; way++)
        for (unsigned i = 0; r->queues[way] && i < engine->size; i++) {
            r->n_waiting -= way < LEVELS ? r->out[way][i].n : 0;
            notes_drop(&r->queues[way][i], r->out[way][i].n);
            r->out[way][i].n = 0;
        }
}

/*
 * A stage takes the notes of the levels before the stage; is_told: whether a level may have told
 * notes.
 */
static void take_stage(struct engine *engine, unsigned stage, const bool *is_told, uint64_t time,
                       bool is_all)
{
    struct engine_rounds *r = engine->rounds;
    for (unsigned level = 0; level < stage; level++)
        if (is_told[level])
            send_notes(engine, level, stage, time, is_all);
    r->level = stage;
    merge_take(&r->merge, engine->state, engine->analysis->take);
    r->level = 0;
}

/* How much the local part has ever told a stage and not sent. */
static uint64_t waiting_for(const struct engine *engine, unsigned stage)
{
    const struct note_queue *queues = engine->rounds->queues[way_of(0, stage)];
    uint64_t n = 0;
    for (unsigned i = 0; i < engine->size; i++)
        n += queues[i].bytes.n - queues[i].begin;
    return n;
}

/* Reads on, unless too much waits for slower workers; the slowest worker always reads on. */
static void read_on(struct engine *engine)
{
    struct engine_rounds *r = engine->rounds;
    const struct engine_analysis *a = engine->analysis;
    if (!r->is_reading || (r->n_waiting > r->ahead && a->reached(engine->state) > r->reached))
        return;
    uint64_t n = 0;
    r->is_reading = a->read(engine->state, r->round, &n);
    r->n_events += n;
}

/* False: the round was the last round. */
static bool run_round(struct engine *engine)
{
    enum { RUNNING, EVENTS, WAITING };
    struct engine_rounds *r = engine->rounds;
    const struct engine_analysis *a = engine->analysis;
    uint64_t sums[WAITING + LEVELS] = {0};
    bool is_told[LEVELS] = {false};
    bool was_told = false;
    read_on(engine);
    r->reached = r->is_reading ? a->reached(engine->state) : UINT64_MAX;
    sums[RUNNING] = r->is_reading;
    sums[EVENTS] = r->n_events;
    for (unsigned stage = 1; stage <= a->n_stages; stage++)
        sums[WAITING + stage] = waiting_for(engine, stage);
    r->traffic.meetings++;
    r->worker->how->reduce(r->worker, &r->reached, sums, WAITING + a->n_stages + 1);
    for (unsigned stage = 1; stage <= a->n_stages; stage++) {
        /* A stage that has taken nothing tells nothing. */
        is_told[0] = sums[WAITING + stage];
        bool is_active = is_told[0];
        for (unsigned level = 1; level < stage; level++)
            is_active = is_active || is_told[level];
        if (is_active)
            take_stage(engine, stage, is_told, r->reached, !sums[RUNNING]);
        is_told[stage] = is_active;
        was_told = was_told || is_active;
    }
    if (was_told)
        drop_sent(engine);
    if (!engine->rank)
        progress_show(sums[EVENTS]);
    return sums[RUNNING];
}

/*
 * Each stage ends after all earlier stages have ended, and after the stage has taken their last
 * notes.
 */
static void end_stages(struct engine *engine)
{
    const struct engine_analysis *a = engine->analysis;
    struct engine_rounds *r = engine->rounds;
    bool is_told[LEVELS];
    memset(is_told, true, sizeof is_told);
    for (unsigned stage = 0; a->end && stage <= a->n_stages; stage++) {
        r->level = stage;
        a->end(engine->state, stage);
        r->level = 0;
        for (unsigned later = stage + 1; later <= a->n_stages; later++)
            take_stage(engine, later, is_told, 0, true);
        drop_sent(engine);
    }
}

const struct engine_bytes *engine_exchange(struct engine *engine, const struct engine_bytes *out)
{
    struct engine_rounds *r = engine->rounds;
    traffic_exchange(&r->traffic, r->worker, out);
    r->worker->how->exchange(r->worker, out, r->in);
    return r->in;
}

void engine_exchanged(struct engine *engine)
{
    struct worker *worker = engine->rounds->worker;
    worker->how->done(worker);
}

bool engine_is_shared(const struct engine *engine)
{
    return !engine->rounds || engine->rounds->worker->how->is_shared;
}

static void open_rounds(struct engine *engine, struct engine_rounds *r,
                        const struct engine_how *how)
{
    unsigned n = engine->size;
    r->round = how->round ? how->round : ROUND_EVENTS;
    r->ahead = how->ahead ? how->ahead : AHEAD_BYTES;
    r->is_reading = true;
    r->in = take_memory(n * sizeof *r->in);
    for (unsigned level = 0; level < engine->analysis->n_stages; level++)
        for (unsigned stage = level + 1; stage <= engine->analysis->n_stages; stage++) {
            unsigned way = way_of(level, stage);
            r->queues[way] = take_memory(n * sizeof *r->queues[way]);
            r->out[way] = take_memory(n * sizeof *r->out[way]);
        }
    engine->rounds = r;
}

static void close_rounds(struct engine *engine)
{
    struct engine_rounds *r = engine->rounds;
    for (unsigned way = 0; way < WAYS; way++) {
        for (unsigned i = 0; r->queues[way] && i < engine->size; i++)
            free(r->queues[way][i].bytes.at);
        free(r->queues[way]);
        free(r->out[way]);
    }
    free(r->in);
    free(r->merge.rows);
}

/* ---- results ---- */

/*
 * Joins the results in a binomial tree: workers join pairwise, then the joined workers join
 * pairwise. A worker gives everything once. Before, the worker has taken the results of the workers
 * behind, in their order.
 */
static void join_results(struct engine *engine)
{
    const struct engine_analysis *a = engine->analysis;
    struct worker *worker = engine->rounds->worker;
    for (unsigned step = 1; a->give && step < engine->size; step *= 2) {
        struct engine_bytes mine = {0};
        struct engine_bytes theirs;
        if (worker_gives(worker, step)) {
            a->give(engine->state, &mine);
            engine->rounds->traffic.result_messages++;
            engine->rounds->traffic.result_bytes += mine.n;
        }
        if (worker->how->climb(worker, step, &mine, &theirs))
            a->join(engine->state, theirs.at, theirs.n);
        worker->how->done(worker);
        free(mine.at);
    }
}

/* ---- a worker ---- */

static void work(struct worker *worker, void *context)
{
    const struct running *running = context;
    struct engine_rounds rounds = {.worker = worker};
    struct engine engine = {.rank = worker->rank,
                            .size = worker->size,
                            .thread = worker->thread,
                            .analysis = running->analysis};
    if (engine.size > 1)
        open_rounds(&engine, &rounds, running->how);
    engine.state = engine.analysis->begin(running->context, &engine);
    if (!engine.rounds) {
        run_alone(&engine);
    } else {
        while (run_round(&engine))
            ;
        end_stages(&engine);
        if (engine.analysis->meet)
            engine.analysis->meet(engine.state);
        join_results(&engine);
        if (running->how->is_verbose)
            traffic_say(worker, &rounds.traffic);
    }
    if (engine.analysis->finish)
        engine.analysis->finish(engine.state);
    if (engine.rounds)
        close_rounds(&engine);
}

void engine_ask_threads(unsigned n)
{
    if (engine_has_ranks())
        workers_mixed_ask(n);
}

unsigned engine_rank_threads(unsigned n)
{
    if (engine_has_ranks())
        return workers_mixed_count(n);
    return n ? n : engine_processors();
}

void engine_leave(void)
{
    (void)engine_told(0); /* a failing rank tells all ranks */
    workers_mpi_end();
}

unsigned engine_workers(const struct engine_how *how)
{
    unsigned n = how->workers ? how->workers : engine_processors();
    (void)workers_choose(&n);
    return n;
}

void engine_run(const struct engine_analysis *analysis, void *context, const struct engine_how *how)
{
    struct running running = {analysis, context, how};
    unsigned n = how->workers ? how->workers : engine_processors();
    const struct workers *workers = workers_choose(&n);
    workers->run(n, work, &running);
    if (!how->goes_on)
        workers_mpi_end();
}
