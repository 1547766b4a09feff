/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the memory that processes hold. */
#include <stdlib.h>

#include "tools/report/show/report_sections.h"

static double seconds_since_begin(const struct report *r, uint64_t time)
{
    return defs_seconds(&r->defs, time > r->first ? time - r->first : 0);
}

const struct column columns_memory[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "the process"},
    {"peak", "peak", UNIT_BYTES, EVERYWHERE, "the most that it held of the heap at once"},
    {"peak_at", "at", UNIT_SECONDS, EVERYWHERE,
     "seconds since the beginning: the first record with this peak"},
    {"end", "at the end", UNIT_BYTES, EVERYWHERE, "what it held when it ended"},
    {"growth", "growth", UNIT_BYTES, UNLESS_ZERO,
     "growth in the second half of the run, if its memory grew in each tenth of the run there; "
     "else 0"},
    {"records", "", UNIT_COUNT, DATA_ONLY, "number of values"},
};
COLUMNS_END(memory)

void fill_memory(struct report *r, const struct wish *wish, struct table *t)
{
    (void)wish;
    for (size_t i = 0; i < r->memory.all.n; i++) {
        const struct holding *held = &r->memory.all.at[i];
        put_text(t, defs_process_name(&r->defs, held->process));
        put_count(t, held->peak);
        put_real(t, seconds_since_begin(r, held->peak_at));
        put_count(t, held->bytes);
        put_count(t, memory_growth(held));
        put_count(t, held->records);
    }
}

const struct column columns_memory_course[] = {
    {"from", "from", UNIT_SECONDS, EVERYWHERE,
     "seconds since the beginning; the run has 20 such slices"},
    {"held", "held", UNIT_BYTES, EVERYWHERE,
     "the most that each process held in the slice, sum of all processes"},
    {"most", "most", UNIT_BYTES, EVERYWHERE, "the same of the process that held most"},
    {"process", "process", UNIT_TEXT, EVERYWHERE, "that process"},
};
COLUMNS_END(memory_course)

void fill_memory_course(struct report *r, const struct wish *wish, struct table *t)
{
    (void)wish;
    for (uint32_t slice = 0; slice < MEMORY_SLICES && r->memory.all.n; slice++) {
        const struct holding *most = &r->memory.all.at[0];
        uint64_t sum = 0;
        for (size_t i = 0; i < r->memory.all.n; i++) {
            const struct holding *held = &r->memory.all.at[i];
            sum += held->most[slice];
            most = held->most[slice] > most->most[slice] ? held : most;
        }
        put_real(t, seconds_since_begin(r, memory_slice_begin(r, slice)));
        put_count(t, sum);
        put_count(t, most->most[slice]);
        put_text(t, defs_process_name(&r->defs, most->process));
    }
}

const struct column columns_memory_sites[] = {
    SITE_COLUMNS("takes the memory", "not known"),
    {"function", "in", UNIT_TEXT, EVERYWHERE, "the function that takes it"},
    {"at_peak", "at the peak", UNIT_BYTES, EVERYWHERE,
     "what was held of it when each process held most, sum of all processes"},
    {"most", "at most", UNIT_BYTES, EVERYWHERE,
     "the most that each process held of it at once, sum of all processes"},
    {"end", "at the end", UNIT_BYTES, EVERYWHERE, "what was held of it when the processes ended"},
    {"taken", "taken", UNIT_BYTES, EVERYWHERE, "all that was taken"},
    {"blocks", "recorded", UNIT_COUNT, EVERYWHERE, "number of blocks that were recorded"},
    {"samples", "samples", UNIT_COUNT, UNLESS_ZERO,
     "how many of them are samples, each of which stands for many blocks: then the bytes are "
     "estimates"},
};
COLUMNS_END(memory_sites)

/* All processes together. `sums` has room for all; returns how many there are. */
static size_t sum_by_site(const struct report *r, struct memory_site *sums)
{
    struct map index_of = {0};
    size_t n = 0;
    for (size_t i = 0; i < r->memory_sites.all.n; i++) {
        const struct memory_site *site = &r->memory_sites.all.at[i];
        uint32_t at = map_index(&index_of, site->site, 0, n);
        if (at == n)
            sums[n++] = (struct memory_site){.site = site->site};
        sums[at].at_peak += site->at_peak;
        sums[at].most += site->most;
        sums[at].held += site->held;
        sums[at].taken += site->taken;
        sums[at].blocks += site->blocks;
        sums[at].samples += site->samples;
    }
    free(index_of.slots);
    return n;
}

void fill_memory_sites(struct report *r, const struct wish *wish, struct table *t)
{
    struct memory_site *sums = take_memory((r->memory_sites.all.n + 1) * sizeof *sums);
    size_t n = sum_by_site(r, sums);
    (void)wish;
    for (size_t i = 0; i < n; i++) {
        put_site(r, t, sums[i].site);
        put_count(t, sums[i].at_peak);
        put_count(t, sums[i].most);
        put_count(t, sums[i].held);
        put_count(t, sums[i].taken);
        put_count(t, sums[i].blocks);
        put_count(t, sums[i].samples);
    }
    free(sums);
}
