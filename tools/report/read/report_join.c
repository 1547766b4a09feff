/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/read/report_join.h"

#include <stdlib.h>

/* An item of a part's list, with the time of the item's first sight. */
struct entry {
    uint64_t time;
    uint32_t order;
    uint64_t sequence; /* used if several parts have items of one location */
    bool is_told; /* by a note; the location's reader knows the order of the location's events */
    uint32_t part;
    size_t index;
};

struct join {
    struct report *r;
    struct part *parts;
    size_t n;
    const uint32_t *order; /* see struct notes */
    const uint32_t *location_of;
    uint32_t **nodes; /* by part: the part's nodes as nodes of the report */
    LIST(struct entry) entries;
};

static int by_birth(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    ORDER(x->time, y->time);
    ORDER(x->order, y->order);
    ORDER(x->sequence, y->sequence);
    if (x->is_told != y->is_told)
        return x->is_told ? 1 : -1;
    ORDER(x->part, y->part);
    return (x->index > y->index) - (x->index < y->index);
}

static void add_entry(struct join *j, size_t part, size_t index, uint64_t time, uint32_t location)
{
    uint32_t worker = j->location_of[location];
    *LIST_ADD(&j->entries) = (struct entry){.time = time,
                                            .order = j->order[location],
                                            .is_told = worker != part,
                                            .part = (uint32_t)part,
                                            .index = index};
}

/* The items of a list of all parts, in the order of first sight. */
#define EACH_BORN(j, list, time_of, location_of)                                                   \
    do {                                                                                           \
        (j)->entries.n = 0;                                                                        \
        for (size_t part_ = 0; part_ < (j)->n; part_++)                                            \
            for (size_t i_ = 0; i_ < (j)->parts[part_].list.n; i_++)                               \
                add_entry((j), part_, i_, (j)->parts[part_].list.at[i_].time_of,                   \
                          (j)->parts[part_].list.at[i_].location_of);                              \
        LIST_SORT(&(j)->entries, by_birth);                                                        \
    } while (0)

/* EACH_BORN for items that know the sequence number of their event within the location. */
#define EACH_BORN_IN_ORDER(j, list)                                                                \
    do {                                                                                           \
        EACH_BORN(j, list, born.time, born.location);                                              \
        for (size_t i_ = 0; i_ < (j)->entries.n; i_++)                                             \
            (j)->entries.at[i_].sequence = ITEM(j, list, i_)->sequence;                            \
        LIST_SORT(&(j)->entries, by_birth);                                                        \
    } while (0)

#define ITEM(j, list, i) (&(j)->parts[(j)->entries.at[i].part].list.at[(j)->entries.at[i].index])

static bool is_before(const struct join *j, struct birth a, struct birth b)
{
    return a.time != b.time ? a.time < b.time : j->order[a.location] < j->order[b.location];
}

/* ---- call paths ---- */

static void join_nodes(struct join *j)
{
    struct profile *p = &j->r->profile;
    EACH_BORN(j, nodes, born, location);
    j->nodes = take_memory(j->n * sizeof *j->nodes);
    for (size_t i = 0; i < j->n; i++)
        j->nodes[i] = take_memory(j->parts[i].nodes.n * sizeof **j->nodes);
    size_t room = j->entries.n;
    p->nodes.at = list_grow(NULL, &p->nodes.room, room, sizeof *p->nodes.at);
    for (size_t i = 0; i < room; i++) {
        uint32_t *now = j->nodes[j->entries.at[i].part];
        struct node *node = LIST_ADD(&p->nodes);
        *node = *ITEM(j, nodes, i);
        node->parent = node->parent == NIL ? NIL : now[node->parent];
        node->recent = NIL;
        node->after = NIL;
        now[j->entries.at[i].index] = (uint32_t)i;
    }
}

static void join_lives(struct join *j, size_t part)
{
    const struct part *from = &j->parts[part];
    for (size_t i = 0; i < from->lives.n; i++) {
        const struct part_life *life = &from->lives.at[i];
        struct stream *s = &j->r->profile.streams[life->location];
        struct frame *root = LIST_ADD(&s->stack);
        *root = life->root;
        root->node = j->nodes[part][root->node];
        s->first = life->first;
        s->last = life->last;
        s->off = life->off;
        s->samples = life->samples;
        s->period = life->period;
        s->mpi = life->mpi;
        s->in_teams = life->in_teams;
        s->has_forked = life->has_forked;
        s->watch.has_worked = life->has_worked;
    }
}

