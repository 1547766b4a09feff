/* SPDX-License-Identifier: BSD-3-Clause */
/* The histogram of message sizes. */
#include <stdlib.h>

#include "tools/report/show/report_sections.h"

static const struct column columns_sizes[] = {
    {"communicator", "communicator", UNIT_TEXT, EVERYWHERE, "name"},
    {"kind", "kind", UNIT_TEXT, EVERYWHERE, "`point-to-point`, `collective` or `one-sided`"},
    {"from_bytes", "from", UNIT_BYTES, EVERYWHERE, "least bytes of the row"},
    {"below_bytes", "below", UNIT_BYTES, EVERYWHERE, "the row has fewer bytes than that"},
    {"count", "count", UNIT_COUNT, EVERYWHERE,
     "messages sent; calls of collective operations, all ranks; one-sided operations"},
    {"count_percent", "%", UNIT_PERCENT, EVERYWHERE,
     "`count` in percent of this kind on this communicator"},
    {"bytes", "volume", UNIT_BYTES, EVERYWHERE,
     "bytes; of a collective operation what the rank sends to or receives from all its partners,"
     " whichever is more"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE,
     "seconds of the calls that send, receive or complete them, with waiting; a call of several"
     " shares its time equally"},
};

static const char *const kinds[] = {
    [SIZE_MESSAGE] = "point-to-point",
    [SIZE_COLLECTIVE] = "collective",
    [SIZE_ONE_SIDED] = "one-sided",
};

static int by_size(const void *a, const void *b)
{
    const struct size *x = a;
    const struct size *y = b;
    ORDER(x->comm, y->comm);
    ORDER(x->kind, y->kind);
    return (x->power > y->power) - (x->power < y->power);
}

/* The sum over all rows of this kind on this communicator. */
static uint64_t count_of(const struct sizes *sizes, const struct size *of)
{
    uint64_t n = 0;
    for (size_t i = 0; i < sizes->all.n; i++)
        if (sizes->all.at[i].comm == of->comm && sizes->all.at[i].kind == of->kind)
            n += sizes->all.at[i].n;
    return n;
}

static void fill_sizes(struct report *r, struct table *t)
{
    size_t room = 0;
    struct size *all = list_grow(NULL, &room, r->sizes.all.n + 1, sizeof *all);
    for (size_t i = 0; i < r->sizes.all.n; i++)
        all[i] = r->sizes.all.at[i];
    qsort(all, r->sizes.all.n, sizeof *all, by_size);
    for (size_t i = 0; i < r->sizes.all.n; i++) {
        const struct size *size = &all[i];
        ROW(t, defs_comm_name(&r->defs, size->comm), kinds[size->kind]);
        put_power(t, size->power);
        ROW(t, size->n, percent_of(size->n, count_of(&r->sizes, size)), size->bytes, size->ticks);
    }
    free(all);
}

SECTION(sizes, "sizes", "Message sizes", "messages and operations by size, in powers of two",
        .is_only_by = true)
