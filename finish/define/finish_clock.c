/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One time for all processes of a session. Processes that read the same clock need nothing. Ranks
 * compare clocks in MPI_Init and MPI_Finalize; the result counts for all processes with the same
 * clocks. The reference is the clock of the first process. A clock may reach the reference in
 * several steps. A clock without a comparison is placed by the calendar time of the host.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "finish/define/finish_define.h"
#include "finish/find/finish_find.h"
#include "finish/state/finish_trouble.h"
#include "session/properties.h"

static const double second = 1e9;            /* in ns */
static const double calendar_error_ns = 1e6; /* a common error with NTP */

/* All knowledge of one clock. */
struct clock {
    uint64_t id;
    bool is_counter;
    bool is_placed;            /* `line` is known */
    struct spur_moment origin; /* of one process; all processes are put into this time namespace */
    double rate, rate_ns;      /* ticks in a ns, by the longest-lived process; the process's ns */
    struct spur_moment first, last; /* readings of the processes, as far apart as possible */
    uint64_t begin, end;            /* of the events of the processes */
    double per_second;              /* ticks; 0: not known */
    double worst_ns;                /* largest distance of a pair of a process from the line */
    enum spur_clock_kind kind;
    uint32_t words; /* for all processes of the clock */
    struct finish_bend bend;
    struct spur_clock_line line;
};

struct clocks {
    struct finish *f;
    struct clock *clock; /* by id */
    uint64_t n, room;
    struct clock *reference;
};

/* ---- the clocks ---- */

static bool less_clock(const void *context, uint64_t a, uint64_t b)
{
    struct finish_process *const *process = context;
    return process[a]->head.clock_id < process[b]->head.clock_id;
}

/* NULL: no process reads the clock. */
static struct clock *clock_of(const struct clocks *c, uint64_t id)
{
    size_t n = spur_bisect(c->clock, c->n, sizeof *c->clock, id);
    return n && c->clock[n - 1].id == id ? &c->clock[n - 1] : NULL;
}

/* A killed process may not have read the clocks for long; finishing can read them. */
static bool is_late(const struct finish *f, const struct finish_process *p)
{
    return p->state == FINISH_DEAD && strcmp(p->head.boot_id, f->boot_id) == 0 &&
           p->head.clock != SPUR_CLOCK_MONOTONIC && spur_stamp_ticks(&f->now, p->head.clock);
}

/* ---- time namespaces ---- */

/* The distance from a to b, by the clock `by`. */
#define LATER(a, b, by) ((double)(int64_t)((b)->by - (a)->by))

/* The rate of the processor's clock as seen by one process is the same in every time namespace. */
static void note_rate(struct clock *clock, const struct spur_segment *head)
{
    double ns = LATER(&head->first, &head->last, monotonic);
    if (ns <= clock->rate_ns || head->last.ticks <= head->first.ticks)
        return;
    clock->rate_ns = ns;
    clock->rate = LATER(&head->first, &head->last, ticks) / ns;
}

/*
 * The number of ns by which the system's clock of the moment `at` is ahead of the system's clock of
 * the first process. The first process may be in another time namespace. The calendar's time and
 * the processor's clock are the same in all namespaces. Each of the two clocks alone may have been
 * changed, so both have to agree.
 */
static int64_t ahead_of(const struct clock *clock, const struct spur_moment *at)
{
    const double least_ns = 1e6, share = 1e-3;
    const struct spur_moment *from = &clock->origin;
    double ahead = LATER(from, at, monotonic) - LATER(from, at, realtime);
    double ns = clock->rate > 0 ? LATER(from, at, ticks) / clock->rate : 0;
    double other = clock->rate > 0 ? LATER(from, at, monotonic) - ns : ahead;
    double apart = ahead > other ? ahead - other : other - ahead;
    bool is_other =
        (ahead < -least_ns || ahead > least_ns) && apart <= least_ns + share * (ns < 0 ? -ns : ns);
    return is_other ? (int64_t)(at->monotonic - from->monotonic - (at->realtime - from->realtime))
                    : 0;
}

