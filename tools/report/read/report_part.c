/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/read/report_part.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tools/engine/common.h"

/* Any list. */
struct list {
    void *at;
    size_t n;
    size_t room;
};

static const struct kept {
    size_t offset; /* of the list in a struct part */
    size_t item;
} lists[] = {
#define LIST_OF(name)                                                                              \
    {                                                                                              \
        offsetof(struct part, name), sizeof *((struct part *)NULL)->name.at                        \
    }
    LIST_OF(lives),    LIST_OF(nodes),   LIST_OF(waits),       LIST_OF(away),
    LIST_OF(flushes),  LIST_OF(pairs),   LIST_OF(collectives), LIST_OF(shares),
    LIST_OF(counts),   LIST_OF(regions), LIST_OF(crews),       LIST_OF(locks),
    LIST_OF(files),    LIST_OF(gauges),  LIST_OF(standings),   LIST_OF(awaited),
    LIST_OF(for_whom), LIST_OF(texts),   LIST_OF(blames),      LIST_OF(stints),
    LIST_OF(callers),  LIST_OF(sizes),   LIST_OF(holdings),    LIST_OF(memory_sites),
    LIST_OF(accesses), LIST_OF(devices), LIST_OF(work),        LIST_OF(opens),
    LIST_OF(storms),
#undef LIST_OF
};

enum { LISTS = sizeof lists / sizeof lists[0], ALIGN = 8 };

static struct list *list_of(struct part *part, size_t i)
{
    return (struct list *)((char *)part + lists[i].offset);
}

/* ---- from a report ---- */

/* The list is the part's from now on. */
#define TAKE(from, to) memcpy((to), (from), sizeof *(to)), memset((from), 0, sizeof *(from))

static void take_lives(struct part *part, const struct report *r)
{
    for (uint32_t i = 0; i < r->defs.locations.n; i++) {
        const struct stream *s = &r->profile.streams[i];
        if (!s->stack.n)
            continue;
        struct part_life *life = LIST_ADD(&part->lives);
        life->location = i;
        life->has_forked = s->has_forked;
        life->has_worked = s->watch.has_worked;
        life->root = s->stack.at[0];
        life->first = s->first;
        life->last = s->last;
        life->off = s->off;
        life->samples = s->samples;
        life->period = s->period;
        life->mpi = s->mpi;
        life->in_teams = s->in_teams;
    }
}

static void take_counts(struct part *part, const struct report *r)
{
    struct map_entry entry;
    size_t at = 0;
    if (r->defs.stands[STAND_OPEN] == NIL)
        return;
    while (map_next(&r->collectives.count_of, &at, &entry))
        *LIST_ADD(&part->counts) = (struct part_count){entry.a, entry.b, entry.value};
}

static void take_standing(struct part *part, const struct standing *at)
{
    *LIST_ADD(&part->standings) = (struct part_standing){
        .location = at->location,
        .region = at->region,
        .site = at->site,
        .time = at->time,
        .since = at->since,
        .kind = at->kind,
        .needs_any = at->needs_any,
        .is_lower_bound = at->is_lower_bound,
        .n_awaited = (uint32_t)at->awaited.n,
        .n_for_whom = (uint32_t)at->for_whom.n,
        .path = part->texts.n,
    };
    for (size_t i = 0; i < at->awaited.n; i++)
        *LIST_ADD(&part->awaited) = at->awaited.at[i];
    for (size_t i = 0; i < at->for_whom.n; i++)
        *LIST_ADD(&part->for_whom) = at->for_whom.at[i];
    for (const char *c = at->path; *c; c++)
        *LIST_ADD(&part->texts) = *c;
    *LIST_ADD(&part->texts) = '\0';
}

/* Whether worker 0 can look at it here. */
static bool is_seen(const struct track *track)
{
    return common_is_seen(0) && common_place(track->calls.at) != COMMON_NOWHERE &&
           common_place(track->laps.at) != COMMON_NOWHERE;
}

