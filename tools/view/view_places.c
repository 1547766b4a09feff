/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_places.h"

#include <stdlib.h>
#include <string.h>

/* The beginning of a place's state; frames, channels and values of metrics follow. */
struct state {
    uint64_t last;
    uint64_t off_since;
    uint64_t collective_begin;
    uint64_t missed;
    uint64_t ordinal;
    uint64_t alone;
    uint32_t teams;
    uint32_t n_frames;
    uint32_t n_channels;
    uint32_t n_values;
    uint8_t is_off;
    uint8_t is_nobody;
    uint8_t is_worker;
    uint8_t has_all; /* channels */
    uint8_t has_collective;
    uint8_t unused[3];
};

/* The last value of a metric. */
struct value {
    uint64_t time;
    double value;
    uint32_t member;
    uint32_t unused;
};

struct count {
    uint64_t n;
    uint32_t channel;
    uint32_t unused;
};

/* As a channel is written. */
struct channel {
    struct view_envelope envelope;
    uint32_t row;
    uint32_t is_receive;
};

enum {
    PLACE_EVENTS = 1 << 14,
    FRAMES_MAX = 1 << 20, /* more than a damaged file may claim, and of values */
};

/* ---- writing ---- */

void view_places_begin(struct view_places *p)
{
    struct cache *cache = p->cache;
    view_places_free(p);
    p->cache = cache;
    p->row = NIL;
    cache_restart(cache);
    cache_begin(cache, "places");
}

static void put(struct view_places *p, const void *bytes, size_t n)
{
    cache_put(p->cache, bytes, n);
    p->n_bytes += n;
}

static void start_rows(struct view_places *p, uint32_t row)
{
    while (p->first.n <= row)
        *LIST_ADD(&p->first) = p->all.n;
}

static void start_row(struct view_places *p, uint32_t row)
{
    start_rows(p, row);
    p->row = row;
    p->position = 0;
    p->pending = 0;
    p->channels.n = 0;
    p->since_all = 0;
}

/* Channels new to the row join the row's list. */
static void note_channels(struct view_places *p, const struct view_exact *e)
{
    for (size_t i = 0; i < e->changed.n; i++) {
        uint32_t channel = e->changed.at[i];
        while (p->seen_by.n <= channel)
            *LIST_ADD(&p->seen_by) = 0;
        if (p->seen_by.at[channel] == p->row + 1)
            continue;
        p->seen_by.at[channel] = p->row + 1;
        *LIST_ADD(&p->channels) = channel;
    }
}

/* The row's curves are the last curves of the list. */
static uint32_t n_values(const struct view_counters *c, uint32_t row)
{
    uint32_t n = 0;
    while (n < c->curves.n && c->curves.at[c->curves.n - 1 - n].row == row)
        n++;
    return n;
}

static void put_values(struct view_places *p, const struct view_counters *c, uint32_t n)
{
    for (size_t i = c->curves.n - n; i < c->curves.n; i++) {
        const struct view_curve *curve = &c->curves.at[i];
        struct value value = {curve->last.time, curve->last.value, curve->member, 0};
        put(p, &value, sizeof value);
    }
}

void view_places_add(struct view_places *p, const struct view_lane *l, uint64_t n)
{
    struct view_exact *e = &l->part->exact;
    if (p->row != l->number)
        start_row(p, l->number);
    p->position += n;
    p->pending += n;
    if (!p->pending || !l->stack.n || (n && p->pending < PLACE_EVENTS))
        return;
    p->pending = 0;
    note_channels(p, e);
    bool has_all = p->since_all + e->changed.n >= p->channels.n;
    const uint32_t *channels = has_all ? p->channels.at : e->changed.at;
    size_t n_channels = has_all ? p->channels.n : e->changed.n;
    struct view_place place = {l->last, p->position, p->n_bytes, 0};
    struct state s = {.last = l->last,
                      .off_since = l->off_since,
                      .collective_begin = l->collective_begin,
                      .missed = l->missed,
                      .ordinal = l->ordinal,
                      .alone = l->alone,
                      .teams = l->teams,
                      .n_frames = (uint32_t)l->stack.n,
                      .n_channels = (uint32_t)n_channels,
                      .n_values = n_values(&l->part->counters, l->number),
                      .is_off = l->is_off,
                      .is_nobody = l->is_nobody,
                      .is_worker = l->is_worker,
                      .has_all = has_all,
                      .has_collective = l->has_collective};
    put(p, &s, sizeof s);
    put(p, l->stack.at, l->stack.n * sizeof l->stack.at[0]);
    for (size_t i = 0; i < n_channels; i++) {
        struct count count = {.n = e->channels.at[channels[i]].n, .channel = channels[i]};
        put(p, &count, sizeof count);
    }
    put_values(p, &l->part->counters, s.n_values);
    p->since_all = has_all ? 0 : p->since_all + n_channels;
    view_exact_seen(e);
    place.n_bytes = p->n_bytes - place.at;
    *LIST_ADD(&p->all) = place;
}