static struct spur_moment moved(struct spur_moment at, int64_t ahead)
{
    at.monotonic -= (uint64_t)ahead;
    return at;
}

/* From here on all processes of a clock are in one time namespace. */
static void unite(const struct clock *clock, struct spur_segment *head)
{
    int64_t ahead = clock->is_counter ? ahead_of(clock, &head->first) : 0;
    if (!ahead)
        return;
    head->first = moved(head->first, ahead);
    head->last = moved(head->last, ahead);
    spur_clock_watch_move(&head->watch, -ahead);
}

/* ---- the range of the clocks ---- */

static struct spur_moment now_by(const struct finish *f, const struct clock *clock)
{
    const struct spur_moment now = {f->now.tsc, f->now.monotonic, f->now.realtime};
    return clock->is_counter ? moved(now, ahead_of(clock, &now)) : now;
}

/*
 * The present readings of the clocks are one more pair, for a killed process or a process in a
 * snapshot. If the clock has jumped since the last pair, the jump was not between events.
 */
static void look_now(struct finish *f, const struct spur_moment *now, struct finish_process *p)
{
    const struct spur_clock_pair pair = {now->ticks, now->monotonic};
    spur_clock_watch_add(&p->head.watch, pair, finish_end_recorded(f, p));
}

static void widen(struct finish *f, struct clock *clock, struct finish_process *p)
{
    const struct spur_moment *first = &p->head.first, *last = &p->head.last;
    const struct spur_moment now = now_by(f, clock);
    p->head.watch.is_taken = 0; /* the thread that had taken the watch is not in the copy */
    if (is_late(f, p))
        look_now(f, &now, p);
    if (first->ticks < clock->first.ticks)
        clock->first = *first;
    if (last->ticks > clock->last.ticks)
        clock->last = *last;
    if (is_late(f, p) && now.ticks > clock->last.ticks)
        clock->last = now;
    if (clock->is_counter)
        finish_bend_look(&clock->bend, p);
}

static void extend(struct clock *clock, uint64_t first, uint64_t last)
{
    clock->begin = first < clock->begin ? first : clock->begin;
    clock->end = last > clock->end ? last : clock->end;
}

/* The times of the clock at events of the process, by the present p->line. */
static void extend_by(struct clock *clock, const struct finish_process *p)
{
    extend(clock, spur_clock_line_at(&p->line, p->head.first.ticks),
           spur_clock_line_at(&p->line, p->head.last.ticks));
    for (uint64_t t = 0; t < p->n_threads; t++) {
        const struct finish_thread *thread = &p->threads[t];
        bool has_events = thread->first <= thread->last;
        if (has_events)
            extend(clock, spur_clock_line_at(&p->line, thread->first),
                   spur_clock_line_at(&p->line, thread->last));
    }
}

/* From here on a bent clock is a straight clock: the end of the clock tells the rate. */
static void straighten(struct clocks *c)
{
    for (uint64_t i = 0; i < c->n; i++) {
        struct clock *clock = &c->clock[i];
        struct finish_bend *bend = &clock->bend;
        bend->origin = (struct spur_clock_pair){clock->first.ticks, clock->first.monotonic};
        if (bend->is_there)
            clock->last.ticks =
                clock->first.ticks +
                (uint64_t)(bend->rate * (double)(clock->last.monotonic - clock->first.monotonic));
    }
    for (uint64_t i = 0; i < c->f->n_processes; i++) {
        struct finish_process *p = c->f->process[i];
        if (p->state == FINISH_MISSING)
            continue;
        struct clock *clock = clock_of(c, p->head.clock_id);
        finish_bend_straighten(&c->f->bent, &clock->bend, p);
        extend_by(clock, p);
    }
}