static void join_waits(struct join *j, size_t part)
{
    const struct part *from = &j->parts[part];
    for (size_t i = 0; i < from->waits.n; i++) {
        const struct wait_sum *sum = &from->waits.at[i];
        profile_wait(j->r, j->nodes[part][sum->node], sum->why, sum->ticks);
    }
    for (size_t i = 0; i < from->away.n; i++) {
        const struct wait_sum *sum = &from->away.at[i];
        uint32_t worker = j->location_of[sum->location];
        profile_wait(j->r, j->nodes[worker][sum->node], sum->why, sum->ticks);
    }
}

static void join_oddities(struct join *j, const struct part *from)
{
    struct oddities *to = &j->r->profile.odd;
    const struct oddities *odd = &from->numbers.odd;
    to->strays += odd->strays;
    to->unclosed += odd->unclosed;
    to->open += odd->open;
    to->backwards += odd->backwards;
    to->flushes += odd->flushes;
    to->flush_ticks += odd->flush_ticks;
    to->uncounted += odd->uncounted;
    place_join(&to->longest_flush, &odd->longest_flush, j->order);
    for (size_t i = 0; i < from->flushes.n; i++)
        j->r->profile.flush_of.at[from->flushes.at[i].process] += from->flushes.at[i].ticks;
}

static void join_gauges(struct join *j)
{
    EACH_BORN(j, gauges, born.time, born.location);
    for (size_t i = 0; i < j->entries.n; i++) {
        struct gauge *gauge = LIST_ADD(&j->r->metrics.all);
        *gauge = *ITEM(j, gauges, i);
        gauge->node = j->nodes[j->entries.at[i].part][gauge->node];
    }
}

/* ---- messages and collective operations ---- */

static void join_pairs(struct join *j)
{
    struct messages *m = &j->r->messages;
    EACH_BORN(j, pairs, born.time, born.location);
    for (size_t i = 0; i < j->entries.n; i++) {
        const struct pair *from = ITEM(j, pairs, i);
        uint32_t index = messages_pair(m, from->sender, from->receiver, from->born);
        struct pair *to = &m->pairs.at[index];
        to->n += from->n;
        to->bytes += from->bytes;
        to->late_sender += from->late_sender;
        to->late_receiver += from->late_receiver;
        to->rma += from->rma;
        to->rma_bytes += from->rma_bytes;
        place_join(&to->longest_sender, &from->longest_sender, j->order);
        place_join(&to->longest_receiver, &from->longest_receiver, j->order);
    }
}

static void join_messages(struct join *j, const struct part_numbers *from)
{
    struct messages *to = &j->r->messages;
    to->n_sends += from->n_sends;
    to->n_receives += from->n_receives;
    to->nowhere += from->nowhere;
    to->unknown += from->unknown;
    to->matching.reversed += from->reversed;
    to->matching.unreceived += from->unreceived;
    to->matching.unsent += from->unsent;
    to->matching.has_clocks |= from->has_clocks;
}

/* Shares follow their rows; all shares of a communicator belong to a single part. */
static void join_collectives(struct join *j)
{
    struct collectives *c = &j->r->collectives;
    uint32_t **rows = take_memory(j->n * sizeof *rows);
    for (size_t i = 0; i < j->n; i++)
        rows[i] = take_memory(j->parts[i].collectives.n * sizeof **rows);
    EACH_BORN(j, collectives, born.time, born.location);
    for (size_t i = 0; i < j->entries.n; i++) {
        const struct collective *from = ITEM(j, collectives, i);
        uint32_t index = collectives_of(c, from->comm, from->op, from->region, from->born);
        struct collective *to = &c->all.at[index];
        to->calls += from->calls;
        to->instances += from->instances;
        to->sent += from->sent;
        to->received += from->received;
        to->ticks += from->ticks;
        to->waited += from->waited;
        place_join(&to->longest, &from->longest, j->order);
        rows[j->entries.at[i].part][j->entries.at[i].index] = index;
    }
    for (size_t part = 0; part < j->n; part++) {
        const struct part *from = &j->parts[part];
        for (size_t i = 0; i < from->shares.n; i++) {
            struct share *share = LIST_ADD(&c->shares);
            *share = from->shares.at[i];
            share->collective = rows[part][share->collective];
        }
        for (size_t i = 0; i < from->counts.n; i++)
            map_set(&c->count_of, from->counts.at[i].order, from->counts.at[i].process,
                    (uint32_t)from->counts.at[i].n);
        c->incomplete += from->numbers.incomplete;
        c->unknown += from->numbers.unknown_parties;
        free(rows[part]);
    }
    free(rows);
}

/* ---- threads and files ---- */

