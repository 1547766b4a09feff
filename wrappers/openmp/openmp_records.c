/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/openmp/openmp_records.h"

#include <stdio.h>
#include <string.h>

#include "wrappers/openmp/gomp_library.h"
#include "wrappers/openmp/openmp_thread.h"

struct spur_construct openmp_constructs[OPENMP_FIRST_NUMBERED + OPENMP_NUMBERED] = {
#define CONSTRUCT(NAME, text, ROLE)                                                                \
    [OPENMP_##                                                                                     \
        NAME] = {.name = text, .role = OTF2_REGION_ROLE_##ROLE, .paradigm = OTF2_PARADIGM_OPENMP},
#include "wrappers/openmp/openmp_constructs.def"
#undef CONSTRUCT
};

/* ---- constructs ---- */

/* Apart: what it takes of the caller's stack is not taken while the region is recorded. */
static __attribute__((noinline, cold)) bool grow(struct openmp_thread *thread)
{
    enum { FIRST_ROOM = 32 };
    uint32_t room = thread->open_room ? 2 * thread->open_room : FIRST_ROOM;
    struct openmp_open *open = spur_mem_new(room * sizeof *open);
    if (!open)
        return false;
    if (thread->open) {
        memcpy(open, thread->open, thread->n_open * sizeof *open);
        spur_mem_free(thread->open, thread->open_room * sizeof *open);
    }
    thread->open = open;
    thread->open_room = room;
    return true;
}

static bool has_open_room(struct openmp_thread *thread)
{
    return thread->n_open < thread->open_room || grow(thread);
}

bool openmp_push(const struct openmp_here *here, enum openmp_kind kind, const void *address)
{
    struct openmp_thread *thread = here->thread;
    if (!has_open_room(thread))
        return false;
    struct openmp_open *open = &thread->open[thread->n_open++];
    open->kind = (uint8_t)kind;
    open->address = address;
    open->is_held = false;
    open->mark = here->loc ? spur_open_region(here->loc,
                                              spur_def_region_at(&openmp_constructs[kind], address))
                           : SPUR_NOT_OPEN;
    return open->mark != SPUR_NOT_OPEN;
}

void openmp_pop_to(const struct openmp_here *here, uint32_t n)
{
    struct openmp_thread *thread = here->thread;
    if (n >= thread->n_open)
        return;
    uint32_t mark = SPUR_NOT_OPEN;
    for (uint32_t i = n; i < thread->n_open && mark == SPUR_NOT_OPEN; i++)
        mark = thread->open[i].mark; /* those further in have higher ones */
    thread->n_open = n;
    if (here->loc)
        spur_close(here->loc, mark);
}

uint32_t openmp_find(const struct openmp_thread *thread, enum openmp_kind kind)
{
    for (uint32_t i = thread->n_open; i > thread->task->base; i--)
        if (thread->open[i - 1].kind == kind)
            return i - 1;
    return UINT32_MAX;
}

void openmp_enter(enum openmp_kind kind, const void *address)
{
    openmp_excludes(kind, address, NULL);
}

void openmp_excludes(enum openmp_kind kind, const void *address, const void *lock)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_BEGINS))
        return;
    if (openmp_push(&here, kind, address ? address : here.thread->task->address) && lock)
        spur_waits_lock(here.loc, lock);
    openmp_here_end(&here);
}

/* The lock of the construct number `at`, if it is held. */
static void release(const struct openmp_here *here, uint32_t at)
{
    struct openmp_open *open = at == UINT32_MAX ? NULL : &here->thread->open[at];
    if (!open || !open->is_held)
        return;
    open->is_held = false;
    if (!here->loc) {
        spur_lock_lost(&open->hold);
        return;
    }
    spur_put_ThreadReleaseLock(here->loc, OTF2_PARADIGM_OPENMP, open->hold.id, open->hold.order);
    spur_lock_released(here->loc, &open->hold);
}

void openmp_leave(enum openmp_kind kind)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_ENDS))
        return;
    uint32_t at = openmp_find(here.thread, kind);
    release(&here, at);
    openmp_pop_to(&here, at);
    openmp_here_end(&here);
}

