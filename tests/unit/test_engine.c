/* SPDX-License-Identifier: BSD-3-Clause */
/* links: tools-engine */
/*
 * Is the result the same for any number of workers? Locations with drawn events tell drawn notes to
 * two stages. Each key keeps a number, a function of every note to the key and of the order of the
 * notes.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/engine/engine.h"
#include "tools/engine/engine_traffic.h"

enum { LOCATIONS = 23, KEYS = 61, STAGES = 2, FINAL = 99 };

/* The same for all workers. */
struct plan {
    uint64_t seed;
    uint64_t n_events[LOCATIONS];
    uint32_t owner[LOCATIONS];
    uint64_t spread;                 /* of times: small, many are equal */
    uint64_t kept[STAGES + 1][KEYS]; /* the result */
    uint64_t n_taken, n_all, n_events_read;
};

struct own {
    struct plan *plan;
    struct engine *engine;
    uint64_t done[LOCATIONS], time[LOCATIONS];
    uint64_t kept[STAGES + 1][KEYS];
    uint64_t n_taken, n_all, n_events_read;
    bool has_lost_order;
    struct engine_note last[STAGES + 1];
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A drawn number of an event of a location. */
static uint64_t drawn(const struct plan *plan, uint64_t location, uint64_t event, uint64_t what)
{
    return mix(plan->seed ^ mix(location << 40 ^ event << 8 ^ what));
}

static uint64_t time_of(const struct own *o, unsigned i)
{
    return o->time[i] + drawn(o->plan, i, o->done[i], 1) % o->plan->spread;
}

/* The next location of the worker; -1: all are done. */
static int next_location(const struct own *o)
{
    int first = -1;
    for (unsigned i = 0; i < LOCATIONS; i++)
        if (o->plan->owner[i] % o->engine->size == o->engine->rank &&
            o->done[i] < o->plan->n_events[i] &&
            (first < 0 || time_of(o, i) < time_of(o, (unsigned)first)))
            first = (int)i;
    return first;
}

static void *begin(void *context, struct engine *engine)
{
    struct own *o = calloc(1, sizeof *o);
    o->plan = context;
    o->engine = engine;
    return o;
}

static void tell_drawn(struct own *o, unsigned i, uint64_t event)
{
    uint64_t n = drawn(o->plan, i, event, 2) % 4;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t draw = drawn(o->plan, i, event, 3 + k);
        uint64_t data[5] = {draw % KEYS, draw, draw + 1, draw + 2, draw + 3};
        struct engine_note note = {.time = o->time[i],
                                   .sequence = event,
                                   .location = i,
                                   .steps = {(uint32_t)k, 0},
                                   .kind = (uint16_t)(draw >> 8 & 63),
                                   .stage = 1 + (draw >> 16) % STAGES,
                                   .words = (uint8_t)(1 + (draw >> 24) % 5)};
        if (!note.kind) {
            engine_tell_all(o->engine, &note, data);
        } else {
            engine_tell(o->engine, data[0], 0, 0, &note, data);
        }
    }
}

static bool read_some(void *state, uint64_t most, uint64_t *n)
{
    struct own *o = state;
    int i = next_location(o);
    for (*n = 0; *n < most && i >= 0; ++*n, i = next_location(o)) {
        o->time[i] = time_of(o, (unsigned)i);
        uint64_t event = o->done[i]++;
        o->n_events_read++;
        tell_drawn(o, (unsigned)i, event);
    }
    return i >= 0;
}

static uint64_t reached(const void *state)
{
    const struct own *o = state;
    int i = next_location(o);
    return i < 0 ? UINT64_MAX : time_of(o, (unsigned)i);
}

static int compare(const struct engine_note *a, const struct engine_note *b)
{
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    if (a->steps[0] != b->steps[0])
        return a->steps[0] < b->steps[0] ? -1 : 1;
    return (a->steps[1] > b->steps[1]) - (a->steps[1] < b->steps[1]);
}

