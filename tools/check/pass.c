/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pass through all events, by the engine: the state of each worker, and the joining of these
 * states.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/progress.h"
#include "tools/check/check_devices.h"
#include "tools/check/check_tell.h"
#include "tools/check/findings.h"

enum { EVENTS_A_THREAD = 1 << 18, ROUNDS_LEAST = 16, ROUND_LEAST = 16, ROUND_MOST = 1 << 17 };

/* A worker's flags needed by all workers. */
struct lost_flags {
    uint64_t time, is_cut, has_lost_parts;
};

struct gaps_note {
    uint64_t time, process;
};

static void (*const takers[NOTES])(struct check *, const struct engine_note *, const void *) = {
#define NOTE(KIND, stage, function) [NOTE_##KIND] = function,
#include "tools/check/notes.def"
#undef NOTE
};

/* ---- the order of findings ---- */

static void position(void *finder, struct position *position)
{
    struct check *c = finder;
    *position = (struct position){.phase = c->phase};
    if (c->note) {
        const struct engine_note *n = c->note;
        unsigned i = n->stage;
        *position = (struct position){{n->time, n->location, n->sequence},
                                      c->phase,
                                      {n->steps[0], n->steps[1], 0}};
        position->steps[i] = ++c->step;
    } else if (c->phase > PHASE_PASS) {
        memcpy(position->key, c->phase_key, sizeof position->key);
        position->steps[0] = ++c->step;
    } else {
        /* The location is the finder's own location. */
        struct location *at = &c->locations[c->now->index];
        uint64_t order = c->phase == PHASE_OPEN ? 0 : at->order;
        uint64_t event = c->phase == PHASE_OPEN ? 0 : at->file.count - at->is_listing;
        position->key[0] = order;
        position->key[1] = at->index;
        position->key[2] = event;
        position->steps[0] = ++at->step;
    }
}

void each_in_phase(struct check *c, enum phase phase, const struct table *table,
                   void (*visit)(void *node, void *context))
{
    struct node **nodes = table_sorted(table);
    size_t n = table->n;
    c->phase = phase;
    for (size_t i = 0; i < n; i++) {
        c->phase_key[0] = nodes[i]->key.a;
        c->phase_key[1] = nodes[i]->key.b;
        c->phase_key[2] = nodes[i]->key.c;
        visit(nodes[i], c);
    }
    free(nodes);
}

struct location *next_in_phase(struct check *c, enum phase phase, const struct location *before)
{
    size_t i = before ? before->index + (size_t)1 : 0;
    while (i < c->n_locations && c->locations[i].worker != c->engine->rank)
        i++;
    c->phase = phase;
    c->phase_key[0] = i;
    c->phase_key[1] = c->phase_key[2] = 0;
    return i < c->n_locations ? &c->locations[i] : NULL;
}

/* ---- facts for all workers ---- */

static void tell_lost(struct check *c)
{
    struct lost_flags flags = {0, c->is_cut, c->has_lost_parts};
    if (!is_alone(c) && (c->is_cut || c->has_lost_parts))
        tell_at_end(c, 0, 0, NOTE_LOST, ENGINE_ALL, &flags, sizeof flags);
}

void take_lost(struct check *c, const struct engine_note *n, const void *data)
{
    const struct lost_flags *flags = data;
    (void)n;
    c->is_cut = c->is_cut || flags->is_cut;
    c->has_lost_parts = c->has_lost_parts || flags->has_lost_parts;
}

static bool *gaps_in(const struct check *c, bool **gaps)
{
    if (!*gaps)
        *gaps = take_memory(c->processes.n);
    return *gaps;
}

void take_gaps(struct check *c, const struct engine_note *n, const void *data)
{
    const struct gaps_note *gaps = data;
    (void)n;
    c->has_gaps = true;
    gaps_in(c, &c->gaps)[gaps->process] = true;
}

