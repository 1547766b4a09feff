/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/causes/causes_opens.h"

#include <stdlib.h>

#include "tools/report/topics/report.h"

/* ---- the openings of one file, in the order of their ends ---- */

struct row {
    const struct file_opening *at;
    uint64_t file; /* the file's own number, or the handle's, and the interface */
    uint64_t layer;
};

struct turn {
    struct report *r;
    const struct row *rows;
    size_t n;
    struct opens_wait *wait;
    LIST(size_t) shortest; /* rows shorter than all following rows, up to the present row */
};

static uint64_t ticks_of(const struct row *row)
{
    return row->at->end - row->at->begin;
}

/* The first row, up to `i`, still open at `time`. */
static size_t first_after(const struct turn *t, size_t i, uint64_t time)
{
    size_t low = 0;
    while (low < i) {
        size_t middle = low + (i - low) / 2;
        if (t->rows[middle].at->end > time)
            i = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Rows come in order, each after the row before. */
static void keep_shortest(struct turn *t, size_t i)
{
    while (t->shortest.n &&
           ticks_of(&t->rows[t->shortest.at[t->shortest.n - 1]]) >= ticks_of(&t->rows[i]))
        t->shortest.n--;
    *LIST_ADD(&t->shortest) = i;
}

/* The shortest duration from a row on up to the present row. */
static uint64_t shortest_from(const struct turn *t, size_t first)
{
    size_t low = 0;
    size_t high = t->shortest.n - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->shortest.at[middle] >= first)
            high = middle;
        else
            low = middle + 1;
    }
    return ticks_of(&t->rows[t->shortest.at[low]]);
}

/* A row waits up to a time for another row. */
static void add_wait(struct turn *t, size_t i, uint64_t begin, uint64_t end, const struct row *whom)
{
    const struct file_opening *one = t->rows[i].at;
    struct opens_wait *w = t->wait;
    if (end <= begin || one->location == whom->at->location || !t->r->is_selected[one->location])
        return;
    w->n++;
    w->ticks += end - begin;
    if (end - begin <= place_ticks(&w->longest))
        return;
    place_add(&w->longest, begin, end, one->location, whom->at->location);
    w->site = one->site;
    w->whom_ticks = ticks_of(whom);
    w->is_creation = whom == t->rows && whom->at->creates && !w->is_collective;
}

static void one_by_one(struct turn *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct file_opening *one = t->rows[i].at;
        size_t first = first_after(t, i, one->begin);
        keep_shortest(t, i);
        if (first == i)
            continue;
        uint64_t before = t->rows[i - 1].at->end;
        uint64_t longer = ticks_of(&t->rows[i]) - shortest_from(t, first);
        uint64_t ticks = before - one->begin < longer ? before - one->begin : longer;
        uint64_t created = t->rows[0].at->end - one->begin;
        if (first == 0 && t->rows[0].at->creates && created > ticks)
            ticks = created;
        add_wait(t, i, one->begin, one->begin + ticks, &t->rows[first]);
    }
}

/* ---- openings by a communicator, in the order of their begins ---- */

static int by_begin(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;
    ORDER(x->at->handle, y->at->handle);
    ORDER(x->at->begin, y->at->begin);
    ORDER(x->at->location, y->at->location);
    return 0;
}

/*
 * The number of rows from `first` on that belong to the same opening: every process begins before
 * the opening is over.
 */
static size_t opened_together(const struct turn *t, size_t first)
{
    uint64_t end = t->rows[first].at->end;
    size_t i = first + 1;
    for (; i < t->n && t->rows[i].at->handle == t->rows[first].at->handle &&
           t->rows[i].at->begin < end;
         i++)
        end = t->rows[i].at->end < end ? t->rows[i].at->end : end;
    return i - first;
}

static void together(struct turn *t)
{
    size_t n;
    for (size_t first = 0; first < t->n; first += n) {
        n = opened_together(t, first);
        const struct row *last = &t->rows[first + n - 1];
        for (size_t i = first; i < first + n; i++)
            add_wait(t, i, t->rows[i].at->begin, last->at->begin, last);
    }
}

/* ---- all files ---- */

static int by_file(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;
    ORDER(x->file, y->file);
    ORDER(x->layer, y->layer);
    ORDER(x->at->end, y->at->end);
    ORDER(x->at->begin, y->at->begin);
    ORDER(x->at->location, y->at->location);
    return 0;
}

static int by_ticks(const void *a, const void *b)
{
    const struct opens_wait *x = a;
    const struct opens_wait *y = b;
    return (x->ticks < y->ticks) - (x->ticks > y->ticks);
}

/* Handles without a file are files of their own. */
static struct row row_of(const struct report *r, const struct file_opening *one)
{
    const uint64_t has_no_file = UINT64_C(1) << 63;
    const uint32_t index = defs_handle(&r->defs, one->handle);
    const struct io_handle *handle = index == NIL ? NULL : &r->defs.handles.at[index];
    bool has_file = handle && handle->file != OTF2_UNDEFINED_IO_FILE;
    return (struct row){.at = one,
                        .file = has_file ? handle->file : has_no_file | one->handle,
                        .layer = handle ? handle->paradigm : 0};
}

static struct opens_wait judge(struct report *r, struct row *rows, size_t n)
{
    struct opens_wait wait = {.handle = rows->at->handle,
                              .openings = n,
                              .site = NIL,
                              .is_collective =
                                  defs_handle_is_collective(&r->defs, rows->at->handle)};
    struct turn turn = {.r = r, .rows = rows, .n = n, .wait = &wait};
    if (wait.is_collective) {
        qsort(rows, n, sizeof *rows, by_begin);
        together(&turn);
    } else {
        one_by_one(&turn);
    }
    free(turn.shortest.at);
    return wait;
}

struct opens_wait *opens_waits(struct report *r, size_t *n)
{
    LIST(struct row) rows = {0};
    LIST(struct opens_wait) waits = {0};
    size_t end;
    for (size_t i = 0; i < r->opens.all.n; i++)
        *LIST_ADD(&rows) = row_of(r, &r->opens.all.at[i]);
    LIST_SORT(&rows, by_file);
    for (size_t first = 0; first < rows.n; first = end) {
        const struct row *one = &rows.at[first];
        for (end = first + 1; end < rows.n; end++)
            if (rows.at[end].file != one->file || rows.at[end].layer != one->layer)
                break;
        struct opens_wait wait = judge(r, &rows.at[first], end - first);
        if (wait.n)
            *LIST_ADD(&waits) = wait;
    }
    LIST_SORT(&waits, by_ticks);
    free(rows.at);
    *n = waits.n;
    return waits.at;
}