static void take(void *state, const struct engine_note *note, const void *data)
{
    struct own *o = state;
    const uint64_t *words = data;
    uint64_t h = mix(note->time ^ note->sequence << 20 ^ note->location) + note->kind;
    for (unsigned i = 0; i < note->words; i++)
        h = mix(h ^ words[i]);
    o->has_lost_order =
        o->has_lost_order || (o->engine->rounds && compare(note, &o->last[note->stage]) < 0);
    o->last[note->stage] = *note;
    if (!note->kind) { /* a note for all workers */
        o->n_all++;
        return;
    }
    o->n_taken++;
    uint64_t *kept = &o->kept[note->stage][words[0]];
    *kept = mix(*kept + h);
    if (note->stage == STAGES || *kept % 3 == 0)
        return;
    uint64_t more[2] = {*kept % KEYS, *kept};
    for (uint32_t k = 0; k < 2; k++) {
        struct engine_note next = *note;
        next.steps[1] = k + 1;
        next.stage++;
        next.kind = 64;
        next.words = 2;
        engine_tell(o->engine, more[0], 0, 0, &next, more);
    }
}

/* The final number of each key is told to the next stage. */
static void end(void *state, unsigned stage)
{
    struct own *o = state;
    for (uint64_t key = 0; stage && stage < STAGES && key < KEYS; key++) {
        struct engine_note note = {.time = UINT64_MAX,
                                   .location = (uint32_t)key,
                                   .kind = FINAL,
                                   .stage = (uint8_t)(stage + 1),
                                   .words = 2};
        uint64_t data[2] = {(key + 7) % KEYS, o->kept[stage][key]};
        if (data[1])
            engine_tell(o->engine, data[0], 0, 0, &note, data);
    }
}

static void give(void *state, struct engine_bytes *bytes)
{
    const struct own *o = state;
    engine_add(bytes, o->kept, sizeof o->kept);
    engine_add(bytes, &o->n_taken, sizeof o->n_taken);
    engine_add(bytes, &o->n_events_read, sizeof o->n_events_read);
    engine_add(bytes, &o->has_lost_order, sizeof o->has_lost_order);
}

static void join(void *state, const void *bytes, size_t n)
{
    struct own *o = state;
    struct own other;
    const char *at = bytes;
    cr_assert_eq(n, sizeof other.kept + 2 * sizeof(uint64_t) + sizeof(bool));
    memcpy(other.kept, at, sizeof other.kept);
    memcpy(&other.n_taken, at += sizeof other.kept, sizeof other.n_taken);
    memcpy(&other.n_events_read, at += sizeof(uint64_t), sizeof other.n_events_read);
    memcpy(&other.has_lost_order, at + sizeof(uint64_t), sizeof other.has_lost_order);
    for (unsigned stage = 0; stage <= STAGES; stage++)
        for (unsigned key = 0; key < KEYS; key++) {
            cr_assert(!o->kept[stage][key] || !other.kept[stage][key], "a key has two owners");
            o->kept[stage][key] += other.kept[stage][key];
        }
    o->n_taken += other.n_taken;
    o->n_events_read += other.n_events_read;
    o->has_lost_order = o->has_lost_order || other.has_lost_order;
}

static void finish(void *state)
{
    struct own *o = state;
    if (o->engine->rank == 0) {
        cr_expect_not(o->has_lost_order);
        memcpy(o->plan->kept, o->kept, sizeof o->kept);
        o->plan->n_taken = o->n_taken;
        o->plan->n_all = o->n_all;
        o->plan->n_events_read = o->n_events_read;
    }
    free(o);
}

static const struct engine_analysis analysis = {.n_stages = STAGES,
                                                .begin = begin,
                                                .read = read_some,
                                                .reached = reached,
                                                .take = take,
                                                .end = end,
                                                .give = give,
                                                .join = join,
                                                .finish = finish};

