/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_found.h"

#include "tools/report/read/report_read.h"
#include "tools/report/topics/report.h"

_Static_assert(FOUND_NONE == ACCESS_NOWHERE && FOUND_NONE == OTF2_UNDEFINED_UINT64, "all say none");

static void choose(struct report *r, const void *user)
{
    const struct found_wish *wish = user;
    size_t n = r->defs.locations.n;
    r->is_selected = take_memory((n + 1) * sizeof *r->is_selected);
    for (size_t i = 0; i < n; i++)
        r->is_selected[i] = wish->is_chosen[i];
}

static uint64_t location_of(const struct report *r, uint32_t location)
{
    return r->defs.locations.at[location].id;
}

static void tell_wait(const struct report *r, const struct single_wait *w)
{
    static const char *const names[WAITS] = {[WAIT_SENDER] = "late sender",
                                             [WAIT_RECEIVER] = "late receiver",
                                             [WAIT_COLLECTIVE] = "collective"};
    const struct found_wish *wish = r->listener_user;
    uint32_t region = r->profile.nodes.at[w->node].region;
    struct found_wait found = {location_of(r, w->location),
                               r->defs.processes.at[w->other].id,
                               region < REGIONS_OWN ? FOUND_NONE : r->defs.regions.at[region].id,
                               names[w->why],
                               w->begin,
                               w->end};
    wish->wait(wish->user, &found);
}

static void tell_access(const struct report *r, const struct single_access *a)
{
    const struct found_wish *wish = r->listener_user;
    struct found_access found = {location_of(r, a->location),
                                 a->call,
                                 a->handle,
                                 a->kind,
                                 a->is_below,
                                 a->asked,
                                 a->bytes,
                                 a->place,
                                 a->begin,
                                 a->end};
    wish->access(wish->user, &found);
}

static void tell_thread_wait(const struct report *r, const struct single_thread_wait *w)
{
    const struct found_wish *wish = r->listener_user;
    struct found_thread_wait found = {
        .location = location_of(r, w->location),
        .call = w->call,
        .team = w->comm == NIL ? FOUND_NONE : r->defs.comms.at[w->comm].id,
        .lock = FOUND_NONE,
        .holder = w->holder == NIL ? FOUND_NONE : location_of(r, w->holder),
        .begin = w->begin,
        .end = w->end,
        .ticks = w->ticks,
    };
    if (w->lock != NIL) {
        const struct lock *lock = &r->locks.all.at[w->lock];
        found.lock = lock->id;
        found.name = defs_lock_name(&r->defs, lock->process, lock->id);
        found.paradigm = lock->model;
    }
    wish->thread_wait(wish->user, &found);
}

static void tell_memory(const struct report *r, const struct single_memory *m)
{
    const struct found_wish *wish = r->listener_user;
    struct found_memory found = {location_of(r, m->location),
                                 m->time,
                                 m->values[HELD],
                                 m->values[HELD_PEAK],
                                 m->values[MAPPED],
                                 m->values[MAPPED_PEAK],
                                 m->is_taken   ? "TAKEN"
                                 : m->is_given ? "GIVEN"
                                               : "",
                                 m->bytes,
                                 m->site};
    wish->memory(wish->user, &found);
}

void found_read(const struct found_wish *wish)
{
    static const struct report_listener listener = {.wait = tell_wait,
                                                    .access = tell_access,
                                                    .thread_wait = tell_thread_wait,
                                                    .memory = tell_memory};
    struct found_wish copy = *wish;
    struct report *r = take_memory(sizeof *r);
    r->listener = &listener;
    r->listener_user = &copy;
    report_read(r, wish->path,
                &(struct report_how){.has_no_causes = true,
                                     .is_alone = true,
                                     .from = wish->from,
                                     .to = wish->to,
                                     .choose = choose,
                                     .user = wish});
    /* What it has of the rest goes with the process. */
}