void view_places_finish(struct view_places *p, uint32_t n_rows, const struct view_exact *exact)
{
    start_rows(p, n_rows);
    cache_begin(p->cache, "place table");
    cache_put(p->cache, p->all.at, p->all.n * sizeof p->all.at[0]);
    cache_begin(p->cache, "place rows");
    cache_put(p->cache, p->first.at, p->first.n * sizeof p->first.at[0]);
    cache_begin(p->cache, "channels");
    for (size_t i = 0; i < exact->channels.n; i++) {
        const struct view_channel *c = &exact->channels.at[i];
        struct channel channel = {c->envelope, c->row, c->is_receive};
        cache_put(p->cache, &channel, sizeof channel);
    }
}

/* ---- reading ---- */

/* A section of items, allocated by malloc. */
static void *load(struct cache *cache, const char *name, size_t bytes, size_t *n)
{
    struct cache_part part;
    if (!cache_find(cache, name, &part) || part.n_bytes % bytes)
        return NULL;
    void *items = malloc(part.n_bytes ? part.n_bytes : 1);
    if (!items)
        return NULL;
    *n = part.n_bytes / bytes;
    if (cache_read(cache, part, 0, items, part.n_bytes))
        return items;
    free(items);
    return NULL;
}

static bool are_sound(const struct view_places *p)
{
    for (size_t i = 0; i + 1 < p->first.n; i++)
        if (p->first.at[i] > p->first.at[i + 1])
            return false;
    return p->first.at[p->first.n - 1] == p->all.n;
}

static void load_channels(struct view_exact *e, const struct channel *channels, size_t n)
{
    for (size_t i = 0; i < n; i++)
        view_exact_add_channel(e,
                               &(struct view_channel){.envelope = channels[i].envelope,
                                                      .row = channels[i].row,
                                                      .is_receive = channels[i].is_receive != 0});
}

bool view_places_load(struct view_places *p, struct cache *cache, uint32_t n_rows,
                      struct view_exact *exact)
{
    size_t n = 0;
    *p = (struct view_places){.cache = cache};
    p->all.at = load(cache, "place table", sizeof p->all.at[0], &p->all.n);
    p->first.at = load(cache, "place rows", sizeof p->first.at[0], &p->first.n);
    p->all.room = p->all.n;
    p->first.room = p->first.n;
    struct channel *channels = load(cache, "channels", sizeof *channels, &n);
    bool is_well =
        p->all.at && p->first.at && channels && p->first.n == (size_t)n_rows + 1 && are_sound(p);
    if (is_well)
        load_channels(exact, channels, n);
    free(channels);
    if (!is_well)
        view_places_free(p);
    return is_well;
}

const struct view_place *view_places_last(const struct view_places *p, uint32_t row)
{
    uint64_t end = p->first.at[row + 1];
    return p->first.at[row] < end ? &p->all.at[end - 1] : NULL;
}

const struct view_place *view_places_first(const struct view_places *p, uint32_t row)
{
    return view_places_last(p, row) ? &p->all.at[p->first.at[row]] : NULL;
}

/*
 * The last place of a row for which `is_so` holds; `is_so` holds for all earlier places, too. NULL:
 * no place.
 */
