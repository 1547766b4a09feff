/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory held by contexts of devices. The runtime reports each block that is taken and given back.
 * The reports arrive in any order, so changes are sorted by time before they count. If the taking
 * of a block is reported too late for the sorting, the block may count as given back already.
 */
#include <string.h>

#include "wrappers/device/device_state.h"

enum { BUCKETS = 4096, WAITING_MOST = 1024, WAITING = 512, SHIFT = 8 };

static const struct spur_gauge_value values[DEVICE_MEMORY_KINDS] = {
#define HELD(KIND, name, description) {name, "bytes", description},
#include "wrappers/device/device_memory.def"
#undef HELD
};

struct change {
    struct change *next;
    struct device_context *context;
    struct device_memory what;
};

/* A block in use, or a block given back before anybody reported its taking. */
struct block {
    struct block *next; /* of the bucket */
    struct device_context *context;
    struct device_memory what;
};

static struct {
    struct wrapper_lock lock;
    struct change *waiting; /* the latest change first */
    uint32_t n;
    struct block *bucket[BUCKETS];
    struct change *free_changes;
    struct block *free_blocks;
    OTF2_MetricRef metric_plus_1; /* 0: not defined yet */
} all;

void device_memory_forget(void)
{
    wrapper_lock_give(&all.lock);
    memset(&all, 0, sizeof all);
}

/* ---- records ---- */

static uint64_t ns_of(struct device_context *context, const struct device_memory *what)
{
    if (what->is_of_host)
        return what->time;
    wrapper_lock_take(&context->clock_lock);
    uint64_t ns = device_clock_host(&context->clock, what->time);
    wrapper_lock_give(&context->clock_lock);
    return ns;
}

static uint64_t ticks_at(struct device_context *context, const struct device_memory *what)
{
    const uint64_t ns = ns_of(context, what);
    const struct device_line line = device_line_now();
    return device_line_ticks(&line, ns < line.ns[1] ? ns : line.ns[1]);
}

/* Steps: a value holds until the next value. */
static void record(struct device_context *context, const struct device_memory *what)
{
    if (!all.metric_plus_1)
        all.metric_plus_1 = spur_def_gauge(DEVICE_MEMORY_KINDS, values) + 1;
    if (!context->has_memory)
        context->memory = spur_device_gauge(device_number(context), "Memory");
    context->has_memory = true;
    uint64_t ticks = ticks_at(context, what);
    if (ticks > context->memory_last)
        context->memory_last = ticks;
    if (context->memory)
        (void)spur_values_put(context->memory, all.metric_plus_1 - 1, context->memory_last,
                              DEVICE_MEMORY_KINDS, context->held);
}

/* ---- blocks ---- */

static struct block **find(uint64_t address)
{
    struct block **at = &all.bucket[(address >> SHIFT ^ address >> (2 * SHIFT)) % BUCKETS];
    while (*at && (*at)->what.address != address)
        at = &(*at)->next;
    return at;
}

static void forget_block(struct block **at)
{
    struct block *block = *at;
    *at = block->next;
    block->next = all.free_blocks;
    all.free_blocks = block;
}

static void keep_block(struct block **at, const struct change *change)
{
    struct block *block = all.free_blocks;
    if (block)
        all.free_blocks = block->next;
    else
        block = spur_mem_new(sizeof *block);
    if (!block)
        return;
    *block = (struct block){NULL, change->context, change->what};
    *at = block;
}

static void give_back(struct block **at, const struct device_memory *what)
{
    struct device_context *context = (*at)->context;
    const uint64_t bytes = (*at)->what.bytes;
    context->held[(*at)->what.kind] -= bytes;
    forget_block(at);
    if (bytes)
        record(context, what);
}

/* A block without a reported end is gone when another block has the same address. */
static void apply(const struct change *change)
{
    const struct device_memory *what = &change->what;
    struct block **at = find(what->address);
    if (*at && !(*at)->what.is_release) {
        give_back(at, what);
        at = find(what->address);
        if (what->is_release)
            return;
    }
    bool is_gone = *at && !what->is_release && (*at)->what.time >= what->time;
    if (*at)
        forget_block(at);
    at = find(what->address);
    if (is_gone)
        return;
    keep_block(at, change);
    if (what->is_release || !what->bytes)
        return;
    change->context->held[what->kind] += what->bytes;
    record(change->context, what);
}

/* ---- reports of the runtime ---- */

/* Writes all changes but the `waiting` latest changes. */
static void write_waiting(uint32_t waiting)
{
    struct change **cut = &all.waiting, *sorted = NULL, *next;
    for (uint32_t i = 0; i < waiting && *cut; i++)
        cut = &(*cut)->next;
    for (struct change *c = *cut; c; c = next) {
        next = c->next;
        c->next = sorted;
        sorted = c;
    }
    *cut = NULL;
    for (; sorted; sorted = next) {
        next = sorted->next;
        apply(sorted);
        sorted->next = all.free_changes;
        all.free_changes = sorted;
        all.n--;
    }
}

static struct change *new_change(void)
{
    struct change *change = all.free_changes;
    if (!change)
        return spur_mem_new(sizeof *change);
    all.free_changes = change->next;
    return change;
}

void device_memory_told(struct device_context *context, const struct device_memory *what)
{
    wrapper_lock_take(&all.lock);
    struct change *change = new_change(), **at = &all.waiting;
    if (change) {
        while (*at && (*at)->what.time > what->time)
            at = &(*at)->next;
        *change = (struct change){*at, context, *what};
        *at = change;
        if (++all.n >= WAITING_MOST)
            write_waiting(WAITING);
    }
    wrapper_lock_give(&all.lock);
}

void device_memory_taken(struct device_context *context, const struct device_memory *what)
{
    const struct change change = {NULL, context, *what};
    wrapper_lock_take(&all.lock);
    apply(&change);
    wrapper_lock_give(&all.lock);
}

void device_memory_given_back(const struct device_memory *what)
{
    wrapper_lock_take(&all.lock);
    struct block **at = find(what->address);
    if (*at && !(*at)->what.is_release)
        give_back(at, what);
    wrapper_lock_give(&all.lock);
}

void device_memory_told_all(void)
{
    wrapper_lock_take(&all.lock);
    write_waiting(0);
    wrapper_lock_give(&all.lock);
}