static void take_tracks(struct part *part, struct report *r)
{
    for (uint32_t i = 0; i < r->defs.locations.n; i++) {
        struct track *track = &r->profile.streams[i].kept;
        if (!track->calls.n)
            continue;
        *LIST_ADD(&part->tracks) = (struct part_track){
            .location = i,
            .worker = is_seen(track) ? r->notes.engine->rank : NIL,
            .calls_at = common_place(track->calls.at),
            .laps_at = common_place(track->laps.at),
            .track = *track,
        };
        *track = (struct track){0};
    }
}

/* Workers are many, so that not each gives a row for each process. */
static void take_processes(struct part *part, const struct report *r)
{
    const uint32_t *worker_of = r->notes.worker_of;
    for (uint32_t i = 0; i < r->profile.flush_of.n; i++)
        if (r->profile.flush_of.at[i])
            *LIST_ADD(&part->flushes) =
                (struct part_flush){.process = i, .ticks = r->profile.flush_of.at[i]};
    for (uint32_t i = 0; i < r->teams.crews.n; i++)
        if (worker_of[i] == r->notes.engine->rank)
            *LIST_ADD(&part->crews) =
                (struct part_crew){.process = i, .crew = r->teams.crews.at[i]};
}

static void take_numbers(struct part_numbers *n, const struct report *r)
{
    const struct messages *m = &r->messages;
    *n = (struct part_numbers){
        .n_events = r->n_events,
        .is_odd = r->trouble || r->defs.has_unknown || r->notes.wants_whole,
        .has_samples = r->has_samples,
        .has_stacks = r->has_stacks,
        .has_clocks = m->matching.has_clocks,
        .odd = r->profile.odd,
        .n_sends = m->n_sends,
        .n_receives = m->n_receives,
        .nowhere = m->nowhere,
        .unknown = m->unknown,
        .reversed = m->matching.reversed,
        .unreceived = m->matching.unreceived,
        .unsent = m->matching.unsent,
        .incomplete = r->collectives.incomplete,
        .unknown_parties = r->collectives.unknown,
        .track_bytes = r->tracks.bytes,
        .is_over = r->tracks.is_over,
    };
}

void part_take(struct part *part, struct report *r)
{
    take_numbers(&part->numbers, r);
    take_lives(part, r);
    take_counts(part, r);
    take_tracks(part, r);
    take_processes(part, r);
    for (size_t i = 0; i < r->stands.all.n; i++)
        take_standing(part, &r->stands.all.at[i]);
    TAKE(&r->profile.nodes, &part->nodes);
    TAKE(&r->profile.waits, &part->waits);
    TAKE(&r->profile.away, &part->away);
    TAKE(&r->messages.pairs, &part->pairs);
    TAKE(&r->sizes.all, &part->sizes);
    TAKE(&r->collectives.all, &part->collectives);
    TAKE(&r->collectives.shares, &part->shares);
    TAKE(&r->teams.regions, &part->regions);
    TAKE(&r->locks.all, &part->locks);
    TAKE(&r->files.all, &part->files);
    TAKE(&r->accesses.all, &part->accesses);
    TAKE(&r->opens.all, &part->opens);
    TAKE(&r->storms.all, &part->storms);
    TAKE(&r->devices.all, &part->devices);
    TAKE(&r->devices.work, &part->work);
    TAKE(&r->metrics.all, &part->gauges);
    TAKE(&r->memory.all, &part->holdings);
    TAKE(&r->memory_sites.all, &part->memory_sites);
    TAKE(&r->tracks.blames, &part->blames);
    TAKE(&r->tracks.stints, &part->stints);
    TAKE(&r->tracks.callers, &part->callers);
}

/* ---- as bytes ---- */

static void pad(struct engine_bytes *bytes)
{
    static const char zeros[ALIGN];
    engine_add(bytes, zeros, (ALIGN - bytes->n % ALIGN) % ALIGN);
}