static void draw_plan(struct plan *plan, uint64_t seed)
{
    uint64_t most = seed % 5 ? 300 : 3000;
    *plan = (struct plan){.seed = seed, .spread = 1 + mix(seed) % (seed % 3 ? 4 : 1000)};
    for (unsigned i = 0; i < LOCATIONS; i++) {
        plan->n_events[i] = drawn(plan, i, 0, 91) % most;
        plan->owner[i] = (uint32_t)drawn(plan, i, 0, 92);
    }
}

static void compare_plans(const struct plan *alone, const struct plan *many, const char *what)
{
    cr_expect_eq(alone->n_events_read, many->n_events_read, "%s", what);
    cr_expect_eq(alone->n_taken, many->n_taken, "%s", what);
    cr_expect_eq(alone->n_all, many->n_all, "%s", what);
    cr_expect_arr_eq(alone->kept, many->kept, sizeof alone->kept, "%s", what);
}

Test(engine, any_number_of_workers_has_one_result)
{
    uint64_t seed = (uint64_t)time(NULL);
    const char *given = getenv("ENGINE_SEED");
    seed = given ? strtoull(given, NULL, 10) : seed;
    for (int run = 0; run < 20; run++, seed++) {
        struct plan alone, many;
        draw_plan(&alone, seed);
        many = alone;
        engine_run(&analysis, &alone, &(struct engine_how){.workers = 1});
        struct engine_how how = {.workers = 2 + (unsigned)(mix(seed) % 7),
                                 .round = 1 + mix(seed + 1) % 200,
                                 .ahead = 1 + mix(seed + 2) % 20000};
        char what[120];
        (void)snprintf(what, sizeof what, "ENGINE_SEED=%llu: %u workers, rounds of %llu, ahead %zu",
                       (unsigned long long)seed, how.workers, (unsigned long long)how.round,
                       how.ahead);
        engine_run(&analysis, &many, &how);
        compare_plans(&alone, &many, what);
    }
}

/* ---- results ---- */

/* A worker's list: all workers whose results were joined, and the number of joins. */
struct joined {
    struct engine *engine;
    struct engine_bytes ranks;
    unsigned n_joins, n_gives;
};

static struct joined root; /* worker 0, at its end */

static void *begin_joined(void *context, struct engine *engine)
{
    struct joined *j = calloc(1, sizeof *j);
    (void)context;
    j->engine = engine;
    engine_add(&j->ranks, &engine->rank, sizeof engine->rank);
    return j;
}

static bool read_no_more(void *state, uint64_t most, uint64_t *n)
{
    (void)state, (void)most;
    *n = 0;
    return false;
}

static uint64_t reached_end(const void *state)
{
    (void)state;
    return UINT64_MAX;
}

static void give_joined(void *state, struct engine_bytes *bytes)
{
    struct joined *j = state;
    cr_expect_neq(j->engine->rank, 0, "the root gives");
    cr_expect_eq(++j->n_gives, 1, "worker %u gives twice", j->engine->rank);
    engine_add(bytes, j->ranks.at, j->ranks.n);
}

static void join_joined(void *state, const void *bytes, size_t n)
{
    struct joined *j = state;
    cr_expect_eq(j->n_gives, 0, "worker %u joins what nobody gets", j->engine->rank);
    engine_add(&j->ranks, bytes, n);
    j->n_joins++;
}

static void finish_joined(void *state)
{
    struct joined *j = state;
    cr_expect_eq(j->n_gives, j->engine->rank != 0, "worker %u", j->engine->rank);
    if (j->engine->rank)
        free(j->ranks.at);
    else
        root = *j;
    free(j);
}

