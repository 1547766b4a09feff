/* SPDX-License-Identifier: BSD-3-Clause */
/* links: session */
/*
 * A processor's clock that changes its rate or jumps, as seen by a drawn program with a few
 * threads: the pairs of readings that the agent would keep put every event back at its true time.
 * CLOCK_DRAWN is the number of drawn programs. A failure prints the seed of the program.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "session/clock_sync.h"
#include "session/clock_watch.h"

enum { THREADS = 4, CHANGES = 3, DRAWN = 20, PAUSE = 1 << 19, STEP = 1 << 20, EVENTS_MAX = 400000 };
static const double second = 1e9, most_off = 20e3;

static uint64_t state;

static double draw(double from, double to)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return from + (to - from) * (double)(state >> 11) / (double)(UINT64_C(1) << 53);
}

static uint32_t choose(uint32_t n)
{
    return (uint32_t)draw(0, n);
}

/* From `at` on, in ns of the truth: the clock's rate, after a jump. */
struct change {
    double at, rate, jump_ns;
};

struct machine {
    double rate; /* at the start, ticks in a ns */
    struct change change[CHANGES];
    uint32_t n;
};

static uint64_t ticks_at(const struct machine *m, double t)
{
    double ticks = 1e12, rate = m->rate, from = 0;
    for (uint32_t i = 0; i < m->n && m->change[i].at <= t; i++) {
        ticks += (m->change[i].at - from) * rate + m->change[i].jump_ns * rate;
        from = m->change[i].at;
        rate = m->change[i].rate;
    }
    return (uint64_t)(ticks + (t - from) * rate);
}

static struct spur_clock_pair pair_at(const struct machine *m, double t)
{
    return (struct spur_clock_pair){ticks_at(m, t),
                                    (uint64_t)(5e12 + t + draw(-1, 1) * draw(0, 100))};
}

static struct machine draw_machine(double end)
{
    static const double ppm[] = {50e-6, -50e-6, 500e-6, -500e-6}, jumps[] = {1e6, 1e10, -1e10};
    struct machine m = {.rate = draw(1, 4), .n = 0};
    double rate = m.rate, at = 200e6; /* the watch knows the rate by then */
    const uint32_t n = 1 + choose(CHANGES);
    while (m.n < n) {
        bool is_late = choose(4) == 0;
        at = is_late ? draw(at + 50e6, end - 1e6) : draw(at + 50e6, at + 50e6 + 0.5 * (end - at));
        if (at > end - 1e6)
            break;
        bool is_jump = choose(2);
        rate = is_jump ? rate : m.rate * (1 + ppm[choose(4)]);
        m.change[m.n++] = (struct change){at, rate, is_jump ? jumps[choose(3)] : 0};
    }
    return m;
}

struct event {
    double t;
    uint64_t ticks;
    uint32_t thread;
};

/* Threads record in bursts, and pause. The watch gets the same readings as from the agent. */
struct run {
    struct machine machine;
    struct spur_clock_watch watch;
    struct event *event;
    uint32_t n, threads;
    bool is_left; /* went back; from then on: the system's clock, in ticks of the last line */
    double next[THREADS];
    uint64_t last[THREADS];
};

static uint64_t last_before(const struct run *r, uint64_t limit, uint64_t last)
{
    for (uint32_t i = 0; i < r->threads; i++)
        if (r->last[i] > last && r->last[i] < limit)
            last = r->last[i];
    return last;
}

static void look(struct run *r, double t, uint64_t quiet_since)
{
    struct spur_clock_pair pair = pair_at(&r->machine, t);
    uint64_t newest;
    double ahead = spur_clock_watch_off(&r->watch, &pair, &newest);
    if (ahead > 0 && quiet_since)
        quiet_since = last_before(r, pair.ticks - (uint64_t)ahead, quiet_since);
    r->is_left |= ahead < -STEP && pair.ticks + STEP < last_before(r, UINT64_MAX, newest);
    if (!r->is_left)
        spur_clock_watch_add(&r->watch, pair, quiet_since);
}

