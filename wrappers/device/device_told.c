/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a runtime tells of by itself. It may come in any order, and a stream of the archive ascends
 * in time: so it is sorted, and some of it waits for what may come late. What comes later still
 * goes to another lane.
 */
#include "wrappers/device/device_state.h"

enum { TOLD_MOST = 1024, TOLD_WAITING = 512 };

void device_clock_told(struct device_context *context, uint64_t device, uint64_t least,
                       uint64_t most)
{
    wrapper_lock_take(&context->clock_lock);
    device_clock_learn(&context->clock, device, least, most);
    wrapper_lock_give(&context->clock_lock);
}

/* All but the latest ones. `s->collecting` is held. */
static void write_told(struct device_stream *s, uint32_t waiting)
{
    struct device_pending **cut = &s->told, *sorted = NULL, *next;
    for (uint32_t i = 0; i < waiting && *cut; i++)
        cut = &(*cut)->next;
    for (struct device_pending *p = *cut; p; p = next) {
        next = p->next;
        p->next = sorted;
        sorted = p;
    }
    *cut = NULL;
    for (; sorted; sorted = next) {
        const struct device_done done = {sorted->work, sorted->launch, sorted->times};
        next = sorted->next;
        device_add_done(s, &done);
        device_pending_free(sorted);
        s->n_told--;
    }
    device_write_done(s);
}

void device_told(struct device_stream *stream, const struct device_launch *launch,
                 const struct device_work *work, const struct device_times *times)
{
    struct device_pending *p = work->region == OTF2_UNDEFINED_REGION ? NULL : device_pending_new();
    if (!p)
        return;
    *p = (struct device_pending){.work = *work, .launch = *launch, .times = *times};
    wrapper_lock_take(&stream->collecting);
    struct device_pending **at = &stream->told;
    while (*at && (*at)->times.begin > times->begin)
        at = &(*at)->next;
    p->next = *at;
    *at = p;
    if (++stream->n_told >= TOLD_MOST)
        write_told(stream, TOLD_WAITING);
    wrapper_lock_give(&stream->collecting);
}

void device_told_all(void)
{
    if (device_is_ready())
        device_memory_told_all();
    for (struct device_stream *s = device_first_stream(); s; s = s->next) {
        wrapper_lock_take(&s->collecting);
        write_told(s, 0);
        wrapper_lock_give(&s->collecting);
    }
}

void device_count_unfinished(uint64_t n)
{
    atomic_fetch_add(&device_all.unfinished, n);
}

void device_count_lost(uint64_t n)
{
    atomic_fetch_add(&device_all.lost, n);
}
