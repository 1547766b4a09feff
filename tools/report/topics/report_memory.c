/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report.h"

uint32_t memory_slice(const struct report *r, uint64_t time)
{
    const struct clock *clock = &r->defs.clock;
    uint64_t since = time > clock->start ? time - clock->start : 0;
    double slice = (double)since * MEMORY_SLICES / (double)(clock->length ? clock->length : 1);
    return slice < MEMORY_SLICES ? (uint32_t)slice : MEMORY_SLICES - 1;
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
    s->holding = (uint32_t)m->all.n;
    return held;
}

/* What was held lasts until now. */
static void last_until(const struct report *r, struct holding *held, uint64_t time)
{
    uint32_t to = memory_slice(r, time);
    for (uint32_t i = memory_slice(r, held->time); i <= to; i++)
        if (held->most[i] < held->bytes)
            held->most[i] = held->bytes;
}

void memory_take(struct report *r, struct stream *s, uint64_t bytes, uint64_t peak)
{
    struct holding *held = held_of(r, s);
    last_until(r, held, s->last);
    held->records++;
    held->time = s->last;
    held->bytes = bytes;
    last_until(r, held, s->last);
    if (peak > held->peak) {
        held->peak = peak;
        held->peak_at = s->last;
    }
}

uint64_t memory_growth(const struct holding *held)
{
    enum { TENTHS = 10, EACH = MEMORY_SLICES / TENTHS, MIDDLE = TENTHS / 2 };
    uint64_t most[TENTHS] = {0};
    for (uint32_t i = 0; i < MEMORY_SLICES; i++)
        if (most[i / EACH] < held->most[i])
            most[i / EACH] = held->most[i];
    for (int i = MIDDLE; i < TENTHS; i++)
        if (most[i] <= most[i - 1])
            return 0;
    return most[TENTHS - 1] - most[MIDDLE - 1];
}