bool openmp_is_in(enum openmp_kind kind)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_NOTHING))
        return false;
    const struct openmp_thread *thread = here.thread;
    bool is_in =
        thread->n_open > thread->task->base && thread->open[thread->n_open - 1].kind == kind;
    openmp_here_end(&here);
    return is_in;
}

const void *openmp_place_of(enum openmp_kind kind)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_NOTHING))
        return NULL;
    uint32_t at = openmp_find(here.thread, kind);
    const void *address = at == UINT32_MAX ? NULL : here.thread->open[at].address;
    openmp_here_end(&here);
    return address;
}

/* ---- locks ---- */

void openmp_acquired(enum openmp_kind kind, const void *lock)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_ENDS))
        return;
    uint32_t at = openmp_find(here.thread, kind);
    if (here.loc && at != UINT32_MAX && here.thread->open[at].mark != SPUR_NOT_OPEN) {
        struct openmp_open *open = &here.thread->open[at];
        spur_waits_over(here.loc);
        open->hold = spur_lock_acquired(here.loc, lock);
        open->is_held = true;
        spur_put_ThreadAcquireLock(here.loc, OTF2_PARADIGM_OPENMP, open->hold.id, open->hold.order);
    }
    openmp_here_end(&here);
}

const void *openmp_team_lock(void)
{
    struct openmp_here here;
    const void *lock = NULL;
    if (openmp_here_begin(&here, OPENMP_NOTHING)) {
        lock = here.thread->task->team;
        openmp_here_end(&here);
    }
    return lock;
}

/* ---- parallel regions ---- */

/* How names of threads begin that this thread forks, as number `creator` of its own team. */
static const char *path_of(const struct openmp_task *task, char *room, size_t size)
{
    enum { DIGITS = 10 };
    if (!task->team)
        return "";
    char digits[DIGITS], *end = room + strnlen(task->team->path, size - DIGITS - 2);
    unsigned n = 0;
    memcpy(room, task->team->path, (size_t)(end - room));
    for (uint32_t left = task->creator; left || !n; left /= 10)
        digits[n++] = (char)('0' + left % 10);
    while (n)
        *end++ = digits[--n];
    *end++ = '.';
    *end = '\0';
    return room;
}

/* Not inlined: all this would lie on the caller's stack while the region is entered. */
static __attribute__((noinline)) void fork_team(struct openmp_parallel *parallel,
                                                const struct openmp_here *here, uint32_t requested,
                                                bool is_open)
{
    if (__builtin_expect(gomp_is_another, 0))
        gomp_note_another();
    char path[OPENMP_PATH_BYTES] = "";
    const struct openmp_task *task = here->thread->task;
    bool is_first = task == &here->thread->own;
    OTF2_CommRef parent = is_first || !task->team ? OTF2_UNDEFINED_COMM : task->team->comm;
    const char *names = is_first ? path : path_of(task, path, sizeof path);
    parallel->team = openmp_team_find(here, parent, requested, names);
    if (is_open)
        spur_open_fork(here->loc, OTF2_PARADIGM_OPENMP, requested);
}

static void begin(struct openmp_parallel *parallel, enum openmp_kind kind, const void *address,
                  uint32_t requested)
{
    struct openmp_here here;
    *parallel = (struct openmp_parallel){.address = address,
                                         .kind = (uint8_t)kind,
                                         .is_hidden = spur_inside()};
    if (!openmp_here_begin(&here, OPENMP_BEGINS))
        return;
    if (!address)
        address = parallel->address = here.thread->task->address;
    bool is_open = openmp_push(&here, kind, address);
    if (here.loc)
        fork_team(parallel, &here, requested, is_open);
    openmp_here_end(&here);
}

void openmp_parallel_begin(struct openmp_parallel *parallel, const void *address,
                           uint32_t requested)
{
    begin(parallel, OPENMP_PARALLEL, address, requested);
}

void openmp_league_begin(struct openmp_parallel *league, const void *address, uint32_t requested)
{
    begin(league, OPENMP_TEAMS, address, requested);
}

void openmp_parallel_end(struct openmp_parallel *parallel)
{
    struct openmp_here here;
    if (parallel->is_hidden || !openmp_here_begin(&here, OPENMP_ENDS))
        return;
    openmp_pop_to(&here, openmp_find(here.thread, parallel->kind));
    openmp_here_end(&here);
}