static double per_second(const struct clock *clock)
{
    const struct spur_moment *first = &clock->first, *last = &clock->last;
    if (!clock->is_counter)
        return second;
    return last->ticks > first->ticks && last->monotonic > first->monotonic
               ? second * (double)(last->ticks - first->ticks) /
                     (double)(last->monotonic - first->monotonic)
               : 0;
}

/* In the order of the clocks. */
static void add_clock(struct clocks *c, const struct finish_process *p)
{
    if (p->state == FINISH_MISSING)
        return;
    if (c->n == 0 || c->clock[c->n - 1].id != p->head.clock_id)
        c->clock[c->n++] = (struct clock){.id = p->head.clock_id,
                                          .is_counter = p->head.clock != SPUR_CLOCK_MONOTONIC,
                                          .kind = (enum spur_clock_kind)p->head.clock,
                                          .origin = p->head.first,
                                          .first.ticks = UINT64_MAX,
                                          .begin = UINT64_MAX};
    note_rate(&c->clock[c->n - 1], &p->head);
}

static void reach(const struct clocks *c, struct finish_process *p)
{
    if (p->state == FINISH_MISSING)
        return;
    struct clock *clock = clock_of(c, p->head.clock_id);
    unite(clock, &p->head);
    widen(c->f, clock, p);
    if (p->head.watch.worst > clock->worst_ns)
        clock->worst_ns = p->head.watch.worst;
}

static int find_clocks(struct clocks *c)
{
    struct finish *f = c->f;
    uint64_t *order = spur_mem_new((f->n_processes + 1) * sizeof *order);
    c->room = f->n_processes + 1;
    c->clock = spur_mem_new(c->room * sizeof *c->clock);
    const bool has_room = order && c->clock;
    for (uint64_t i = 0; has_room && i < f->n_processes; i++)
        order[i] = i;
    if (has_room)
        finish_sort(order, f->n_processes, less_clock, f->process);
    for (uint64_t i = 0; has_room && i < f->n_processes; i++)
        add_clock(c, f->process[order[i]]);
    for (uint64_t i = 0; has_room && i < f->n_processes; i++)
        reach(c, f->process[order[i]]);
    if (has_room)
        straighten(c);
    for (uint64_t i = 0; has_room && i < c->n; i++)
        c->clock[i].per_second = per_second(&c->clock[i]);
    spur_mem_free(order, (f->n_processes + 1) * sizeof *order);
    return has_room ? 0 : -ENOMEM;
}

/* ---- the places of the clocks ---- */

/* Ticks of the reference per tick of a clock, by all knowledge of both clocks. */
static double rate_of(const struct clocks *c, const struct clock *clock)
{
    double to = c->reference->per_second, from = clock->per_second;
    return to > 0 && from > 0 ? to / from : 1;
}

static void place(const struct clocks *c, struct clock *clock,
                  const struct spur_clock_point *points, uint32_t n)
{
    spur_clock_line_fit(&clock->line, points, n, rate_of(c, clock), clock->begin, clock->end);
    clock->is_placed = true;
}

/* The straight clock at the moment `ticks`, by the line of a process that reads the clock. */
static uint64_t straight(const struct clock *clock, const struct finish_process *p, uint64_t ticks)
{
    const struct finish_process *of = p ? p : clock->bend.process;
    return clock->bend.is_there && of ? spur_clock_line_at(&of->line, ticks) : ticks;
}

/*
 * Readings of a process place the clock of the process if the compared clock is placed already, or
 * the other way round.
 */