static const struct view_place *last_place(const struct view_places *p, uint32_t row,
                                           bool (*is_so)(const struct view_place *place, void *of),
                                           void *of)
{
    uint64_t low = p->first.at[row];
    uint64_t n = p->first.at[row + 1] - low;
    const struct view_place *found = NULL;
    while (n) {
        uint64_t half = n / 2;
        const struct view_place *middle = &p->all.at[low + half];
        if (is_so(middle, of)) {
            found = middle;
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return found;
}

static bool is_before(const struct view_place *place, void *time)
{
    return place->time < *(const uint64_t *)time;
}

const struct view_place *view_places_before(const struct view_places *p, uint32_t row,
                                            uint64_t time)
{
    return last_place(p, row, is_before, &time);
}

/* The last place of a row is behind the row's last event. */
uint64_t view_places_events(const struct view_places *p, uint32_t row,
                            const struct view_place *from, uint64_t to)
{
    const struct view_place *place = from ? from : &p->all.at[p->first.at[row]];
    const struct view_place *end = &p->all.at[p->first.at[row + 1]];
    if (p->first.at[row] == p->first.at[row + 1])
        return 0;
    while (place + 1 < end && place->time <= to)
        place++;
    return place->position - (from ? from->position : 0);
}

/* The state of a place, allocated by malloc. NULL: the state is unreadable, or not sound. */
static struct state *state_of(const struct view_places *p, const struct view_place *place)
{
    struct cache_part part;
    struct state *s = malloc(place->n_bytes ? place->n_bytes : 1);
    if (s && place->n_bytes >= sizeof *s && cache_find(p->cache, "places", &part) &&
        cache_read(p->cache, part, place->at, s, place->n_bytes) && s->n_frames &&
        s->n_frames <= FRAMES_MAX && s->n_values <= FRAMES_MAX &&
        place->n_bytes == sizeof *s + s->n_frames * sizeof(struct view_frame) +
                              (uint64_t)s->n_channels * sizeof(struct count) +
                              s->n_values * sizeof(struct value))
        return s;
    free(s);
    return NULL;
}

static const struct view_frame *frames_of(const struct state *s)
{
    return (const struct view_frame *)(s + 1);
}

static const struct count *counts_of(const struct state *s)
{
    return (const struct count *)(frames_of(s) + s->n_frames);
}

static void restore_values(const struct state *s, const struct view_lane *l)
{
    const struct value *values = (const struct value *)(counts_of(s) + s->n_channels);
    for (uint32_t i = 0; i < s->n_values; i++)
        if (values[i].member < l->part->defs->members.n)
            view_counters_add(&l->part->counters, l->number, values[i].member, values[i].time,
                              values[i].value);
}

/* Later places are restored first. Numbers already set are not changed again. */
static void restore_channels(const struct state *s, struct view_exact *e)
{
    const struct count *counts = counts_of(s);
    for (uint32_t i = 0; i < s->n_channels; i++)
        if (counts[i].channel < e->channels.n)
            view_exact_set(e, counts[i].channel, counts[i].n);
}

static bool restore_frames(const struct state *s, struct view_lane *l)
{
    const struct view_frame *frames = frames_of(s);
    const struct view_part *p = l->part;
    for (uint32_t i = 0; i < s->n_frames; i++) {
        if (frames[i].path >= p->paths.all.n || frames[i].region >= p->defs->regions.n)
            return false;
        *LIST_ADD(&l->stack) = frames[i];
    }
    return true;
}

bool view_places_restore(const struct view_places *p, const struct view_place *place,
                         struct view_lane *lane)
{
    struct state *s = state_of(p, place);
    bool is_well = s && restore_frames(s, lane);
    if (is_well) {
        lane->last = s->last;
        lane->off_since = s->off_since;
        lane->collective_begin = s->collective_begin;
        lane->has_collective = s->has_collective;
        lane->missed = s->missed;
        lane->ordinal = s->ordinal;
        lane->alone = s->alone;
        lane->teams = s->teams;
        lane->is_off = s->is_off;
        lane->is_nobody = s->is_nobody;
        lane->is_worker = s->is_worker;
        lane->row->has_events = true;
        restore_channels(s, &lane->part->exact);
        restore_values(s, lane);
    }
    const struct view_place *first = &p->all.at[p->first.at[lane->number]];
    while (is_well && !s->has_all && place > first) {
        free(s);
        s = state_of(p, --place);
        is_well = s != NULL;
        if (is_well)
            restore_channels(s, &lane->part->exact);
    }
    free(s);
    return is_well;
}

/* The number for a channel in a state; false: the state has no number for the channel. */
static bool says(const struct state *s, uint32_t channel, uint64_t *n)
{
    const struct count *counts = counts_of(s);
    for (uint32_t i = 0; i < s->n_channels; i++)
        if (counts[i].channel == channel) {
            *n = counts[i].n;
            return true;
        }
    return false;
}

uint64_t view_places_count(const struct view_places *p, uint32_t row,
                           const struct view_place *place, uint32_t channel, size_t *bytes)
{
    const struct view_place *first = &p->all.at[p->first.at[row]];
    uint64_t n = 0;
    for (bool is_over = false; !is_over; place--) {
        struct state *s = state_of(p, place);
        *bytes += place->n_bytes;
        is_over = !s || says(s, channel, &n) || s->has_all || place == first;
        free(s);
    }
    return n;
}

struct end_search {
    const struct view_places *places;
    uint32_t row;
    const struct view_end *end;
    size_t *bytes;
};

static bool has_end_behind(const struct view_place *place, void *of)
{
    const struct end_search *s = of;
    return view_places_count(s->places, s->row, place, s->end->channel, s->bytes) <= s->end->number;
}

const struct view_place *view_places_of(const struct view_places *p, uint32_t row,
                                        const struct view_end *end, size_t *bytes)
{
    return last_place(p, row, has_end_behind, &(struct end_search){p, row, end, bytes});
}

void view_places_free(struct view_places *p)
{
    free(p->all.at);
    free(p->first.at);
    free(p->channels.at);
    free(p->seen_by.at);
    *p = (struct view_places){0};
}
