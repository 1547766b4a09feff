/* SPDX-License-Identifier: BSD-3-Clause */
/* What is called at the events of agent/record/, and in which order. */
#include "agent/record/hooks.h"

#include "agent/definitions/definitions.h"
#include "agent/metrics/metrics.h"
#include "agent/sampling/sample.h"
#include "agent/stacks/code_map.h"
#include "agent/stacks/site.h"
#include "agent/stacks/stack.h"

static void opened(struct spur_loc *loc)
{
    spur_stack_opened(loc);
    spur_sample_opened(loc);
    spur_site_opened(loc);
}

static void freed(struct spur_loc *loc)
{
    spur_stack_freed(loc);
    spur_site_freed(loc);
}

/* A sample may read metrics. */
static void adopted(struct spur_loc *loc)
{
    spur_metric_attach(loc);
    spur_sample_thread();
}

/* Its name is that of a variable: what is on the heap or on a stack has none. */
static void new_lock(uint32_t id, const void *lock)
{
    uint32_t data = spur_data_at(lock);
    if (data != OTF2_UNDEFINED_UINT32)
        spur_def_lock(id, data);
}

const struct spur_hooks spur_hooks = {
    .opened = opened,
    .freed = freed,
    .adopted = adopted,
    .closing = spur_metric_detach,
    .thread_ends = spur_sample_thread_end,
    .forked = spur_metric_after_fork,
    .entering = spur_metric_enter,
    .entered = spur_metric_put,
    .leaving = spur_metric_leave,
    .context = spur_stack_enter,
    .site = spur_site_find,
    .new_lock = new_lock,
    .placed = spur_stack_placed,
    .unplaced = spur_stack_unplaced,
    .settle = spur_sample_settle,
};