static bool use_readings(const struct clocks *c, const struct finish_process *p)
{
    struct spur_clock_point point[FINISH_READINGS];
    struct clock *own = clock_of(c, p->head.clock_id);
    struct clock *other = p->n_readings ? clock_of(c, p->reading[0].clock) : NULL;
    if (!own || !other || own->is_placed == other->is_placed)
        return false;
    struct clock *known = own->is_placed ? own : other, *sought = own->is_placed ? other : own;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_readings; i++) {
        const struct spur_clock_reading *at = &p->reading[i].at;
        if (p->reading[i].clock != other->id)
            continue;
        uint64_t here = straight(own, p, at->own), there = straight(other, NULL, at->other);
        point[n++] = (struct spur_clock_point){sought == own ? here : there,
                                               spur_clock_line_at(&known->line,
                                                                  sought == own ? there : here),
                                               (double)at->round_trip * rate_of(c, own) +
                                                   spur_clock_line_error(&known->line)};
    }
    place(c, sought, point, n);
    return true;
}

/* The reference's ticks at a calendar time. */
static uint64_t at_calendar(const struct clock *reference, uint64_t ns)
{
    const struct spur_moment *at = &reference->first;
    double per_ns = (reference->per_second > 0 ? reference->per_second : second) / second;
    double ticks = ns >= at->realtime ? (double)(ns - at->realtime) * per_ns
                                      : -(double)(at->realtime - ns) * per_ns;
    return at->ticks + (uint64_t)(int64_t)ticks;
}

static void use_calendar(const struct clocks *c, struct clock *clock)
{
    const double error = calendar_error_ns * c->reference->per_second / second;
    const struct spur_clock_point point[] = {
        {clock->first.ticks, at_calendar(c->reference, clock->first.realtime), error},
        {clock->last.ticks, at_calendar(c->reference, clock->last.realtime), error}};
    place(c, clock, point, 2);
}

static void place_all(const struct clocks *c)
{
    const struct finish *f = c->f;
    c->reference->is_placed = true;
    for (uint64_t next = 0; next < c->n;) {
        bool is_changed = true;
        while (is_changed) {
            is_changed = false;
            for (uint64_t i = 0; i < f->n_processes; i++)
                if (f->process[i]->n_readings)
                    is_changed |= use_readings(c, f->process[i]);
        }
        while (next < c->n && c->clock[next].is_placed)
            next++;
        if (next < c->n)
            use_calendar(c, &c->clock[next]);
    }
}

/* ---- the trace's time ---- */

/* Times of the trace have no sign, but the reference may be younger than records of other hosts. */
static void shift_above_zero(const struct clocks *c)
{
    int64_t least = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        int64_t begin = (int64_t)spur_clock_line_at(&c->clock[i].line, c->clock[i].begin);
        least = begin < least ? begin : least;
    }
    for (uint64_t i = 0; least < 0 && i < c->n; i++)
        spur_clock_line_shift(&c->clock[i].line, -(uint64_t)least, c->clock[i].begin,
                              c->clock[i].end);
}

static void span(const struct clocks *c, struct finish_time *time)
{
    uint64_t begin = UINT64_MAX, end = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        const struct clock *clock = &c->clock[i];
        uint64_t first = spur_clock_line_at(&clock->line, clock->begin);
        uint64_t last = spur_clock_line_at(&clock->line, clock->end);
        if (first < begin) {
            begin = first;
            time->realtime = clock->first.realtime;
        }
        end = last > end ? last : end;
    }
    time->begin = begin;
    time->length = end > begin ? end - begin : 0;
}

/*
 * From the times of a process to the times of the clock, and from there to the times of the
 * archive.
 */
static void compose(struct finish_process *p, const struct spur_clock_line *line)
{
    struct spur_clock_line *own = &p->line;
    if (!own->is_shifted)
        *own = *line;
    else
        for (uint32_t i = 0; i < own->n; i++) {
            uint64_t time = own->time[i] + (uint64_t)own->offset[i];
            own->offset[i] = (int64_t)(spur_clock_line_at(line, time) - own->time[i]);
            own->error[i] += spur_clock_line_error(line);
        }
}

/* ---- the words for a clock ---- */