static void pack_list(const struct list *list, size_t item, struct engine_bytes *bytes)
{
    uint64_t n = list->n;
    engine_add(bytes, &n, sizeof n);
    engine_add(bytes, list->at, list->n * item);
    pad(bytes);
}

static void pack_tracks(const struct part *part, struct engine_bytes *bytes)
{
    uint64_t n = part->tracks.n;
    engine_add(bytes, &n, sizeof n);
    for (size_t i = 0; i < part->tracks.n; i++) {
        const struct part_track *one = &part->tracks.at[i];
        engine_add(bytes, one, sizeof *one);
        if (one->worker != NIL)
            continue;
        pack_list((const struct list *)&one->track.calls, sizeof *one->track.calls.at, bytes);
        pack_list((const struct list *)&one->track.laps, sizeof *one->track.laps.at, bytes);
    }
}

void part_pack(struct part *part, bool is_shared, struct engine_bytes *bytes)
{
    if (is_shared) {
        engine_add(bytes, part, sizeof *part);
        memset(part, 0, sizeof *part);
        return;
    }
    engine_add(bytes, &part->numbers, sizeof part->numbers);
    pad(bytes);
    for (size_t i = 0; i < LISTS; i++)
        pack_list(list_of(part, i), lists[i].item, bytes);
    pack_tracks(part, bytes);
}

static const char *take_number(uint64_t *number, const char *at)
{
    memcpy(number, at, sizeof *number);
    return at + sizeof *number;
}

static const char *unpack_list(struct list *list, size_t item, const char *at)
{
    uint64_t items;
    at = take_number(&items, at);
    list->at = list_grow(NULL, &list->room, (size_t)items, item);
    list->n = (size_t)items;
    if (items)
        memcpy(list->at, at, list->n * item);
    return at + (list->n * item + ALIGN - 1) / ALIGN * ALIGN;
}

static const char *unpack_tracks(struct part *part, const char *at)
{
    uint64_t n;
    for (at = take_number(&n, at); n; n--) {
        struct part_track *one = LIST_ADD(&part->tracks);
        memcpy(one, at, sizeof *one);
        at += sizeof *one;
        one->track.calls.at = NULL;
        one->track.laps.at = NULL;
        if (one->worker != NIL)
            continue;
        one->track = (struct track){0};
        at = unpack_list((struct list *)&one->track.calls, sizeof *one->track.calls.at, at);
        at = unpack_list((struct list *)&one->track.laps, sizeof *one->track.laps.at, at);
    }
    return at;
}

void part_see_tracks(struct part *part)
{
    for (size_t i = 0; i < part->tracks.n; i++) {
        struct part_track *one = &part->tracks.at[i];
        struct track *track = &one->track;
        if (one->worker == NIL || track->calls.at)
            continue;
        track->calls.at =
            common_view(one->worker, one->calls_at, track->calls.n * sizeof *track->calls.at);
        track->laps.at =
            common_view(one->worker, one->laps_at, track->laps.n * sizeof *track->laps.at);
    }
}

size_t part_unpack(struct part *part, bool is_shared, const char *bytes)
{
    if (is_shared) {
        memcpy(part, bytes, sizeof *part);
        return sizeof *part;
    }
    memset(part, 0, sizeof *part);
    memcpy(&part->numbers, bytes, sizeof part->numbers);
    const char *at = bytes + (sizeof part->numbers + ALIGN - 1) / ALIGN * ALIGN;
    for (size_t i = 0; i < LISTS; i++)
        at = unpack_list(list_of(part, i), lists[i].item, at);
    return (size_t)(unpack_tracks(part, at) - bytes);
}

void part_free(struct part *part)
{
    for (size_t i = 0; i < LISTS; i++)
        free(list_of(part, i)->at);
    for (size_t i = 0; i < part->tracks.n; i++)
        if (part->tracks.at[i].worker == NIL) /* else others look at it */
            track_free(&part->tracks.at[i].track);
    free(part->tracks.at);
    memset(part, 0, sizeof *part);
}
