/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts, streams and the work that is given to streams. */
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wrappers/device/device_marks.h"
#include "wrappers/device/device_state.h"

enum { NAME_BYTES = DEVICE_GIVEN_BYTES + 16, NS = 1000000000 };

struct device_all device_all;

/* ---- the line from the trace's clock to the host's ---- */

/*
 * By a system call: the C library's way to read the clock may be forbidden to the program
 * (PR_SET_TSC).
 */
uint64_t device_host_ns(void)
{
    struct timespec now = {0, 0};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
}

/* Both clocks at one moment: the closest of a few readings. */
static void read_both(uint64_t *ticks, uint64_t *ns)
{
    enum { TRIES = 3 };
    uint64_t least = UINT64_MAX;
    *ticks = *ns = 0;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = spur_time();
        uint64_t now = device_host_ns();
        uint64_t after = spur_time();
        if (after - before >= least)
            continue;
        least = after - before;
        *ticks = before + least / 2;
        *ns = now;
    }
}

/* The line begins one to two seconds ago, or with the first stream. */
struct device_line device_line_now(void)
{
    uint64_t ticks, ns;
    read_both(&ticks, &ns);
    wrapper_lock_take(&device_all.line_lock);
    struct device_line *line = &device_all.line;
    if (ns > line->ns[1]) {
        line->ticks[1] = ticks;
        line->ns[1] = ns;
    }
    if (ns > device_all.middle_ns + NS) {
        line->ticks[0] = device_all.middle_ticks;
        line->ns[0] = device_all.middle_ns;
        device_all.middle_ticks = ticks;
        device_all.middle_ns = ns;
    }
    struct device_line now = *line;
    wrapper_lock_give(&device_all.line_lock);
    return now;
}

static void start_line(void)
{
    uint64_t ticks, ns;
    read_both(&ticks, &ns);
    device_all.line = (struct device_line){{ticks, ticks}, {ns, ns}};
    device_all.middle_ticks = ticks;
    device_all.middle_ns = ns;
}

/* ---- the process ---- */

uint32_t device_generation(void)
{
    return spur_generation() + 1;
}

static OTF2_AttributeRef number_attribute(const char *name, const char *description)
{
    return spur_def_attribute(name, description, OTF2_TYPE_UINT64);
}

/*
 * In a child of fork() the state is the parent's, and threads of the parent may have held the
 * locks.
 */
static void start(void)
{
    wrapper_lock_give(&device_all.lock);
    device_memory_forget();
    device_all.contexts = NULL;
    device_all.free = NULL;
    atomic_store(&device_all.streams, NULL);
    atomic_store(&device_all.unfinished, 0);
    atomic_store(&device_all.lost, 0);
    wrapper_lock_give(&device_all.line_lock);
    start_line();
    device_all.correlation =
        number_attribute(DEVICE_CORRELATION, "number of the call that has given the work");
    device_all.bytes = number_attribute(DEVICE_BYTES, "bytes that are copied or filled");
    device_all.items = number_attribute(DEVICE_ITEMS, "work items of the kernel");
    device_all.group_items =
        number_attribute(DEVICE_GROUP_ITEMS, "work items of a group, as the program says");
    device_all.registers =
        number_attribute(DEVICE_REGISTERS, "registers of each work item of the kernel");
    device_all.shared =
        number_attribute(DEVICE_SHARED, "bytes of memory that the work items of a group share");
    device_all.graph = number_attribute(DEVICE_GRAPH, "number of the graph that the work is of");
    device_all.node = number_attribute(DEVICE_GRAPH_NODE, "number of its node in that graph");
    device_all.parameter = spur_def_parameter(DEVICE_CORRELATION, OTF2_PARAMETER_TYPE_UINT64);
}

bool device_is_ready(void)
{
    return atomic_load(&device_all.ready) == 2 * (uint64_t)device_generation();
}

static void lock_all(void)
{
    const uint64_t is_ready = 2 * (uint64_t)device_generation();
    uint64_t ready = atomic_load(&device_all.ready);
    while (ready != is_ready) {
        if (ready == is_ready + 1) {
            sched_yield();
            ready = atomic_load(&device_all.ready);
        } else if (atomic_compare_exchange_weak(&device_all.ready, &ready, is_ready + 1)) {
            start();
            atomic_store(&device_all.ready, is_ready);
            ready = is_ready;
        }
    }
    wrapper_lock_take(&device_all.lock);
}

/* ---- contexts ---- */

static struct device_context *find_context(const struct device_runtime *runtime, const void *key,
                                           const void *other_key)
{
    struct device_context *c = device_all.contexts;
    while (c && (c->runtime != runtime || c->key != key || c->other_key != other_key))
        c = c->next;
    return c;
}

struct device_context *device_context_of(const struct device_runtime *runtime, const void *key,
                                         const void *other_key, const char *name)
{
    lock_all();
    struct device_context *c = find_context(runtime, key, other_key);
    if (!c && (c = spur_mem_new(sizeof *c))) {
        c->runtime = runtime;
        c->key = key;
        c->other_key = other_key;
        (void)snprintf(c->name, sizeof c->name, "%s", name);
        c->next = device_all.contexts;
        device_all.contexts = c;
    }
    wrapper_lock_give(&device_all.lock);
    return c;
}

/* ---- streams ---- */

uint32_t device_number(struct device_context *c)
{
    lock_all();
    if (!c->is_told)
        c->number = spur_device_new(c->name);
    c->is_told = true;
    uint32_t number = c->number;
    wrapper_lock_give(&device_all.lock);
    return number;
}

