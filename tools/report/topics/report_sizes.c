/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_sizes.h"

#include "tools/report/topics/report.h"

uint32_t sizes_of(struct sizes *sizes, uint32_t comm, enum size_kind kind, uint32_t power)
{
    const uint64_t key = (uint64_t)kind << 8 | power;
    uint32_t *near = &sizes->near[kind][power];
    const struct size *last = *near < sizes->all.n ? &sizes->all.at[*near] : NULL;
    if (last && last->comm == comm && last->kind == kind && last->power == power)
        return *near;
    *near = map_index(&sizes->index_of, comm, key, sizes->all.n);
    if (*near == sizes->all.n)
        *LIST_ADD(&sizes->all) = (struct size){.comm = comm, .kind = kind, .power = power};
    return *near;
}

void sizes_join(struct sizes *sizes, const struct size *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t index = sizes_of(sizes, rows[i].comm, rows[i].kind, rows[i].power);
        sizes->all.at[index].n += rows[i].n;
        sizes->all.at[index].bytes += rows[i].bytes;
        sizes->all.at[index].ticks += rows[i].ticks;
    }
}

/* Outside of all calls it has no time. */
static void share(struct stream *s, uint32_t row)
{
    if (s->stack.n > 1)
        *LIST_ADD(&s->sizes) = row;
}

uint32_t sizes_add(struct report *r, struct stream *s, uint32_t comm, enum size_kind kind,
                   uint64_t bytes)
{
    if (!report_has(r, s))
        return NIL;
    uint32_t row = sizes_of(&r->sizes, comm, kind, sizes_power(bytes));
    r->sizes.all.at[row].n++;
    r->sizes.all.at[row].bytes += bytes;
    share(s, row);
    return row;
}

void sizes_received(struct report *r, struct stream *s, uint32_t comm, uint64_t bytes)
{
    if (report_has(r, s))
        share(s, sizes_of(&r->sizes, comm, SIZE_MESSAGE, sizes_power(bytes)));
}

void sizes_requested(struct report *r, const struct stream *s, uint64_t request, uint32_t row)
{
    if (row != NIL)
        map_set(&r->sizes.request_of, s->process, request, row);
}

void sizes_completed(struct report *r, struct stream *s, uint64_t request)
{
    uint32_t row = map_find(&r->sizes.request_of, s->process, request);
    if (row == NIL)
        return;
    map_remove(&r->sizes.request_of, s->process, request);
    share(s, row);
}

void sizes_cancelled(struct report *r, const struct stream *s, uint64_t request)
{
    map_remove(&r->sizes.request_of, s->process, request);
}

void sizes_returned(struct report *r, struct stream *s, uint64_t ticks)
{
    const uint64_t n = s->sizes.n;
    for (size_t i = 0; i < n; i++)
        r->sizes.all.at[s->sizes.at[i]].ticks += ticks / n + (i < ticks % n);
    s->sizes.n = 0;
}
