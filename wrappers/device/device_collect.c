/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the finished work of devices. */
#include <stdio.h>

#include "wrappers/device/device_marks.h"
#include "wrappers/device/device_state.h"

/* ---- a finished piece of work ---- */

static void give(struct spur_activity *a, OTF2_AttributeRef id, uint64_t value)
{
    a->attribute[a->n++] =
        (struct spur_attribute){id, OTF2_TYPE_UINT64, (OTF2_AttributeValue){.uint64 = value}};
}

static bool is_copy(const struct device_work *work)
{
    return work->way >= DEVICE_TO_HOST;
}

/* `line` was read when the work was known to be done. */
static void learn(struct device_context *context, const struct device_line *line,
                  const struct device_done *done)
{
    if (!done->times.queued)
        return;
    wrapper_lock_take(&context->clock_lock);
    device_clock_learn(&context->clock, done->times.queued,
                       device_line_ns(line, done->launch.begin),
                       device_line_ns(line, done->launch.end));
    device_clock_learn_end(&context->clock, done->times.end, line->ns[1]);
    wrapper_lock_give(&context->clock_lock);
}

/*
 * The device's times in the trace: not before the call that gave the work, nor in the future.
 * Within these bounds the duration of the work is kept.
 */
static void place(struct device_context *context, const struct device_line *line,
                  const struct device_done *done, struct spur_activity *a)
{
    const uint64_t now = line->ns[1];
    wrapper_lock_take(&context->clock_lock);
    uint64_t begin = device_clock_host(&context->clock, done->times.begin);
    uint64_t end = device_clock_host(&context->clock, done->times.end);
    wrapper_lock_give(&context->clock_lock);
    /* Work that a runtime does by itself was given by no call. */
    const uint64_t least = done->launch.begin ? device_line_ns(line, done->launch.begin) : 0;
    uint64_t lasted = end > begin ? end - begin : 0;
    end = end < now ? end : now;
    begin = end > lasted ? end - lasted : 0;
    if (begin < least) {
        begin = least;
        end = begin + lasted < now ? begin + lasted : now;
    }
    a->begin = device_line_ticks(line, begin);
    a->end = device_line_ticks(line, end);
    if (a->begin < done->launch.begin)
        a->begin = done->launch.begin;
    if (a->end < a->begin)
        a->end = a->begin;
}

static void describe(const struct device_done *done, struct spur_activity *a)
{
    const struct device_work *work = &done->work;
    if (done->launch.id)
        give(a, device_all.correlation, done->launch.id);
    if (work->way != DEVICE_NOWHERE)
        give(a, device_all.bytes, work->bytes);
    if (work->items)
        give(a, device_all.items, work->items);
    if (work->group_items)
        give(a, device_all.group_items, work->group_items);
    if (work->registers)
        give(a, device_all.registers, work->registers);
    if (work->shared)
        give(a, device_all.shared, work->shared);
    if (work->graph)
        give(a, device_all.graph, work->graph);
    if (work->node)
        give(a, device_all.node, work->node);
    a->region = work->region;
    if (!is_copy(work))
        return;
    a->transfer = work->way == DEVICE_TO_DEVICE ? SPUR_TRANSFER_GET : SPUR_TRANSFER_PUT;
    a->bytes = work->bytes;
    a->id = done->launch.id;
    a->remote = work->way == DEVICE_ON_DEVICE ? UINT32_MAX : 0; /* UINT32_MAX: the lane's rank */
}

/* ---- lanes of a stream ---- */

/*
 * A lane whose work is over at `begin`. The last resort is the lane that is idle first. NULL:
 * nothing can be recorded.
 */
static struct device_lane *lane_for(struct device_stream *s, uint64_t begin, uint64_t slack)
{
    struct device_lane *earliest = device_lane(s, 0);
    if (!earliest || s->is_in_order)
        return earliest;
    for (uint32_t i = 0; i < s->n_lanes; i++) {
        if (s->lane[i].last <= begin + slack)
            return &s->lane[i];
        if (s->lane[i].last < earliest->last)
            earliest = &s->lane[i];
    }
    struct device_lane *more = s->n_lanes < DEVICE_LANES ? device_lane(s, s->n_lanes) : NULL;
    return more ? more : earliest;
}

static void put_into(const struct device_stream *s, struct device_lane *lane,
                     struct spur_activity *a)
{
    if (a->begin < lane->last)
        a->begin = lane->last;
    if (a->end < a->begin)
        a->end = a->begin;
    lane->last = a->end;
    a->stream = lane->loc;
    if (a->transfer)
        a->window = spur_device_window(s->context->runtime->paradigm);
    if (a->remote == UINT32_MAX)
        a->remote = lane->rank;
}

/* Sorts the activities by their begins. */
static void make_batch(struct device_stream *s, const struct device_line *line)
{
    for (uint32_t n = 0; n < s->n_done; n++)
        learn(s->context, line, &s->done[n]);
    for (uint32_t n = 0; n < s->n_done; n++) {
        struct spur_activity a = {.begin = 0};
        uint32_t i = n;
        describe(&s->done[n], &a);
        place(s->context, line, &s->done[n], &a);
        for (; i > 0 && s->batch[i - 1].begin > a.begin; i--)
            s->batch[i] = s->batch[i - 1];
        s->batch[i] = a;
    }
}