void gaps_tell(struct check *c, struct location *at)
{
    struct gaps_note gaps = {at->time, at->process->index};
    gaps_in(c, &c->gaps_here)[gaps.process] = true;
    if (is_alone(c))
        take_gaps(c, NULL, &gaps);
    else
        tell_all(c, at, NOTE_GAPS, &gaps, sizeof gaps);
}

/* ---- a worker ---- */

static void *begin(void *context, struct engine *engine)
{
    const struct check *common = context;
    struct check *c = take_memory(sizeof *c);
    *c = *common;
    c->engine = engine;
    c->verdict = common->verdict;
    if (engine->rounds) {
        struct verdict *v = c->verdict = take_memory(sizeof *v);
        *v = *common->verdict;
        memset(v->counts, 0, sizeof v->counts);
        v->kept = take_memory(sizeof *v->kept);
        v->position = position;
        v->finder = c;
    }
    c->merge = NULL;
    c->gaps = c->gaps_here = NULL;
    if (common->has_gaps) {
        memset(gaps_in(c, &c->gaps), true, c->processes.n);
        memset(gaps_in(c, &c->gaps_here), true, c->processes.n);
    }
    requests_begin(c);
    comms_begin(c);
    messages_begin(c);
    threads_begin(c);
    locks_begin(c);
    devices_begin(c);
    rma_begin(c);
    io_begin(c);
    c->phase = PHASE_OPEN;
    events_open(c);
    c->phase = PHASE_PASS;
    return c;
}

static bool read_events(void *state, uint64_t most, uint64_t *n)
{
    return events_read(state, most, n);
}

static uint64_t reached(const void *state)
{
    return events_reached(state);
}

static void take(void *state, const struct engine_note *note, const void *data)
{
    struct check *c = state;
    c->note = note;
    c->step = 0;
    takers[note->kind](c, note, data);
    c->note = NULL;
}

static void judge_rest(struct check *c)
{
    messages_finish(c);
    requests_finish(c);
    collectives_finish(c);
    comms_finish(c);
    threads_finish(c);
    locks_finish(c);
    rma_finish(c);
    devices_finish(c);
    io_finish(c);
    check_snapshots(c);
}

static void end(void *state, unsigned stage)
{
    struct check *c = state;
    if (stage == 0) {
        events_close(c);
        comms_tell_use(c);
    } else if (stage == 1) {
        collectives_release_all(c);
        io_tell_agreements(c);
        tell_lost(c);
    } else {
        judge_rest(c);
    }
}

static void give(void *state, struct engine_bytes *bytes)
{
    const struct check *c = state;
    engine_add(bytes, &c->n_events, sizeof c->n_events);
    findings_give(c->verdict->kept, bytes);
}

static void join(void *state, const void *bytes, size_t n)
{
    struct check *c = state;
    const char *at = bytes;
    uint64_t n_events;
    (void)n;
    memcpy(&n_events, at, sizeof n_events);
    c->n_events += n_events;
    (void)findings_join(c->verdict->kept, c->verdict, at + sizeof n_events);
}

static void finish(void *state)
{
    struct check *c = state;
    if (!c->engine->rank) {
        c->common->n_events = c->n_events;
        if (c->verdict->kept)
            findings_show(c->verdict->kept, c->common->verdict);
    }
    if (c->verdict->kept) {
        findings_free(c->verdict->kept);
        free(c->verdict->kept);
        free(c->verdict);
    }
    free(c->scratch);
    free(c->gaps);
    free(c->gaps_here);
    free(c);
}

static const struct engine_analysis analysis = {.n_stages = NOTE_STAGES,
                                                .begin = begin,
                                                .read = read_events,
                                                .reached = reached,
                                                .take = take,
                                                .end = end,
                                                .give = give,
                                                .join = join,
                                                .finish = finish};

/* ---- dealing ---- */

/*
 * Deals each process as a whole, so that the state of a process needs no notes; if whole processes
 * leave workers with too little to read, deals each location separately.
 */