static void join_teams(struct join *j)
{
    struct teams *t = &j->r->teams;
    EACH_BORN(j, regions, born.time, born.location);
    for (size_t i = 0; i < j->entries.n; i++) {
        const struct parallel *from = ITEM(j, regions, i);
        struct parallel *to = teams_parallel(t, from->region, from->born);
        bool is_longer = place_ticks(&from->longest) > place_ticks(&to->longest) ||
                         (place_ticks(&from->longest) == place_ticks(&to->longest) &&
                          from->longest.location && is_before(j, from->longest_at, to->longest_at));
        if (is_longer) {
            to->longest = from->longest;
            to->longest_at = from->longest_at;
        }
        to->calls += from->calls;
        to->ticks += from->ticks;
        to->threads += from->threads;
        to->most = from->most > to->most ? from->most : to->most;
        to->room += from->room;
        to->busy += from->busy;
        to->in_barriers += from->in_barriers;
        to->in_locks += from->in_locks;
        to->uneven += from->uneven;
    }
    for (size_t part = 0; part < j->n; part++)
        for (size_t i = 0; i < j->parts[part].crews.n; i++) {
            const struct part_crew *from = &j->parts[part].crews.at[i];
            while (t->crews.n <= from->process)
                (void)LIST_ADD(&t->crews);
            t->crews.at[from->process] = from->crew;
        }
}

static void join_locks(struct join *j)
{
    EACH_BORN_IN_ORDER(j, locks);
    for (size_t i = 0; i < j->entries.n; i++)
        *LIST_ADD(&j->r->locks.all) = *ITEM(j, locks, i);
}

/* A location is read by a single worker: its holdings belong to one part. */
static void join_memory(struct join *j)
{
    EACH_BORN(j, holdings, begin, location);
    for (size_t i = 0; i < j->entries.n; i++)
        *LIST_ADD(&j->r->memory.all) = *ITEM(j, holdings, i);
    EACH_BORN(j, memory_sites, begin, location);
    for (size_t i = 0; i < j->entries.n; i++)
        *LIST_ADD(&j->r->memory_sites.all) = *ITEM(j, memory_sites, i);
}

static void join_files(struct join *j)
{
    EACH_BORN_IN_ORDER(j, files);
    for (size_t i = 0; i < j->entries.n; i++) {
        const struct file *from = ITEM(j, files, i);
        uint32_t index = files_find(j->r, from->handle, from->born, from->sequence);
        place_join(&j->r->files.all.at[index].longest, &from->longest, j->order);
    }
}

/* In any order: the judgement sorts the opens later. */
static void join_opens(struct join *j, const struct part *from)
{
    for (size_t i = 0; i < from->opens.n; i++)
        *LIST_ADD(&j->r->opens.all) = from->opens.at[i];
}

static void join_storms(struct join *j, const struct part *from)
{
    for (size_t i = 0; i < from->storms.n; i++)
        storms_add(&j->r->storms, &from->storms.at[i]);
}

/*
 * The accesses of a process belong to one part; the file of an access may belong to another part.
 */
static void join_accesses(struct join *j)
{
    EACH_BORN(j, accesses, born.time, born.location);
    for (size_t i = 0; i < j->entries.n; i++) {
        struct access like = *ITEM(j, accesses, i);
        like.file = files_find(j->r, like.handle, like.born, UINT64_MAX); /* exists already */
        like.handle = j->r->files.all.at[like.file].handle;
        moves_add(&accesses_row(&j->r->accesses, &like)->moves, &ITEM(j, accesses, i)->moves);
    }
}

/* All items of a device belong to the same part. */
static void join_devices(struct join *j, const struct part *from)
{
    struct devices *to = &j->r->devices;
    for (size_t i = 0; i < from->devices.n; i++)
        *LIST_ADD(&to->all) = from->devices.at[i];
    for (size_t i = 0; i < from->work.n; i++)
        *LIST_ADD(&to->work) = from->work.at[i];
}

/* ---- where everything stands ---- */

/*
 * A standing of a part, copied. The awaited objects are in lists of the part, placed behind the
 * lists of the earlier parts.
 */
static struct standing standing_of(const struct part *part, const struct part_standing *from,
                                   size_t awaited, size_t for_whom)
{
    struct standing at = {.location = from->location,
                          .region = from->region,
                          .site = from->site,
                          .time = from->time,
                          .since = from->since,
                          .kind = from->kind,
                          .needs_any = from->needs_any,
                          .is_lower_bound = from->is_lower_bound,
                          .path = copy_text(part->texts.at + from->path)};
    for (uint32_t k = 0; k < from->n_awaited; k++)
        *LIST_ADD(&at.awaited) = part->awaited.at[awaited + k];
    for (uint32_t k = 0; k < from->n_for_whom; k++)
        *LIST_ADD(&at.for_whom) = part->for_whom.at[for_whom + k];
    return at;
}

