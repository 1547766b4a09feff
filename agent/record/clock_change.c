/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TSC that was good at the start may be lost: the program forbids a thread to read the TSC, or
 * the TSC goes back when the machine, or the virtual machine, is resumed or moved. From then on all
 * threads of the process read the system's clock, in ticks of the same rate. So the times of the
 * process stay comparable with each other, and with the times of other processes as closely as the
 * rate was measured.
 */
#include <errno.h>
#include <time.h>

#include "agent/definitions/definitions.h"
#include "agent/record/location.h"
#include "agent/segment/buffer.h"
#include "agent/spur_agent.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/state.h"
#include "base/own_stack.h"
#include "session/properties.h"

/* ---- watching the TSC ---- */

/* The closest pair of a few tries; false: something always came in between. */
static bool read_pair(struct spur_clock_pair *pair)
{
    enum { TRIES = 3, CLOSE = 1 << 13 };
    uint64_t least = CLOSE;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = spur_clock_now();
        uint64_t monotonic = spur_clock_monotonic();
        uint64_t took = spur_clock_now() - before;
        if (took >= least)
            continue;
        least = took;
        *pair = (struct spur_clock_pair){before + took / 2, monotonic};
    }
    return least < CLOSE;
}

/* When anybody has recorded last before that, or `last`. */
static uint64_t last_before(uint64_t limit, uint64_t last)
{
    if (spur_locks_held)
        return last; /* in a signal handler */
    spur_lock_take(&spur_locations.lock);
    for (struct spur_loc *loc = spur_locations.first; loc; loc = loc->next) {
        uint64_t then = __atomic_load_n(&loc->now, __ATOMIC_RELAXED);
        if (loc->type == OTF2_LOCATION_TYPE_CPU_THREAD && then > last && then < limit)
            last = then;
    }
    spur_lock_give(&spur_locations.lock);
    return last;
}

static bool is_before(uint64_t now, uint64_t newest)
{
    return now + SPUR_CLOCK_STEP < newest;
}

static void change(struct spur_loc *loc, uint64_t newest);

/* Not inlined: its numbers would lie on the caller's stack while the system's clock is read. */
static __attribute__((noinline)) uint64_t look_at(const struct spur_clock_pair *pair, uint64_t now,
                                                  uint64_t quiet_since)
{
    struct spur_clock_watch *watch = &spur_buffer_segment()->watch;
    uint64_t newest = 0;
    double ahead = spur_clock_watch_off(watch, pair, &newest);
    if (ahead > 0 && quiet_since)
        quiet_since = last_before(pair->ticks - (uint64_t)ahead, quiet_since);
    if (ahead < -SPUR_CLOCK_STEP)
        newest = last_before(UINT64_MAX, newest);
    /* Events that are recorded by this clock would have times that others have already. */
    if (ahead < -SPUR_CLOCK_STEP && is_before(spur_clock_now(), newest)) {
        change(spur_self.loc, newest);
        return spur_clock_now();
    }
    spur_clock_watch_add(watch, *pair, quiet_since);
    return now;
}

uint64_t spur_clock_look(uint64_t now, uint64_t quiet_since)
{
    struct spur_clock_pair pair;
    bool is_own = spur_state_now() != SPUR_CHILD; /* a child has its parent's segment still */
    if (!spur_buffer_segment() || !is_own || !spur_clock_is_tsc || !read_pair(&pair))
        return now;
    return look_at(&pair, now, quiet_since);
}

/* ---- the loss of the TSC ---- */

/*
 * A moment is known to about 20 ns: over this time the error of the rate is a few parts in a
 * million.
 */
enum { WATCH_NS = 10000000 };

static const char *what_changed;

static double rate_between(const struct spur_moment *a, const struct spur_moment *b)
{
    if (b->ticks <= a->ticks || b->monotonic <= a->monotonic)
        return 0;
    return (double)(b->ticks - a->ticks) / (double)(b->monotonic - a->monotonic);
}

static struct spur_moment moment_after(const struct spur_moment *start)
{
    const struct timespec nap = {0, WATCH_NS / 4};
    struct spur_moment now = spur_clock_moment();
    while (now.monotonic - start->monotonic < WATCH_NS) {
        syscall(SYS_nanosleep, &nap, NULL);
        now = spur_clock_moment();
    }
    return now;
}

