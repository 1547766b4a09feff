/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "tools/report/topics/report.h"

/* The slice of a time, of `n` equal slices of the run. */
static uint32_t slice_of(const struct report *r, uint64_t time, uint32_t n)
{
    const struct clock *clock = &r->defs.clock;
    uint64_t since = time > clock->start ? time - clock->start : 0;
    double slice = (double)since * n / (double)(clock->length ? clock->length : 1);
    return slice < n ? (uint32_t)slice : n - 1;
}

uint32_t memory_slice(const struct report *r, uint64_t time)
{
    return slice_of(r, time, MEMORY_SLICES);
}

uint64_t memory_slice_begin(const struct report *r, uint32_t slice)
{
    const struct clock *clock = &r->defs.clock;
    return clock->start + (uint64_t)((double)clock->length * slice / MEMORY_SLICES);
}

static struct holding *held_of(struct report *r, struct stream *s)
{
    struct memory *m = &r->memory;
    if (s->holding)
        return &m->all.at[s->holding - 1];
    struct holding *held = LIST_ADD(&m->all);
    *held = (struct holding){.location = s->location,
                             .process = s->process,
                             .begin = s->last,
                             .time = s->last};
    memset(held->least, UINT8_MAX, sizeof held->least);
    s->holding = (uint32_t)m->all.n;
    return held;
}

/* From one slice to a later slice, `bytes` were held. */
static void lower(uint64_t *least, uint32_t from, uint32_t to, uint64_t bytes)
{
    for (uint32_t i = from; i <= to; i++)
        least[i] = bytes < least[i] ? bytes : least[i];
}

/* The present amount is held until `time`. */
static void last_until(const struct report *r, struct holding *held, uint64_t time)
{
    uint32_t to = memory_slice(r, time);
    for (uint32_t i = memory_slice(r, held->time); i <= to; i++)
        if (held->most[i] < held->bytes)
            held->most[i] = held->bytes;
    lower(held->least, slice_of(r, held->time, MEMORY_FLOORS), slice_of(r, time, MEMORY_FLOORS),
          held->bytes);
}

/* ---- call sites ---- */

static struct memory_site *row_of(struct report *r, const struct holding *held, uint64_t time,
                                  uint32_t site, uint32_t path)
{
    struct memory_sites *sites = &r->memory_sites;
    uint32_t index = path == NIL ? map_index(&sites->index_of, held->location, site, sites->all.n)
                                 : map_index(&sites->path_of, held->location, path, sites->all.n);
    if (index == sites->all.n) {
        struct memory_site *row = LIST_ADD(&sites->all);
        *row = (struct memory_site){.begin = time,
                                    .time = time,
                                    .location = held->location,
                                    .site = site,
                                    .path = path,
                                    .holding = (uint32_t)(held - r->memory.all.at),
                                    .peaks = held->peaks};
        for (uint32_t i = slice_of(r, time, MEMORY_PARTS) + 1; i < MEMORY_PARTS; i++)
            row->least[i] = UINT64_MAX;
    }
    return &sites->all.at[index];
}

/* The present amount of the site is held until `time`. */
static void site_lasts_until(const struct report *r, struct memory_site *site, uint64_t time)
{
    lower(site->least, slice_of(r, site->time, MEMORY_PARTS), slice_of(r, time, MEMORY_PARTS),
          site->held);
    site->time = time;
}

/*
 * If a peak came since the last change of the site, the site held its present amount at that peak.
 */
static void look_back(struct memory_site *site, uint64_t peaks)
{
    if (site->peaks < peaks)
        site->at_peak = site->held;
    site->peaks = peaks;
}

/* The change of a block, by the attributes of a value. */
struct change {
    uint64_t bytes; /* bytes represented by the block */
    uint32_t site;  /* NIL: not known */
    bool is_taken;
    bool is_given;
    bool is_sample;
};

static void add_change(const struct report *r, struct memory_site *row, const struct change *c,
                       const struct holding *held)
{
    look_back(row, held->peaks);
    site_lasts_until(r, row, held->time);
    row->blocks += c->is_taken;
    row->samples += c->is_taken && c->is_sample;
    row->taken += c->is_taken ? c->bytes : 0;
    row->held = c->is_taken            ? row->held + c->bytes
                : c->bytes < row->held ? row->held - c->bytes
                                       : 0;
    row->most = row->held > row->most ? row->held : row->most;
    site_lasts_until(r, row, held->time);
}

/*
 * Takes a value of memory, perhaps a new peak; the attributes tell whether the value belongs to a
 * block.
 */
