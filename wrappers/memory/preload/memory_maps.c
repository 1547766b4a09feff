/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/memory/preload/memory_maps.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/lock.h"
#include "wrappers/memory/preload/memory_count.h"
#include "wrappers/memory/preload/memory_keep.h"

static struct {
    struct spur_lock lock;
    struct memory_spans known;  /* MEMORY_OPEN and MEMORY_CLOSED */
    struct memory_spans blocks; /* each MEMORY_ALONE */
    uintptr_t page;
    uintptr_t begin, end; /* of the allocator's library */
} maps;

/* ---- the lock ---- */

/*
 * Functions that the program has given to pthread_atfork() run while the thread has the lock: it
 * keeps what it has.
 */
static bool take_lock(void)
{
    if (spur_locks_held)
        return false;
    spur_lock_take(&maps.lock);
    return true;
}

static void give_lock(bool is_taken)
{
    if (is_taken)
        spur_lock_give(&maps.lock);
}

static void before_fork(void)
{
    spur_lock_take(&maps.lock);
}

static void after_fork(void)
{
    spur_lock_give(&maps.lock);
}

/* ---- the allocator ---- */

void memory_maps_start(uintptr_t begin, uintptr_t end)
{
    maps.page = (uintptr_t)sysconf(_SC_PAGESIZE);
    maps.begin = begin;
    maps.end = end;
}

void memory_maps_watch(void)
{
    static atomic_flag is_watched = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_watched))
        (void)pthread_atfork(before_fork, after_fork, after_fork);
}

bool memory_maps_is_allocator(const void *caller)
{
    return (uintptr_t)caller >= maps.begin && (uintptr_t)caller < maps.end;
}

/* ---- sums ---- */

struct memory_span memory_span_of(const void *p, size_t bytes, enum memory_mark mark)
{
    uintptr_t begin = (uintptr_t)p, rest = maps.page - 1;
    uintptr_t end = begin + bytes;
    bool is_too_much = end < begin || end > UINTPTR_MAX - rest;
    return (struct memory_span){begin, is_too_much ? begin : (end + rest) & ~rest, mark};
}

static int64_t open_in(struct memory_span span)
{
    int64_t sum = 0;
    const struct memory_span *at = memory_spans_find(&maps.known, span.begin, span.end);
    for (const struct memory_span *stop = maps.known.at + maps.known.n;
         at && at < stop && at->begin < span.end; at++) {
        uintptr_t begin = at->begin > span.begin ? at->begin : span.begin;
        uintptr_t end = at->end < span.end ? at->end : span.end;
        sum += at->mark == MEMORY_OPEN ? (int64_t)(end - begin) : 0;
    }
    return sum;
}

/* With the lock. */
static void set(struct memory_span span)
{
    int64_t before = open_in(span);
    if (memory_spans_set(&maps.known, span))
        memory_count_map(open_in(span) - before);
}

/* ---- recorded blocks ---- */

/* A part of a block stays with the block's call site. */
static void add_block(struct memory_span span, struct memory_block block)
{
    span.mark = MEMORY_ALONE;
    block.bytes = span.end - span.begin;
    if (!block.bytes || !memory_map_kept(span.begin, &block))
        return;
    bool is_taken = take_lock();
    (void)memory_spans_set(&maps.blocks, span);
    give_lock(is_taken);
}

static bool take_out_block(struct memory_span span, struct memory_span *found)
{
    bool is_taken = take_lock();
    const struct memory_span *at = memory_spans_find(&maps.blocks, span.begin, span.end);
    bool is_found = at != NULL;
    if (is_found) {
        *found = *at;
        found->mark = MEMORY_NOTHING;
        (void)memory_spans_set(&maps.blocks, *found);
    }
    give_lock(is_taken);
    return is_found;
}