/* The TSC's earlier rate, if known: an interval that holds a step gives a wild rate. */
static double rate_before(double rate_now)
{
    const double most = 1e-3;
    const struct spur_segment *segment = spur_buffer_segment();
    double rate = segment && segment->last.monotonic - segment->first.monotonic >= WATCH_NS
                      ? rate_between(&segment->first, &segment->last)
                      : 0;
    return rate > rate_now * (1 - most) && rate < rate_now * (1 + most) ? rate : rate_now;
}

/* The last line of the TSC, if the TSC's rate is known. */
static void last_line(struct spur_clock_instead *instead, bool has_gone_back)
{
    enum { TRIES = 100 }; /* who is there may be the thread that this handler interrupts */
    const struct timespec nap = {0, WATCH_NS / TRIES};
    struct spur_segment *segment = spur_buffer_segment();
    struct spur_clock_pair pair;
    double rate = 0;
    if (!segment || !(has_gone_back || segment->watch.bends))
        return;
    for (int i = 0; i < TRIES && !spur_clock_watch_line(&segment->watch, &pair, &rate); i++)
        syscall(SYS_nanosleep, &nap, NULL);
    if (rate > 0)
        *instead = (struct spur_clock_instead){pair.ticks, pair.monotonic, rate};
}

/* Every record asks its gate before it reads the TSC. `newest`: the latest time of a record. */
static void leave_tsc(uint64_t newest, const char *what)
{
    const struct spur_moment start = spur_process.start;
    struct spur_moment before = spur_clock_moment();
    bool has_gone_back = is_before(before.ticks, newest) || before.ticks < start.ticks;
    struct spur_moment now = moment_after(has_gone_back ? &before : &start);
    struct spur_clock_instead instead = {now.ticks, now.monotonic, rate_between(&start, &now)};
    if (has_gone_back)
        instead = (struct spur_clock_instead){start.ticks, start.monotonic,
                                              rate_before(rate_between(&before, &now))};
    last_line(&instead, has_gone_back);
    if (!spur_clock_put_instead(&instead))
        return;
    spur_clock_is_tsc = false;
    what_changed = what;
}

/* Tells threads that have a location already about the change of the clock. */
static void tell_locations(struct spur_loc *own)
{
    if (own)
        atomic_fetch_or(&own->gate, SPUR_GATE_CALLED);
    if (spur_locks_held)
        return; /* in a signal handler: the threads find out at their next read of the clock */
    spur_lock_take(&spur_locations.lock);
    for (struct spur_loc *loc = spur_locations.first; loc; loc = loc->next)
        atomic_fetch_or(&loc->gate, SPUR_GATE_CALLED);
    spur_lock_give(&spur_locations.lock);
}

void spur_clock_forbid(void)
{
    const struct timespec nap = {0, WATCH_NS / 4};
    int saved = errno;
    if (spur_state_now() == SPUR_UNBORN)
        return;         /* the agent starts later, and checks then */
    spur_quiet_begin(); /* no handler comes between, and waits for the interrupted code */
    if (spur_state_now() == SPUR_CHILD)
        spur_clock_after_fork();
    if (spur_clock_is_tsc)
        leave_tsc(spur_self.loc ? spur_self.loc->now : 0,
                  "read by system calls: the processor's was forbidden (PR_SET_TSC)");
    while (spur_clock_is_tsc) /* another thread is about to store the same */
        syscall(SYS_nanosleep, &nap, NULL);
    spur_clock_is_banned = true;
    tell_locations(spur_self.loc);
    spur_quiet_end();
    errno = saved;
}

static void change_here(struct spur_loc *loc, uint64_t newest)
{
    int saved = errno;
    leave_tsc(newest, "the system's: the processor's has gone back");
    tell_locations(loc);
    spur_say("the processor's clock has gone back (was the machine resumed or moved?): recording "
             "continues with the system's clock");
    errno = saved;
}
SPUR_DOOR_VOID(change, (struct spur_loc *, loc), (uint64_t, newest))

uint64_t spur_clock_went_back(struct spur_loc *loc, uint64_t now)
{
    /* A signal handler may have recorded since the clock was read. */
    if (spur_clock_is_tsc && is_before(now, loc->now) && is_before(spur_clock_now(), loc->now))
        change(loc, loc->now);
    return spur_clock_now();
}

void spur_clock_tell(void)
{
    if (what_changed)
        spur_def_property(SPUR_PROPERTY_CLOCK, what_changed);
}
