/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of teams of threads and of locks. */
#include "format/names.h"
#include "tools/report/show/report_sections.h"

/* ---- parallel regions ---- */

static const struct column columns_parallel[] = {
    {"region", "parallel region", UNIT_TEXT, EVERYWHERE, "the region in which threads were forked"},
    {"calls", "calls", UNIT_COUNT, EVERYWHERE, "forks"},
    {"threads", "threads", UNIT_NUMBER, EVERYWHERE, "mean number of threads of a team"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE, "seconds from fork to join"},
    {"room", "", UNIT_SECONDS, DATA_ONLY, "seconds from fork to join of all threads of the teams"},
    {"busy", "busy", UNIT_SECONDS, EVERYWHERE,
     "seconds that threads were in the team and did not wait in barriers or for locks"},
    {"efficiency_percent", "busy %", UNIT_PERCENT, EVERYWHERE, "`busy` in percent of `room`"},
    {"barriers", "in barriers", UNIT_SECONDS, EVERYWHERE,
     "seconds that threads wait in barriers, including the last one and those of teams within"},
    {"lock_waiting", "for locks", UNIT_SECONDS, UNLESS_ZERO,
     "seconds that threads wait for locks, including critical sections"},
    {"uneven", "uneven", UNIT_SECONDS, EVERYWHERE,
     "seconds that the other threads idle while the busiest thread works"},
};

static void fill_parallel(struct report *r, struct table *t)
{
    for (size_t i = 0; i < r->teams.regions.n; i++) {
        const struct parallel *p = &r->teams.regions.at[i];
        ROW(t, defs_region_name(&r->defs, p->region), p->calls,
            (double)p->threads / (double)p->calls, p->ticks, p->room, p->busy,
            percent_of(p->busy, p->room), p->in_barriers, p->in_locks, p->uneven);
    }
}

SECTION(parallel, "openmp", "Parallel regions", "teams of threads: how busy they are",
        .sort = "time")

/* ---- locks ---- */

static const struct column columns_locks[] = {
    {"process", "process", UNIT_TEXT, UNLESS_SAME, "process of the lock"},
    {"lock", "lock", UNIT_ID, EVERYWHERE, "id of the lock in the process"},
    {"name", "name", UNIT_TEXT, UNLESS_ZERO, "name of the variable; empty: not known"},
    {"paradigm", "", UNIT_TEXT, DATA_ONLY, "PTHREAD, OPENMP, ..."},
    {"call", "taken by", UNIT_TEXT, EVERYWHERE, "region of its first acquisition"},
    {"site", "first at", UNIT_TEXT, UNLESS_SAME,
     "where the program makes that call, as in the table `sites`; empty: not known"},
    {"acquisitions", "taken", UNIT_COUNT, EVERYWHERE, "number of recorded acquisitions"},
    {"counted", "counted", UNIT_COUNT, UNLESS_ZERO,
     "acquisitions that were counted and not recorded, as nobody waited for the lock"},
    {"signals", "", UNIT_COUNT, DATA_ONLY,
     "the same of signals of a condition and posts of a semaphore"},
    {"counting_threads", "by threads", UNIT_COUNT, UNLESS_ZERO,
     "number of threads with such acquisitions or signals"},
    {"kind", "", UNIT_TEXT, DATA_ONLY,
     "what has such acquisitions or signals: lock, semaphore, condition; empty: nothing"},
    {"contended", "contended", UNIT_COUNT, EVERYWHERE,
     "number of acquisitions that waited for another thread"},
    {"waiting", "waiting", UNIT_SECONDS, EVERYWHERE, "seconds of waiting"},
    {"longest", "longest", UNIT_SECONDS, EVERYWHERE, "longest such wait"},
    {"held", "held", UNIT_SECONDS, EVERYWHERE, "seconds that threads held the lock after these"},
    {"longest_held", "longest", UNIT_SECONDS, EVERYWHERE,
     "longest time that a thread held the lock"},
    {"conditions", "", UNIT_COUNT, DATA_ONLY,
     "how often the lock was released to wait for a condition"},
    {"waiters", "", UNIT_COUNT, DATA_ONLY, "number of threads that waited for another thread"},
    {"holder", "mainly for", UNIT_TEXT, UNLESS_ZERO,
     "thread that holds the lock during half of the waiting or more; empty: none, or not known"},
    {"holder_site", "", UNIT_TEXT, DATA_ONLY,
     "where it takes the lock, or all threads do that hold it during half of the waiting"},
    {"holder_held", "", UNIT_SECONDS, DATA_ONLY, "seconds that it holds the lock from there"},
    {"holder_waiting", "", UNIT_SECONDS, DATA_ONLY, "seconds that others wait meanwhile"},
    {"holder_call", "", UNIT_TEXT, DATA_ONLY,
     "call that takes half of `holder_held` or more, and where it is made; empty: none"},
};

static void put_holder(struct report *r, const struct lock *lock, struct table *t)
{
    const struct lock_holder *holder = &lock->holder;
    bool is_one = holder->blocked && holder->location != NIL;
    ROW(t, lock->conditions, lock->waiters, holders_name(r, lock),
        holder->blocked ? defs_site_name(&r->defs, holder->site) : "", holder->held,
        holder->blocked, is_one ? holders_call(r, holder) : "");
}

static void fill_locks(struct report *r, struct table *t)
{
    for (size_t i = 0; i < r->locks.all.n; i++) {
        const struct lock *lock = &r->locks.all.at[i];
        const char *paradigm = otf2_enum_name(OTF2_ENUM_Paradigm, lock->model);
        bool has_time = r->sums.processes.at[lock->process].n_threads;
        if ((!lock->acquisitions && !(lock->kind && has_time)) ||
            (t->wish->is_brief && !lock->contended))
            continue;
        ROW(t, defs_process_name(&r->defs, lock->process), lock->id,
            defs_lock_name(&r->defs, lock->process, lock->id), paradigm ? paradigm : "",
            lock->region < REGIONS_OWN || lock->region == NIL
                ? ""
                : defs_region_name(&r->defs, lock->region),
            defs_site_name(&r->defs, lock->site), lock->acquisitions, lock->counted, lock->signals,
            lock->counters, lock->kind ? lock->kind : "", lock->contended, lock->waited,
            place_ticks(&lock->longest), lock->held, lock->longest_held);
        put_holder(r, lock, t);
    }
}

static bool has_contention(const struct report *r)
{
    return r->sums.waits[WAIT_LOCK] != 0;
}

SECTION(locks, "locks", "Locks", "how long threads wait for each lock and hold it",
        .sort = "waiting", .is_of_interest = has_contention)