static struct change take_block(struct report *r, struct holding *held, bool is_peak,
                                const OTF2_AttributeList *attributes)
{
    struct change c = {.site = NIL};
    uint64_t stands_for;
    c.is_taken = defs_number_in(attributes, r->defs.taken, &c.bytes);
    c.is_given = !c.is_taken && defs_number_in(attributes, r->defs.given, &c.bytes);
    if (c.is_taken || c.is_given) {
        uint32_t path;
        c.site = defs_taker_in(&r->defs, attributes, &path);
        c.is_sample = defs_number_in(attributes, r->defs.stands_for, &stands_for);
        c.bytes = c.is_sample ? stands_for : c.bytes;
        add_change(r, row_of(r, held, held->time, c.site, NIL), &c, held);
        if (defs_path_has_callers(&r->defs, path))
            add_change(r, row_of(r, held, held->time, c.site, path), &c, held);
    }
    held->peaks += is_peak;
    return c;
}

/* ---- values ---- */

static void take_peaks(struct holding *held, const uint64_t *values, uint64_t time)
{
    uint64_t peak = values[HELD_PEAK] > values[HELD] ? values[HELD_PEAK] : values[HELD];
    uint64_t mapped = values[MAPPED_PEAK] > values[MAPPED] ? values[MAPPED_PEAK] : values[MAPPED];
    held->heap = values[HELD];
    held->mapped = values[MAPPED];
    held->mapped_peak = mapped > held->mapped_peak ? mapped : held->mapped_peak;
    if (peak > held->peak) {
        held->peak = peak;
        held->peak_at = time;
    }
}

void memory_take(struct report *r, struct stream *s, const uint64_t *values,
                 const OTF2_AttributeList *attributes)
{
    uint64_t bytes = values[HELD] + values[MAPPED];
    struct holding *held = held_of(r, s);
    if (held->records++)
        last_until(r, held, s->last);
    held->time = s->last;
    held->bytes = bytes;
    last_until(r, held, s->last);
    bool is_most = bytes > held->most_bytes;
    held->most_bytes = is_most ? bytes : held->most_bytes;
    struct change c = take_block(r, held, is_most, attributes);
    take_peaks(held, values, s->last);
    if (r->listener)
        r->listener->memory(r, &(struct single_memory){s->last, values, c.bytes, s->location,
                                                       c.site, c.is_taken, c.is_given});
}

/* ---- growth ---- */

enum { LAST_TENTH = MEMORY_PARTS - MEMORY_PARTS / MEMORY_TENTHS, MIDDLE = MEMORY_PARTS / 2 };

/* The least of each fortieth of the run, from the least of each 200th. */
static void find_least(const struct holding *held, uint64_t *least)
{
    enum { EACH = MEMORY_FLOORS / MEMORY_PARTS };
    for (uint32_t i = 0; i < MEMORY_PARTS; i++) {
        least[i] = UINT64_MAX;
        for (uint32_t j = i * EACH; j < (i + 1) * EACH; j++)
            least[i] = held->least[j] < least[i] ? held->least[j] : least[i];
    }
}

/*
 * floor[i]: the least amount held in fortieth i of the run or later. In the last tenth: the largest
 * amount held all through one of its fortieths. The reason: a process may give everything back at
 * the end, and meanwhile takes blocks for a short time.
 */
static void find_floors(const uint64_t *least, uint64_t *floor)
{
    uint64_t end = 0;
    for (uint32_t i = LAST_TENTH; i < MEMORY_PARTS; i++)
        end = least[i] != UINT64_MAX && least[i] > end ? least[i] : end;
    for (uint32_t i = MEMORY_PARTS; i-- > 0;) {
        bool is_end = i >= LAST_TENTH;
        uint64_t later = is_end ? end : floor[i + 1];
        floor[i] = !is_end && least[i] < later ? least[i] : later;
    }
}

/*
 * floor[i] becomes what is held in fortieth i and lasts. While blocks are held that are given back
 * later, the process's own floor is only a bound from above. The floors of the call sites tell how
 * much less lasts. Bounds from below: what lasts already; and what the process is seen to give
 * back, since a site may also grow while another site shrinks by as much.
 */
static void find_lasting(const struct holding *held, uint64_t *floor)
{
    const uint64_t *sites = held->sites;
    uint64_t least[MEMORY_PARTS];
    uint64_t before = 0;
    find_least(held, least);
    find_floors(least, floor);
    uint64_t end = floor[MEMORY_PARTS - 1];
    for (uint32_t i = 0; i < LAST_TENTH; i++) {
        uint64_t given_back = least[i] != UINT64_MAX ? least[i] - floor[i] : 0;
        uint64_t grown = sites[MEMORY_PARTS - 1] - sites[i];
        uint64_t lasting = grown < end ? end - grown : 0;
        uint64_t seen = given_back < floor[i] ? floor[i] - given_back : 0;
        lasting = lasting > seen ? lasting : seen;
        lasting = lasting > before ? lasting : before;
        floor[i] = lasting < floor[i] ? lasting : floor[i];
        before = floor[i];
    }
}