static int name_clock(struct finish *f, struct clock *clock)
{
    static const char *const names[] = {
        [SPUR_CLOCK_MONOTONIC] = "CLOCK_MONOTONIC",
        [SPUR_CLOCK_TSC] = "TSC",
        [SPUR_CLOCK_CNTVCT] = "CNTVCT",
        [SPUR_CLOCK_TIME_CSR] = "time",
    };
    const double mega = 1e6, us = 1e3;
    char text[128];
    bool is_known = clock->kind < sizeof names / sizeof names[0];
    const char *name = is_known ? names[clock->kind] : "a clock that is not known";
    if (clock->is_counter)
        snprintf(text, sizeof text, "%s, %.6f MHz, at most %.1f us off CLOCK_MONOTONIC at once",
                 name, clock->per_second / mega, clock->worst_ns / us);
    else
        snprintf(text, sizeof text, "%s", name);
    clock->words = spur_unify_string(f->unify, text);
    return clock->words == OTF2_UNDEFINED_UINT32 ? -ENOMEM : 0;
}

static int name_clocks(const struct clocks *c)
{
    struct finish *f = c->f;
    f->clock_name = spur_unify_string(f->unify, SPUR_SAYS_CLOCK);
    int err = f->clock_name == OTF2_UNDEFINED_UINT32 ? -ENOMEM : 0;
    for (uint64_t i = 0; i < c->n && !err; i++)
        err = name_clock(f, &c->clock[i]);
    for (uint64_t i = 0; i < f->n_processes && !err; i++)
        if (f->process[i]->state != FINISH_MISSING)
            f->process[i]->clock_words = clock_of(c, f->process[i]->head.clock_id)->words;
    return err;
}

OTF2_ErrorCode finish_clock_property(const struct finish *f, const struct finish_process *p,
                                     OTF2_GlobalDefWriter *writer)
{
    const OTF2_AttributeValue value = {.stringRef = p->clock_words};
    return p->state == FINISH_MISSING
               ? OTF2_SUCCESS
               : OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer, p->location_group,
                                                                 f->clock_name, OTF2_TYPE_STRING,
                                                                 value);
}

int finish_clock(struct finish *f)
{
    struct clocks c = {.f = f};
    int err = find_clocks(&c);
    err = err ? err : name_clocks(&c);
    f->time = (struct finish_time){.ticks_per_second = (uint64_t)second,
                                   .realtime = OTF2_UNDEFINED_TIMESTAMP};
    /* A rank without files has no clock. */
    for (uint64_t i = 0; !err && i < f->n_processes && !c.reference; i++)
        if (f->process[i]->state != FINISH_MISSING)
            c.reference = clock_of(&c, f->process[i]->head.clock_id);
    if (c.reference) {
        place_all(&c);
        shift_above_zero(&c);
        span(&c, &f->time);
        if (c.reference->per_second >= 1)
            f->time.ticks_per_second = (uint64_t)(c.reference->per_second + 0.5);
    }
    for (uint64_t i = 0; c.reference && i < f->n_processes; i++)
        if (f->process[i]->state != FINISH_MISSING)
            compose(f->process[i], &clock_of(&c, f->process[i]->head.clock_id)->line);
    spur_mem_free(c.clock, c.room * sizeof *c.clock);
    return finish_blame(f, err, "out of memory");
}

OTF2_ErrorCode finish_clock_properties(const struct finish *f, OTF2_GlobalDefWriter *writer)
{
    const struct finish_time *time = &f->time;
    char text[FINISH_BENDS_BYTES];
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (finish_bends_say(f, text, sizeof text))
        error = OTF2_Archive_SetProperty(f->archive, SPUR_SAYS_CLOCK, text, true);
    return error ? error
                 : OTF2_GlobalDefWriter_WriteClockProperties(writer, time->ticks_per_second,
                                                             time->begin, time->length,
                                                             time->realtime);
}