/*
 * The overlap that counts as no overlap, in ticks. Work that a runtime reports may begin at the end
 * of earlier work. Rounding, and better knowledge of the clock, may then turn the meeting into a
 * small overlap.
 */
static uint64_t slack_of(const struct device_stream *s, const struct device_line *line)
{
    enum { SLACK_NS = 1000 };
    if (s->context->runtime->look)
        return 0;
    return device_line_ticks(line, line->ns[1] + SLACK_NS) - line->ticks[1];
}

void device_write_done(struct device_stream *s)
{
    uint32_t n = 0;
    if (!s->n_done)
        return;
    const struct device_line line = device_line_now();
    const uint64_t slack = slack_of(s, &line);
    make_batch(s, &line);
    for (; n < s->n_done; n++) {
        struct device_lane *lane = lane_for(s, s->batch[n].begin, slack);
        if (!lane)
            break;
        put_into(s, lane, &s->batch[n]);
    }
    if (n)
        (void)spur_activities_put(s->batch, n);
    s->n_done = 0;
}

void device_add_done(struct device_stream *s, const struct device_done *done)
{
    if (s->n_done == DEVICE_BATCH)
        device_write_done(s);
    s->done[s->n_done++] = *done;
}

static struct device_pending *take_list(struct device_stream *s)
{
    wrapper_lock_take(&s->lock);
    struct device_pending *list = s->first;
    s->first = NULL;
    s->last = &s->first;
    wrapper_lock_give(&s->lock);
    return list;
}

/* Unfinished work goes before the work that was given meanwhile. */
static void put_back(struct device_stream *s, struct device_pending *list,
                     struct device_pending **end)
{
    if (!list)
        return;
    wrapper_lock_take(&s->lock);
    *end = s->first;
    if (!s->first)
        s->last = end;
    s->first = list;
    wrapper_lock_give(&s->lock);
}

/* True: the work is over, and freed. */
static bool settle(struct device_stream *s, struct device_pending *p)
{
    const struct device_runtime *runtime = s->context->runtime;
    struct device_done done = {.work = p->work, .launch = p->launch};
    enum device_state state = runtime->look(p->handle, &done.times);
    if (state == DEVICE_PENDING)
        return false;
    if (state == DEVICE_DONE)
        device_add_done(s, &done);
    runtime->drop(p->handle);
    device_pending_free(p);
    atomic_fetch_sub(&s->n, 1);
    return true;
}

/* `s->collecting` is held. */
static void collect(struct device_stream *s)
{
    struct device_pending *list = take_list(s), **at = &list;
    while (*at) {
        struct device_pending *next = (*at)->next;
        if (settle(s, *at))
            *at = next;
        else if (s->is_in_order)
            break; /* the work behind is not done either */
        else
            at = &(*at)->next;
    }
    while (*at)
        at = &(*at)->next;
    put_back(s, list, at);
    device_write_done(s);
}

void device_collect(struct device_stream *stream)
{
    if (!atomic_load(&stream->n) ||
        atomic_flag_test_and_set_explicit(&stream->collecting.taken, memory_order_acquire))
        return; /* another thread collects */
    collect(stream);
    wrapper_lock_give(&stream->collecting);
}

struct device_stream *device_first_stream(void)
{
    return device_is_ready() ? atomic_load(&device_all.streams) : NULL;
}

void device_collect_all(void)
{
    for (struct device_stream *s = device_first_stream(); s; s = s->next)
        device_collect(s);
}

void device_settle_all(void)
{
    for (struct device_stream *s = device_first_stream(); s; s = s->next) {
        wrapper_lock_take(&s->collecting);
        collect(s);
        wrapper_lock_give(&s->collecting);
    }
}

bool device_is_long(const struct device_stream *stream)
{
    return atomic_load_explicit(&stream->n, memory_order_relaxed) % DEVICE_BATCH ==
           DEVICE_BATCH - 1;
}

bool device_holds(const void *handle)
{
    bool is_held = false;
    for (struct device_stream *s = device_first_stream(); s && !is_held; s = s->next) {
        if (!atomic_load(&s->n))
            continue;
        wrapper_lock_take(&s->collecting);
        wrapper_lock_take(&s->lock);
        for (const struct device_pending *p = s->first; p && !is_held; p = p->next)
            is_held = p->handle == handle;
        wrapper_lock_give(&s->lock);
        wrapper_lock_give(&s->collecting);
    }
    return is_held;
}

static void tell(const char *property, uint64_t n)
{
    enum { DIGITS = 24 };
    char text[DIGITS];
    if (!n)
        return;
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    (void)spur_process_property(property, text);
}

void device_end(void)
{
    uint64_t n = 0;
    device_told_all();
    device_collect_all();
    for (struct device_stream *s = device_first_stream(); s; s = s->next)
        n += atomic_load(&s->n);
    tell(DEVICE_UNFINISHED, n + atomic_load(&device_all.unfinished));
    tell(DEVICE_LOST, atomic_load(&device_all.lost));
}