/* The first fortieth in which the lasting amount has reached `bytes`. */
static uint32_t reached(const uint64_t *floor, uint64_t bytes)
{
    uint32_t i = MIDDLE;
    while (i < MEMORY_PARTS - 1 && floor[i] < bytes)
        i++;
    return i;
}

/*
 * The amount grows until the end, and not by a few large blocks, nor by a phase of the program:
 * buffers, and a cache that reaches its size, do that.
 */
static bool is_steady(const uint64_t *floor, uint64_t bytes)
{
    enum { MOST_TENTHS = 4, LATE_TENTHS = 1, LATE = MEMORY_PARTS * 3 / 4 };
    enum { LEAST_APART = MEMORY_PARTS / MEMORY_TENTHS };
    uint64_t most = 0;
    for (uint32_t i = MIDDLE; i < MEMORY_PARTS; i++)
        most = floor[i] - floor[i - 1] > most ? floor[i] - floor[i - 1] : most;
    uint64_t begin = floor[MIDDLE - 1];
    uint64_t late = floor[MEMORY_PARTS - 1] - floor[LATE - 1];
    return most <= bytes / MEMORY_TENTHS * MOST_TENTHS &&
           late >= bytes / MEMORY_TENTHS * LATE_TENTHS &&
           reached(floor, begin + bytes - bytes / 4) - reached(floor, begin + bytes / 4) >=
               LEAST_APART;
}

struct memory_growth memory_growth(const struct holding *held)
{
    uint64_t floor[MEMORY_PARTS];
    find_lasting(held, floor);
    uint64_t end = floor[MEMORY_PARTS - 1];
    uint64_t bytes = end - floor[MIDDLE - 1];
    return (struct memory_growth){end, bytes && is_steady(floor, bytes) ? bytes : 0};
}

/* The growth of a site; its floors count for its process. */
static void finish_growth(struct memory_site *site, struct holding *held)
{
    uint64_t floor[MEMORY_PARTS];
    find_floors(site->least, floor);
    site->growth = floor[MEMORY_PARTS - 1] - floor[MIDDLE - 1];
    for (uint32_t i = 0; site->path == NIL && i < MEMORY_PARTS; i++)
        held->sites[i] += floor[i];
}

/*
 * The least amount in the slices that lie completely between `begin` and `end`; UINT64_MAX: no
 * slice.
 */
static uint64_t floor_between(const struct report *r, const struct holding *held, uint64_t begin,
                              uint64_t end)
{
    uint64_t least = UINT64_MAX;
    uint32_t to = slice_of(r, end, MEMORY_FLOORS);
    for (uint32_t i = slice_of(r, begin, MEMORY_FLOORS) + 1; i < to; i++)
        least = held->least[i] < least ? held->least[i] : least;
    return least;
}

double memory_growth_each(const struct report *r, const struct holding *held, const uint64_t *ends,
                          size_t n)
{
    enum { TENTHS = MEMORY_TENTHS };
    uint64_t floor[TENTHS];
    if (n < TENTHS)
        return 0;
    for (size_t i = 1; i < TENTHS; i++) {
        floor[i] = floor_between(r, held, ends[n * i / TENTHS - 1], ends[n * (i + 1) / TENTHS - 1]);
        if (floor[i] == UINT64_MAX || (i > 1 && floor[i] <= floor[i - 1]))
            return 0;
    }
    return (double)(floor[TENTHS - 1] - floor[1]) * TENTHS / (double)((TENTHS - 2) * n);
}

void memory_sites_finish(struct report *r)
{
    for (size_t i = 0; i < r->memory_sites.all.n; i++) {
        struct memory_site *site = &r->memory_sites.all.at[i];
        struct holding *held = &r->memory.all.at[site->holding];
        look_back(site, held->peaks);
        site_lasts_until(r, site, held->time);
        finish_growth(site, held);
    }
}

/*
 * The row of a process with the largest growth: among the paths to `site`, or among the sites if
 * `site` is NULL.
 */
static const struct memory_site *grown_most(const struct report *r, uint32_t location,
                                            const struct memory_site *site)
{
    const struct memory_site *most = NULL;
    for (size_t i = 0; i < r->memory_sites.all.n; i++) {
        const struct memory_site *row = &r->memory_sites.all.at[i];
        bool is_one = site ? row->path != NIL && row->site == site->site
                           : row->path == NIL && row->site != NIL;
        if (is_one && row->location == location && row->growth > (most ? most->growth : 0))
            most = row;
    }
    return most;
}

const struct memory_site *memory_sites_most(const struct report *r, uint32_t location)
{
    return grown_most(r, location, NULL);
}

const struct memory_site *memory_paths_most(const struct report *r, const struct memory_site *site)
{
    return grown_most(r, site->location, site);
}