static uint64_t read_clock(const struct run *r, double t)
{
    const struct spur_clock_pair *last = &r->watch.last[r->watch.newest & 1];
    double ns = (double)(int64_t)(pair_at(&r->machine, t).monotonic - last->monotonic);
    return r->is_left ? last->ticks + (uint64_t)(int64_t)(ns * r->watch.rate)
                      : ticks_at(&r->machine, t);
}

static void record(struct run *r, uint32_t thread)
{
    double t = r->next[thread];
    uint64_t ticks = read_clock(r, t);
    const bool is_first = !r->last[thread];
    r->is_left |= ticks + STEP < r->last[thread];
    if (r->is_left)
        ;
    else if (is_first || ticks - r->last[thread] > PAUSE)
        look(r, t, r->last[thread]);
    else if (r->n % 10000 == 0)
        look(r, t, 0); /* a chunk is full */
    if (r->is_left)
        ticks = read_clock(r, t);
    ticks = ticks > r->last[thread] ? ticks : r->last[thread];
    r->last[thread] = ticks;
    r->event[r->n++] = (struct event){t, ticks, thread};
    r->next[thread] += choose(200) ? draw(50, 4000) : choose(4) ? draw(2e5, 3e6) : draw(3e6, 1e8);
}

static void run_program(struct run *r, double end)
{
    spur_clock_watch_add(&r->watch, pair_at(&r->machine, 0), 0);
    for (uint32_t i = 0; i < r->threads; i++)
        r->next[i] = draw(1e3, 1e6);
    while (r->n < EVENTS_MAX) {
        uint32_t thread = 0;
        for (uint32_t i = 1; i < r->threads; i++)
            thread = r->next[i] < r->next[thread] ? i : thread;
        if (r->next[thread] >= end)
            break;
        record(r, thread);
    }
}

static double true_time(const struct spur_clock_pair *origin, double rate, uint64_t time)
{
    double ticks = (double)(int64_t)(time - origin->ticks);
    return ticks / rate + ((double)origin->monotonic - 5e12);
}

/* The knowledge of finishing: a process looks at the clock at its end, unless killed. */
static double judge(const struct run *r, double end, bool is_killed)
{
    struct spur_clock_pair pairs[SPUR_CLOCK_PAIRS + 2];
    struct spur_clock_line line;
    uint64_t before[THREADS] = {0};
    double longest, worst = 0;
    uint32_t n = spur_clock_watch_pairs(&r->watch, pairs);
    if (!is_killed)
        n = spur_clock_pairs_append(pairs, n,
                                    (struct spur_clock_pair){read_clock(r, end),
                                                             pair_at(&r->machine, end).monotonic});
    cr_assert(n > 1, "%u pairs", n);
    double rate = spur_clock_pairs_rate(pairs, n, r->watch.rate, &longest);
    spur_clock_line_bend(&line, pairs, n, &pairs[0], rate, r->watch.rate);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct event *e = &r->event[i];
        uint64_t time = spur_clock_line_at(&line, e->ticks);
        cr_assert(time >= before[e->thread], "event %u is before the last one", i);
        before[e->thread] = time;
        double off = true_time(&pairs[0], rate, time) - e->t;
        worst = off > worst ? off : -off > worst ? -off : worst;
    }
    return worst;
}

static void drawn(uint64_t seed)
{
    struct run *r = calloc(1, sizeof *r);
    state = seed;
    double end = draw(0.5, 3) * second;
    r->event = malloc((EVENTS_MAX + 1) * sizeof *r->event);
    r->threads = 1 + choose(THREADS);
    r->machine = draw_machine(end);
    run_program(r, end);
    const bool is_killed = choose(2);
    r->next[0] = end; /* the first thread records the end, if any */
    if (!is_killed)
        record(r, 0);
    double worst = judge(r, end, is_killed);
    for (uint32_t i = 0; i < r->machine.n && worst > most_off; i++)
        printf("change %u at %.3f ms: %+.0f ppm, jump %.0f ns\n", i, r->machine.change[i].at / 1e6,
               (r->machine.change[i].rate / r->machine.rate - 1) * 1e6,
               r->machine.change[i].jump_ns);
    cr_expect(worst <= most_off, "seed %llu: %.1f us off the truth, %u bends, %u pairs",
              (unsigned long long)seed, worst / 1e3, r->watch.bends, r->watch.n);
    free(r->event);
    free(r);
}