static void join_stands(struct join *j)
{
    struct stands all = {0};
    size_t *first = take_memory(j->n * sizeof *first); /* of a part */
    for (size_t part = 0; part < j->n; part++) {
        const struct part *from = &j->parts[part];
        size_t awaited = 0;
        size_t for_whom = 0;
        first[part] = all.all.n;
        for (size_t i = 0; i < from->standings.n; i++) {
            const struct part_standing *at = &from->standings.at[i];
            *LIST_ADD(&all.all) = standing_of(from, at, awaited, for_whom);
            awaited += at->n_awaited;
            for_whom += at->n_for_whom;
        }
    }
    EACH_BORN(j, standings, time, location);
    for (size_t i = 0; i < j->entries.n; i++) {
        const struct entry *entry = &j->entries.at[i];
        *LIST_ADD(&j->r->stands.all) = all.all.at[first[entry->part] + entry->index];
    }
    free(all.all.at);
    free(first);
}

/* ---- the run itself ---- */

/* Parts that fit the budget separately may exceed the budget together. */
static void join_budget(struct join *j)
{
    struct tracks *t = &j->r->tracks;
    for (size_t i = 0; i < j->n; i++) {
        t->bytes += j->parts[i].numbers.track_bytes;
        t->is_over |= j->parts[i].numbers.is_over;
    }
    t->is_over |= t->bytes > t->budget;
}

/* The replay's results for a location belong to the part that has read the location. */
#define JOIN_PLACES(j, name)                                                                       \
    do {                                                                                           \
        size_t *next_ = take_memory((j)->n * sizeof *next_);                                       \
        for (size_t location_ = 0; location_ < (j)->r->defs.locations.n; location_++) {            \
            uint32_t part_ = (j)->location_of[location_];                                          \
            size_t *at_ = &next_[part_];                                                           \
            while (*at_ < (j)->parts[part_].name.n &&                                              \
                   (j)->parts[part_].name.at[*at_].location == location_)                          \
                *LIST_ADD(&(j)->r->tracks.name) = (j)->parts[part_].name.at[(*at_)++];             \
        }                                                                                          \
        free(next_);                                                                               \
    } while (0)

static void join_replay(struct join *j)
{
    struct tracks *t = &j->r->tracks;
    JOIN_PLACES(j, blames);
    JOIN_PLACES(j, stints);
    for (size_t part = 0; part < j->n; part++)
        for (size_t i = 0; i < j->parts[part].callers.n; i++)
            *LIST_ADD(&t->callers) = j->parts[part].callers.at[i];
    for (size_t i = 0; i < t->blames.n; i++) {
        struct blame *blame = &t->blames.at[i];
        blame->node = j->nodes[j->location_of[blame->location]][blame->node];
    }
}

/*
 * Moves the tracks from the part to the report. The tracks stay unchanged: their nodes are numbered
 * by the part, so the numbers of these nodes in the report are kept beside the tracks.
 */
static void join_tracks(struct join *j, size_t part)
{
    struct part *from = &j->parts[part];
    for (size_t i = 0; i < from->tracks.n && !j->r->tracks.is_over; i++) {
        struct part_track *one = &from->tracks.at[i];
        j->r->profile.streams[one->location].kept = one->track;
        j->r->profile.streams[one->location].kept_nodes = j->nodes[part];
        one->track = (struct track){0};
    }
}

/* ---- everything ---- */

void join_parts(struct report *r, struct part *parts, size_t n, const struct notes *notes)
{
    struct join j = {
        .r = r, .parts = parts, .n = n, .order = notes->order, .location_of = notes->location_of};
    join_nodes(&j);
    for (size_t i = 0; i < n; i++) {
        join_lives(&j, i);
        join_waits(&j, i);
        join_oddities(&j, &parts[i]);
        join_messages(&j, &parts[i].numbers);
        join_devices(&j, &parts[i]);
        join_opens(&j, &parts[i]);
        join_storms(&j, &parts[i]);
        sizes_join(&r->sizes, parts[i].sizes.at, parts[i].sizes.n);
        r->n_events += parts[i].numbers.n_events;
        r->has_samples |= parts[i].numbers.has_samples;
        r->has_stacks |= parts[i].numbers.has_stacks;
    }
    join_budget(&j);
    join_replay(&j);
    for (size_t i = 0; i < n; i++)
        join_tracks(&j, i);
    join_gauges(&j);
    join_pairs(&j);
    join_collectives(&j);
    join_teams(&j);
    join_locks(&j);
    join_files(&j);
    join_accesses(&j);
    join_memory(&j);
    join_stands(&j);
    free(j.nodes); /* the lists behind the pointers are kept with the tracks */
    free(j.entries.at);
}
