/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/read/report_read.h"
#include "tools/base/event_callbacks.h"

#include <math.h>
#include <string.h>

#include "session/properties.h"
#include "tools/base/archive.h"
#include "tools/base/archive_path.h"
#include "tools/base/fail.h"
#include "tools/base/quantity.h"
#include "tools/report/causes/causes_replay.h"
#include "tools/report/read/report_pass.h"
#include "tools/report/topics/report.h"
#include "tools/report/topics/report_stacks.h"

/* ---- every event counts ---- */

/*
 * A location lasts from its first event to its last, whatever these are. Parts that want to know
 * more of an event set a callback of their own behind this one.
 */
#define IGNORED(Row, kind, name) , otf2_t_##kind name __attribute__((unused))
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static OTF2_CallbackCode on_##Name(MERGED_EVENT OTF2_SEQ(IGNORED, OTF2_##Name, __VA_ARGS__))   \
    {                                                                                              \
        profile_at(user, location, &time);                                                         \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
#include <otf2/otf2_events.def>
#undef EVENT

static OTF2_CallbackCode on_unknown(MERGED_EVENT)
{
    profile_at(user, location, &time);
    return OTF2_CALLBACK_SUCCESS;
}

/* NOLINTNEXTLINE(readability-function-size): a statement is a row of the table */
static void register_all(OTF2_GlobalEvtReaderCallbacks *c)
{
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, on_##Name);
#include <otf2/otf2_events.def>
#undef EVENT
}

static OTF2_GlobalEvtReaderCallbacks *event_callbacks(void)
{
    static void (*const parts[])(OTF2_GlobalEvtReaderCallbacks *) = {
        profile_register, messages_register, collectives_register, rma_register,
        teams_register,   locks_register,    metrics_register,     files_register,
        stacks_register,  gaps_register,     stands_register,
    };
    OTF2_GlobalEvtReaderCallbacks *c = there(OTF2_GlobalEvtReaderCallbacks_New());
    register_all(c);
    OTF2_GlobalEvtReaderCallbacks_SetUnknownCallback(c, on_unknown);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        parts[i](c);
    return c;
}

/* ---- the archive ---- */

enum { MIB = 20 };

/* What spur says of a run that did not end in order. */
static void add_remarks(struct report *r, const struct archive *a)
{
    static const struct {
        const char *property;
        const char *text;
    } known[] = {
        {SPUR_SAYS_STOPPED_PROCESSES, "processes that stopped recording before their end"},
        {SPUR_SAYS_DEAD_PROCESSES, "processes that died; the archive has their events up to then"},
        {SPUR_SAYS_MISSING_RANKS, "ranks that left nothing"},
        {SPUR_SAYS_MISSING_SPAWNED, "spawned processes that left nothing"},
        {SPUR_SAYS_SYNTHESISED_EVENTS, "events that spur added to close open regions"},
    };
    const char *clock = archive_property(a, SPUR_SAYS_CLOCK);
    if (clock)
        *LIST_ADD(&r->remarks) = make_text("%s", clock);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *value = archive_property(a, known[i].property);
        if (value)
            *LIST_ADD(&r->remarks) = make_text("%s: %s", known[i].text, value);
    }
}

static void read_alone(struct report *r, struct archive *a,
                       const OTF2_GlobalEvtReaderCallbacks *callbacks)
{
    archive_read(a, callbacks, r);
    r->trouble = a->trouble;
    r->n_events = a->n_events;
    r->notes.is_at_end = true;
    metrics_finish(r);
    memory_sites_finish(r);
    profile_close(r);
    stands_close(r);
    matching_finish(r);
    matching_account(r);
    collectives_close(r);
    holders_close(r);
    replay_run(r);
}

static uint64_t ticks_at(const struct report *r, double seconds)
{
    uint64_t ticks = quantity_whole(round(seconds * (double)r->defs.clock.ticks_per_second));
    uint64_t start = r->defs.clock.start;
    return ticks < UINT64_MAX - start ? start + ticks : UINT64_MAX;
}

static void set_window(struct report *r, const struct report_how *how)
{
    r->has_window = how->from > 0.0 || how->to > 0.0;
    if (!r->has_window)
        return;
    defs_need_time(how->from, defs_seconds(&r->defs, r->defs.clock.length));
    r->from = how->from > 0.0 ? ticks_at(r, how->from) : 0;
    r->to = how->to > 0.0 ? ticks_at(r, how->to) : UINT64_MAX;
    *LIST_ADD(&r->remarks) =
        isfinite(how->to) && how->to > 0.0
            ? make_text("Only the time from %.6g s to %.6g s counts (--time).", how->from, how->to)
            : make_text("Only the time from %.6g s on counts (--time).", how->from);
}

void report_read(struct report *r, const char *path, const struct report_how *how)
{
    struct archive a;
    archive_open(&a, path, &r->defs);
    if (!how->is_alone)
        engine_ask_threads(how->workers);
    if (!how->is_alone && engine_has_ranks())
        engine_same(a.path, archive_digest(a.path));
    a.has_progress = how->has_progress;
    r->path = a.path;
    (void)OTF2_Reader_GetFileSubstrate(a.reader, &r->substrate);
    r->machine = archive_text(&a, OTF2_Reader_GetMachineName);
    r->creator = archive_text(&a, OTF2_Reader_GetCreator);
    add_remarks(r, &a);
    missing_make(r);
    gaps_make(r, a.reader);
    tracks_make(r);
    how->choose(r, how->user);
    set_window(r, how);
    bool has_no_causes = how->has_no_causes || r->has_window;
    r->tracks.is_over = has_no_causes;
    r->tracks.is_brief = how->has_no_iterations;
    if (!has_no_causes)
        r->tracks.budget = how->budget ? how->budget : (size_t)TRACKS_MIB << MIB;
    profile_init(r);
    OTF2_GlobalEvtReaderCallbacks *callbacks = event_callbacks();
    struct engine_how workers = {.workers = how->is_alone ? 1 : pass_workers(r, &a, how->workers),
                                 .goes_on = how->goes_on,
                                 .is_verbose = how->is_verbose};
    if (workers.workers == 1 || !pass_run(r, &a, callbacks, &workers))
        read_alone(r, &a, callbacks);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    archive_close(&a);
    locks_count(r);
    profile_finish(r);
    stands_finish(r);
    collectives_finish(r);
    devices_finish(&r->devices);
}