Test(clock_watch, every_event_gets_its_true_time, .timeout = 300)
{
    const char *told = getenv("CLOCK_DRAWN"), *seed = getenv("CLOCK_SEED");
    uint64_t n = told ? strtoull(told, NULL, 10) : DRAWN;
    uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
    for (uint64_t i = 0; i < n; i++)
        drawn(first + i);
}

/*
 * Changes in the last pause, or close together, or seen only by a new thread; and more cases of old
 * failures.
 */
Test(clock_watch, what_was_hard_once, .timeout = 300)
{
    const uint64_t seeds[] = {242,  871,  888,    1122,   1139,   1615,
                              1779, 2000, 104315, 127532, 135722, 137788};
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++)
        drawn(seeds[i]);
}

Test(clock_watch, a_line_stays_a_line)
{
    const struct machine steady = {.rate = 2.1};
    struct spur_clock_watch watch = {.n = 0};
    struct spur_clock_pair pairs[SPUR_CLOCK_PAIRS + 1];
    state = 7;
    for (double t = 0; t < 1000 * second; t += draw(1e3, 1e9))
        spur_clock_watch_add(&watch, pair_at(&steady, t), 0);
    cr_expect_eq(watch.bends, 0);
    cr_expect(watch.worst > 0 && watch.worst < 10e3, "%f ns", watch.worst);
    cr_expect_eq(spur_clock_watch_pairs(&watch, pairs), 2);
}

Test(clock_watch, one_thread_is_there_at_a_time)
{
    const struct machine steady = {.rate = 2};
    struct spur_clock_watch watch = {.n = 0};
    struct spur_clock_pair newest, later;
    double rate = -1;
    uint64_t ticks = 0;
    state = 11;
    spur_clock_watch_add(&watch, pair_at(&steady, 0), 0);
    spur_clock_watch_add(&watch, pair_at(&steady, second), 0);
    later = pair_at(&steady, 2 * second);
    later.ticks += 1000000;
    watch.is_taken = 1;
    cr_expect(!spur_clock_watch_line(&watch, &newest, &rate) && rate < 0);
    cr_expect(spur_clock_watch_off(&watch, &later, &ticks) == 0 && ticks == 0);
    spur_clock_watch_add(&watch, later, 0);
    watch.is_taken = 0;
    cr_expect(spur_clock_watch_line(&watch, &newest, &rate) && rate > 1.999 && rate < 2.001);
    cr_expect(spur_clock_watch_off(&watch, &later, &ticks) > 0 && ticks == newest.ticks);
    cr_expect(watch.bends == 0 && newest.ticks < later.ticks);
}

Test(clock_watch, a_full_list_is_thinned)
{
    struct machine m = {.rate = 2};
    struct spur_clock_watch watch = {.n = 0};
    struct spur_clock_pair pairs[SPUR_CLOCK_PAIRS + 1];
    state = 9;
    for (int i = 0; i < 1000; i++) {
        double t = i * 1e8;
        spur_clock_watch_add(&watch, pair_at(&m, t), 0);
        spur_clock_watch_add(&watch, pair_at(&m, t + 5e7), 0);
        m.rate = i % 2 ? 2 : 2.001; /* the whole past changes with the rate: a jump */
    }
    cr_expect(watch.bends > 100 && watch.n <= SPUR_CLOCK_PAIRS);
    uint32_t n = spur_clock_watch_pairs(&watch, pairs);
    cr_expect(n > SPUR_CLOCK_PAIRS / 4 && n <= SPUR_CLOCK_PAIRS + 1, "%u", n);
    watch.n = 4000000000u;
    watch.newest = 77;
    n = spur_clock_watch_pairs(&watch, pairs);
    cr_expect(n <= SPUR_CLOCK_PAIRS + 1, "%u of a damaged list", n);
}