static void deal(struct check *c, unsigned workers)
{
    size_t n = c->n_locations;
    uint64_t *sizes = take_memory(n * sizeof *sizes);
    uint64_t *wholes = take_memory(c->processes.n * sizeof *wholes);
    uint32_t *owner = take_memory(n * sizeof *owner);
    uint32_t *of_process = take_memory(c->processes.n * sizeof *of_process);
    for (size_t i = 0; i < n; i++) {
        uint64_t *whole = &wholes[c->locations[i].process->index];
        sizes[i] = c->locations[i].def->numberOfEvents;
        *whole = *whole > UINT64_MAX - sizes[i] ? UINT64_MAX : *whole + sizes[i];
    }
    uint64_t single = engine_deal(sizes, n, workers, owner);
    uint64_t whole = engine_deal(wholes, c->processes.n, workers, of_process);
    bool is_whole = whole <= single || whole - single <= single / 32;
    for (size_t i = 0; i < c->processes.n; i++)
        c->by_index[i]->worker = of_process[i];
    for (size_t i = 0; i < n; i++) {
        struct location *at = &c->locations[i];
        at->worker = is_whole ? of_process[at->process->index] : owner[i];
        if (!is_whole)
            at->process->worker = at->worker;
    }
    for (size_t i = 0; i < n; i++)
        if (c->locations[i].process->worker != c->locations[i].worker)
            c->locations[i].process->worker = SPLIT;
    free(sizes);
    free(wholes);
    free(owner);
    free(of_process);
}

/* Several locations may have the same rank. */
static void find_readers(struct check *c)
{
    for (size_t i = 0; i < c->n_locations; i++)
        if (c->locations[i].rank != NO_RANK && c->locations[i].rank >= c->n_ranks)
            c->n_ranks = c->locations[i].rank + 1;
    bool *is_known = take_memory(c->n_ranks * sizeof *is_known);
    c->reader_of_rank = take_memory(c->n_ranks * sizeof *c->reader_of_rank);
    memset(c->reader_of_rank, UCHAR_MAX, c->n_ranks * sizeof *c->reader_of_rank);
    for (size_t i = 0; i < c->n_locations; i++) {
        const struct location *at = &c->locations[i];
        if (at->rank == NO_RANK)
            continue;
        uint32_t *reader = &c->reader_of_rank[at->rank];
        *reader =
            is_known[at->rank] && *reader != at->process->worker ? SPLIT : at->process->worker;
        is_known[at->rank] = true;
    }
    free(is_known);
}

static uint64_t count_events(const struct check *c)
{
    uint64_t all = 0;
    for (size_t i = 0; i < c->n_locations; i++)
        all += c->locations[i].def->numberOfEvents;
    return all;
}

/* Few events are read before a thread has started. */
static unsigned useful(const struct check *c, uint64_t events)
{
    uint64_t n = 1 + events / EVENTS_A_THREAD;
    n = n < c->n_locations ? n : c->n_locations;
    unsigned processors = engine_processors();
    return n < processors ? (unsigned)(n ? n : 1) : processors;
}

void events_judge(struct check *c, unsigned threads, bool is_verbose)
{
    uint64_t events = count_events(c);
    struct engine_how how = {.workers = threads ? threads : useful(c, events),
                             .is_verbose = is_verbose};
    unsigned workers = engine_workers(&how);
    /* Many workers meet often, so that no worker gets far ahead in time. */
    uint64_t round = events / workers / ROUNDS_LEAST;
    how.round = round < ROUND_LEAST ? ROUND_LEAST : round > ROUND_MOST ? ROUND_MOST : round;
    c->common = c;
    deal(c, workers);
    find_readers(c);
    events_prepare();
    progress_begin(c->verdict->is_quiet ? 0 : events);
    engine_run(&analysis, c, &how);
    progress_end();
    free(c->reader_of_rank);
}
