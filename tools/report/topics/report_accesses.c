/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report.h"

struct access *accesses_row(struct accesses *a, const struct access *like)
{
    enum { FILE_SHIFT = 16, KIND_SHIFT = 8, BELOW_SHIFT = 15 };
    const uint64_t who = (uint64_t)like->process << 32 | like->site;
    const uint64_t what = (uint64_t)like->file << FILE_SHIFT |
                          (uint64_t)like->is_below << BELOW_SHIFT |
                          (uint64_t)like->kind << KIND_SHIFT | like->power;
    uint32_t index = map_index(&a->index_of, who, what, a->all.n);
    if (index == a->all.n) {
        struct access *row = LIST_ADD(&a->all);
        *row = *like;
        row->moves = (struct moves){0};
    }
    return &a->all.at[index];
}

void moves_add(struct moves *to, const struct moves *from)
{
    to->n += from->n;
    to->bytes += from->bytes;
    to->ticks += from->ticks;
    to->moved += from->moved;
    to->small += from->small;
    to->sequential += from->sequential;
    to->strided += from->strided;
    to->random += from->random;
    to->placed += from->placed;
    to->unaligned += from->unaligned;
}

/* ---- positions ---- */

static uint32_t new_position(struct accesses *a)
{
    uint32_t index = a->free ? a->free - 1 : (uint32_t)a->positions.n;
    if (a->free)
        a->free = a->positions.at[index].next_free;
    else
        (void)LIST_ADD(&a->positions);
    a->positions.at[index] = (struct access_position){.n_handles = 1};
    return index;
}

static uint32_t position_index(struct report *r, uint32_t process, uint64_t handle)
{
    struct accesses *a = &r->accesses;
    uint32_t index = map_find(&a->position_of, process, handle);
    if (index == NIL) {
        index = new_position(a);
        a->positions.at[index].appends = defs_handle_appends(&r->defs, handle);
        map_set(&a->position_of, process, handle, index);
    }
    return index;
}

static struct access_position *position_of(struct report *r, uint32_t process, uint64_t handle)
{
    uint32_t index = position_index(r, process, handle); /* the list may move */
    return &r->accesses.positions.at[index];
}

/* One that it has shared with duplicates stays theirs. */
static void leave_position(struct accesses *a, uint32_t process, uint64_t handle)
{
    uint32_t index = map_find(&a->position_of, process, handle);
    if (index == NIL || --a->positions.at[index].n_handles)
        return;
    a->positions.at[index].next_free = a->free;
    a->free = index + 1;
}

static void forget_place(struct access_position *p)
{
    *p = (struct access_position){.n_handles = p->n_handles, .appends = p->appends};
}

void accesses_flags(struct report *r, uint32_t process, uint64_t handle, bool appends)
{
    position_of(r, process, handle)->appends = appends;
}

void accesses_created(struct report *r, uint32_t process, uint64_t handle, bool appends)
{
    static const struct access_course at_begin = {.is_exact = true, .has_end = true};
    struct accesses *a = &r->accesses;
    leave_position(a, process, handle);
    uint32_t index = new_position(a);
    a->positions.at[index].is_exact = true;
    a->positions.at[index].appends = appends;
    for (int i = 0; i < 2; i++)
        a->positions.at[index].of[i] = at_begin;
    map_set(&a->position_of, process, handle, index);
}

void accesses_duplicated(struct report *r, uint32_t process, uint64_t from, uint64_t to,
                         bool appends)
{
    struct accesses *a = &r->accesses;
    uint32_t index = position_index(r, process, from);
    a->positions.at[index].n_handles++;
    a->positions.at[index].appends = appends;
    leave_position(a, process, to);
    map_set(&a->position_of, process, to, index);
}

void accesses_sought(struct report *r, uint32_t process, uint64_t handle, uint64_t place)
{
    struct access_position *p = position_of(r, process, handle);
    if (place == ACCESS_NOWHERE) {
        forget_place(p);
        return;
    }
    p->is_exact = true;
    p->at = place;
}

/* ---- operations ---- */

/* How an access goes on from those before it; then they are those before the next one. */
static void judge(struct access_course *course, bool is_exact, uint64_t begin, uint64_t bytes,
                  struct moves *one)
{
    if (course->is_exact != is_exact)
        *course = (struct access_course){.is_exact = is_exact};
    uint64_t stride = begin - course->begin; /* backwards as well: it is only compared */
    if (course->has_end && begin == course->end)
        one->sequential = 1;
    else if (course->has_stride && stride == course->stride)
        one->strided = 1;
    else if (course->has_end)
        one->random = 1;
    course->stride = stride;
    course->has_stride = course->has_begin;
    course->begin = begin;
    course->end = begin + bytes;
    course->has_begin = true;
    course->has_end = true;
}

/* Where it works is where the call says, or at the position, which it moves. */
static uint64_t place(struct report *r, const struct access *like, uint64_t handle, uint64_t bytes,
                      uint64_t offset, struct moves *one)
{
    struct access_position *p = position_of(r, like->process, handle);
    struct access_course *course = &p->of[like->kind];
    bool is_said = offset != ACCESS_NOWHERE;
    if (like->kind == ACCESS_WRITE && p->appends) {
        one->sequential = 1;
        if (!is_said)
            forget_place(p);
        return ACCESS_NOWHERE;
    }
    uint64_t begin = is_said ? offset : p->at;
    bool is_exact = is_said || p->is_exact;
    one->placed = is_exact;
    one->unaligned = is_exact && begin % ACCESS_BLOCK;
    judge(course, is_exact, begin, bytes, one);
    if (!is_said)
        p->at += bytes;
    return is_exact ? begin : ACCESS_NOWHERE;
}

uint64_t accesses_moved(struct report *r, struct access like, uint64_t handle, uint64_t bytes,
                        uint64_t offset, uint64_t ticks)
{
    uint64_t at = ACCESS_NOWHERE;
    struct moves one = {.n = 1, .bytes = bytes, .ticks = ticks};
    bool is_access = like.kind == ACCESS_READ || like.kind == ACCESS_WRITE;
    if (is_access && bytes) {
        one.moved = 1;
        one.small = bytes < ACCESS_BLOCK;
        if (!defs_handle_is_parallel(&r->defs, handle))
            at = place(r, &like, handle, bytes, offset, &one);
    }
    like.power = is_access ? (uint8_t)sizes_power(bytes) : 0;
    if (like.file != NIL)
        moves_add(&accesses_row(&r->accesses, &like)->moves, &one);
    return at;
}