static void name_lane(const struct device_stream *s, uint32_t lane, char *name)
{
    const char *known = s->given[0]                      ? s->given
                        : s->number == DEVICE_WAITS      ? "Synchronisation"
                        : s->number == DEVICE_MIGRATIONS ? DEVICE_UNIFIED
                        : s->number == DEVICE_QUEUE      ? "Copies"
                                                         : NULL;
    bool is_queue = s->number & DEVICE_QUEUE;
    int n = known ? snprintf(name, NAME_BYTES, "%s", known)
                  : snprintf(name, NAME_BYTES, "%s %u",
                             is_queue ? "Queue" : s->context->runtime->stream,
                             s->number & ~DEVICE_QUEUE);
    if (lane > 0 && n > 0 && n < NAME_BYTES)
        (void)snprintf(name + n, NAME_BYTES - (size_t)n, ", lane %u", lane + 1);
}

struct device_lane *device_lane(struct device_stream *s, uint32_t number)
{
    struct device_lane *lane = &s->lane[number];
    char name[NAME_BYTES];
    if (number < s->n_lanes)
        return lane;
    name_lane(s, number, name);
    lane->loc = spur_stream_new(device_number(s->context), name, &lane->rank);
    if (!lane->loc)
        return NULL;
    lane->last = 0;
    s->n_lanes = number + 1;
    return lane;
}

static struct device_stream *find_given_back(const struct device_context *context, bool is_in_order)
{
    struct device_stream *s = atomic_load(&device_all.streams);
    for (; s; s = s->next) {
        bool is_taken = false;
        if (s->context == context && s->is_in_order == is_in_order && !atomic_load(&s->n) &&
            !atomic_load(&s->is_named) &&
            atomic_compare_exchange_strong(&s->is_taken, &is_taken, true))
            return s;
    }
    return NULL;
}

static struct device_stream *new_stream(struct device_context *context, uint32_t number,
                                        bool is_in_order)
{
    struct device_stream *s = spur_mem_new(sizeof *s);
    if (!s)
        return NULL;
    s->context = context;
    s->is_in_order = is_in_order;
    s->last = &s->first;
    atomic_store(&s->is_taken, true);
    s->number = number;
    s->next = atomic_load(&device_all.streams);
    atomic_store(&device_all.streams, s);
    return s;
}

struct device_stream *device_stream_new(struct device_context *context, bool is_in_order)
{
    lock_all();
    struct device_stream *s = new_stream(context, ++context->streams, is_in_order);
    wrapper_lock_give(&device_all.lock);
    return s;
}

struct device_stream *device_stream_take(struct device_context *context, bool is_in_order)
{
    lock_all();
    struct device_stream *s = find_given_back(context, is_in_order);
    if (!s)
        s = new_stream(context, ++context->streams, is_in_order);
    wrapper_lock_give(&device_all.lock);
    return s;
}

/* Work that the runtime tells of may be out of order. */
static struct device_stream *find_numbered(struct device_context *context, uint32_t number)
{
    lock_all();
    struct device_stream *s = atomic_load(&device_all.streams);
    while (s && (s->context != context || s->number != number))
        s = s->next;
    if (!s)
        s = new_stream(context, number, false);
    wrapper_lock_give(&device_all.lock);
    return s;
}

struct device_stream *device_stream_numbered(struct device_context *context, uint32_t number)
{
    return find_numbered(context, number & ~DEVICE_QUEUE);
}

struct device_stream *device_stream_of_queue(struct device_context *context, uint32_t number)
{
    return find_numbered(context, number | DEVICE_QUEUE);
}

struct device_stream *device_stream_of_waits(struct device_context *context)
{
    return find_numbered(context, DEVICE_WAITS);
}

struct device_stream *device_stream_of_migrations(struct device_context *context)
{
    return find_numbered(context, DEVICE_MIGRATIONS);
}

void device_stream_give(struct device_stream *stream)
{
    atomic_store(&stream->is_taken, false);
}

/* ---- work that is given to streams ---- */

struct device_launch device_launch_begin(struct spur_loc *loc)
{
    if (!device_is_ready()) { /* the runtime may tell of its devices later, or never */
        lock_all();
        wrapper_lock_give(&device_all.lock);
    }
    struct device_launch launch = {.id = atomic_fetch_add(&device_all.launches, 1) + 1};
    if (device_all.parameter != OTF2_UNDEFINED_PARAMETER)
        spur_put_ParameterUnsignedInt(loc, device_all.parameter, launch.id);
    launch.begin = spur_time();
    return launch;
}

struct device_pending *device_pending_new(void)
{
    lock_all();
    struct device_pending *p = device_all.free;
    if (p)
        device_all.free = p->next;
    wrapper_lock_give(&device_all.lock);
    return p ? p : spur_mem_new(sizeof *p);
}

void device_pending_free(struct device_pending *pending)
{
    lock_all();
    pending->next = device_all.free;
    device_all.free = pending;
    wrapper_lock_give(&device_all.lock);
}

void device_launch_end(struct device_launch *launch, struct device_stream *stream, void *handle,
                       const struct device_work *work)
{
    launch->end = spur_time();
    struct device_pending *p = work->region == OTF2_UNDEFINED_REGION ? NULL : device_pending_new();
    if (!p) {
        stream->context->runtime->drop(handle);
        return;
    }
    *p = (struct device_pending){.handle = handle, .work = *work, .launch = *launch};
    wrapper_lock_take(&stream->lock);
    *stream->last = p;
    stream->last = &p->next;
    wrapper_lock_give(&stream->lock);
    atomic_fetch_add(&stream->n, 1);
}