Test(engine, results_meet_in_a_tree_in_the_order_of_workers)
{
    static const struct engine_analysis lists = {.begin = begin_joined,
                                                 .read = read_no_more,
                                                 .reached = reached_end,
                                                 .give = give_joined,
                                                 .join = join_joined,
                                                 .finish = finish_joined};
    for (unsigned n = 1; n <= 20; n++) {
        unsigned rounds = 0;
        while (1U << rounds < n)
            rounds++;
        engine_run(&lists, NULL, &(struct engine_how){.workers = n});
        cr_expect_eq(root.n_joins, rounds, "%u workers", n);
        cr_assert_eq(root.ranks.n, n * sizeof(unsigned), "%u workers", n);
        for (unsigned i = 0; i < n; i++) {
            unsigned rank;
            memcpy(&rank, root.ranks.at + i * sizeof rank, sizeof rank);
            cr_expect_eq(rank, i, "%u workers", n);
        }
        free(root.ranks.at);
    }
}

Test(engine, what_a_worker_keeps_is_no_message)
{
    struct engine_traffic t = {0};
    const struct engine_bytes out[] = {{.n = 10}, {.n = 99}, {.n = 0}, {.n = 7}};
    traffic_exchange(&t, &(struct worker){.rank = 1, .size = 4}, out);
    traffic_exchange(&t, &(struct worker){.rank = 3, .size = 4}, out);
    cr_expect_eq(t.note_messages, 4);
    cr_expect_eq(t.note_bytes, 10 + 7 + 10 + 99);
    cr_expect_eq(t.exchanges, 2);
    cr_expect_eq(t.result_bytes + t.result_messages + t.meetings, 0);
}

/* ---- dealing ---- */

Test(engine, the_largest_is_dealt_first)
{
    const uint64_t sizes[] = {1, 9, 2, 8, 3, 7, 5};
    uint32_t owner[7];
    cr_expect_eq(engine_deal(sizes, 7, 2, owner), 22); /* 9 5 3 1, and 1 for each */
    cr_expect_eq(owner[1], 0);
    cr_expect_eq(owner[3], 1);
    cr_expect_eq(owner[5], 1);
    cr_expect_eq(owner[6], 0);
}

Test(engine, neighbours_go_to_one_worker)
{
    uint64_t sizes[1000];
    uint32_t owner[1000];
    for (size_t i = 0; i < 1000; i++)
        sizes[i] = 1000 + i * 7919 % 100;
    uint64_t most = engine_deal(sizes, 1000, 3, owner);
    uint64_t sums[3] = {0};
    for (size_t i = 0; i < 1000; i++) {
        cr_assert_lt(owner[i], 3);
        cr_expect(!i || owner[i] == owner[i - 1] || owner[i] == owner[i - 1] + 1);
        sums[owner[i]] += sizes[i] + 1;
    }
    for (int i = 0; i < 3; i++) {
        cr_expect_geq(sums[i], 349000);
        cr_expect_leq(sums[i], most);
    }
}

/*
 * Dealt in order, the shares of two workers would be 10 + 10 and the rest, or 10 + 10 + 40 and the
 * rest.
 */
Test(engine, neighbours_part_where_that_is_more_even)
{
    const uint64_t sizes[] = {9, 9, 39, 9, 9};
    uint32_t owner[5];
    cr_expect_eq(engine_deal(sizes, 5, 2, owner), 40);
    for (int i = 0; i < 5; i++)
        cr_expect_eq(owner[i], i == 2 ? 0 : 1);
}

Test(engine, any_size_may_be_said)
{
    const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 0};
    uint32_t owner[5];
    cr_expect_eq(engine_deal(sizes, 5, 2, owner), UINT64_MAX);
    for (int i = 0; i < 5; i++)
        cr_expect_lt(owner[i], 2);
}

Test(engine, units_without_events_are_spread)
{
    const uint64_t sizes[64] = {0};
    uint32_t owner[64];
    cr_expect_eq(engine_deal(sizes, 64, 4, owner), 16);
}

Test(engine, there_is_a_processor)
{
    cr_expect_gt(engine_processors(), 0);
    cr_expect_eq(engine_workers(&(struct engine_how){.workers = 3}), 3);
    cr_expect_gt(engine_workers(&(struct engine_how){0}), 0);
}