/* Blocks are given back as a whole; what is left of them is taken again. */
static void lose_blocks(struct memory_span span, struct memory_lost *lost)
{
    struct memory_span found;
    while (take_out_block(span, &found)) {
        struct memory_block block = {0};
        if (!memory_map_given(found.begin, &block))
            continue;
        struct memory_span before = found, behind = found, gone = found;
        before.end = gone.begin = found.begin > span.begin ? found.begin : span.begin;
        behind.begin = gone.end = found.end < span.end ? found.end : span.end;
        add_block(before, block);
        add_block(behind, block);
        if (lost && lost->n_blocks < MEMORY_PIECES) {
            lost->where[lost->n_blocks] = gone;
            lost->block[lost->n_blocks++] = block;
        }
    }
}

bool memory_maps_has_block(struct memory_span span)
{
    if (!memory_kept.is_on)
        return false;
    bool is_taken = take_lock();
    bool has = memory_spans_find(&maps.blocks, span.begin, span.end) != NULL;
    give_lock(is_taken);
    return has;
}

/* ---- changes ---- */

void memory_maps_set(struct memory_span span, bool is_large, struct memory_caller caller)
{
    if (memory_maps_has_block(span))
        lose_blocks(span, NULL);
    bool is_taken = take_lock();
    set(span);
    give_lock(is_taken);
    if (is_large && span.mark == MEMORY_OPEN)
        add_block(span, (struct memory_block){.caller = caller.address});
    memory_count_tell();
}

/* The next part from `span.begin` on that is known and has another mark. */
static bool find_part(struct memory_span span, struct memory_span *part)
{
    const struct memory_span *at = memory_spans_find(&maps.known, span.begin, span.end);
    const struct memory_span *stop = maps.known.at + maps.known.n;
    while (at && at < stop && at->begin < span.end && at->mark == span.mark)
        at++;
    if (!at || at == stop || at->begin >= span.end)
        return false;
    part->begin = at->begin > span.begin ? at->begin : span.begin;
    part->end = at->end < span.end ? at->end : span.end;
    part->mark = span.mark;
    return true;
}

bool memory_maps_differs(struct memory_span span)
{
    struct memory_span part;
    bool is_taken = take_lock();
    bool differs = find_part(span, &part);
    give_lock(is_taken);
    return differs;
}

enum memory_mark memory_maps_at(const void *p)
{
    bool is_taken = take_lock();
    const struct memory_span *at = memory_spans_find(&maps.known, (uintptr_t)p, (uintptr_t)p + 1);
    enum memory_mark mark = at ? at->mark : MEMORY_NOTHING;
    give_lock(is_taken);
    return mark;
}

void memory_maps_protect(struct memory_span span, bool is_large, struct memory_caller caller)
{
    struct memory_span part;
    bool is_found = true;
    if (span.mark == MEMORY_CLOSED && memory_maps_has_block(span))
        lose_blocks(span, NULL);
    for (; is_found; span.begin = part.end) {
        bool is_taken = take_lock();
        is_found = find_part(span, &part);
        if (is_found)
            set(part);
        give_lock(is_taken);
        if (!is_found)
            break;
        if (is_large && span.mark == MEMORY_OPEN && part.end - part.begin >= memory_kept.from)
            add_block(part, (struct memory_block){.caller = caller.address});
    }
    memory_count_tell();
}

void memory_maps_lose(struct memory_span span, struct memory_lost *lost)
{
    lost->n = lost->n_blocks = 0;
    if (memory_maps_has_block(span))
        lose_blocks(span, lost);
    bool is_taken = take_lock();
    const struct memory_span *at = memory_spans_find(&maps.known, span.begin, span.end);
    const struct memory_span *stop = maps.known.at + maps.known.n;
    for (; at && at < stop && at->begin < span.end && lost->n < MEMORY_PIECES; at++) {
        struct memory_span *piece = &lost->piece[lost->n++];
        *piece = *at;
        piece->begin = at->begin > span.begin ? at->begin : span.begin;
        piece->end = at->end < span.end ? at->end : span.end;
    }
    span.mark = MEMORY_NOTHING;
    set(span);
    give_lock(is_taken);
}

void memory_maps_restore(const struct memory_lost *lost)
{
    bool is_taken = take_lock();
    for (size_t i = 0; i < lost->n; i++)
        set(lost->piece[i]);
    give_lock(is_taken);
    for (size_t i = 0; i < lost->n_blocks; i++)
        add_block(lost->where[i], lost->block[i]);
}
