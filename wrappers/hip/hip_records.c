/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of rocprofiler-sdk: the devices present, and the work done by the devices. */
#include <errno.h>
#include <stdio.h>

#include "wrappers/device/device_marks.h"
#include "wrappers/hip/hip.h"

enum { AGENTS = 64, QUEUES = 1024, NAME_BYTES = 96 };

/* Has no function `look`: rocprofiler-sdk tells the times by itself. */
static const struct device_runtime runtime = {.family = SPUR_FAMILY_HIP,
                                              .paradigm = OTF2_PARADIGM_HIP,
                                              .stream = "Stream"};

/* The devices, and the processors; set before there are records. */
static struct agent {
    uint64_t id;
    bool is_gpu;
    char name[NAME_BYTES];
} agents[AGENTS];
static unsigned n_agents;

static _Atomic uint64_t lost;

/* The state while a buffer is read. */
struct reading {
    uint64_t device, least, most; /* the records' clock, and the bounds of the host's clock then */
};

/* ---- where ---- */

/* Processors are there for copies that move on the host only. */
static void name_agent(struct agent *agent, const char *product)
{
    static unsigned n_gpus;
    const char *other = agent->is_gpu ? "HIP device" : "Processor";
    const char *name = product && *product ? product : other;
    if (agent->is_gpu)
        (void)snprintf(agent->name, sizeof agent->name, "%s (device %u)", name, n_gpus++);
    else
        (void)snprintf(agent->name, sizeof agent->name, "%s (host)", name);
}

int hip_on_agents(int version, const void **all, size_t n, void *data)
{
    (void)data;
    for (size_t i = 0; version == ROCPROFILER_AGENTS_V0 && i < n && n_agents < AGENTS; i++) {
        if (rocprofiler_AGENT_size(all[i]) < ROCPROFILER_AGENT_BYTES)
            continue;
        struct agent *agent = &agents[n_agents++];
        agent->id = rocprofiler_AGENT_id(all[i]);
        agent->is_gpu = rocprofiler_AGENT_type(all[i]) == ROCPROFILER_GPU;
        name_agent(agent, rocprofiler_AGENT_product(all[i]));
    }
    return ROCPROFILER_OK;
}

static const struct agent *agent_of(uint64_t id)
{
    for (unsigned i = 0; i < n_agents; i++)
        if (agents[i].id == id)
            return &agents[i];
    return NULL;
}

static struct device_context *context_of(const struct reading *r, uint64_t id)
{
    const struct agent *agent = agent_of(id);
    struct device_context *context = device_context_of(&runtime, (const void *)((uintptr_t)id + 1),
                                                       NULL, agent ? agent->name : "HIP device");
    if (context && r->device)
        device_clock_told(context, r->device, r->least, r->most);
    return context;
}

/* Queues have handles; their numbers are in the order of their first work, from 1 on. */
static uint32_t number_of_queue(uint64_t handle)
{
    static struct wrapper_lock lock;
    static uint64_t queues[QUEUES];
    static uint32_t n;
    uint32_t i = 0;
    wrapper_lock_take(&lock);
    while (i < n && queues[i] != handle)
        i++;
    if (i == n && n < QUEUES)
        queues[n++] = handle;
    wrapper_lock_give(&lock);
    return i + 1;
}

struct place {
    uint64_t agent, correlation;
    uint32_t queue; /* 0: a copy, without a queue in the record */
};

/*
 * Work without a number belongs to no call that HIP knows: the work came in the runtime's own
 * threads.
 */
static bool find_launch(const struct place *at, struct device_launch *launch, uint64_t *stream)
{
    *launch = (struct device_launch){.id = 0};
    *stream = HIP_NO_STREAM;
    if (!at->correlation)
        return !hip_group_is_off[HIP_GROUP_launch] && !hip_group_is_off[HIP_GROUP_copy] &&
               !hip_group_is_off[HIP_GROUP_fill];
    return device_launches_find(&hip_calls.launches, at->correlation, launch, stream);
}

/* Work of an unrecorded call is not recorded. */
static void tell(const struct reading *r, const struct place *at, uint64_t begin, uint64_t end,
                 const struct device_work *work)
{
    const struct device_times times = {.begin = begin, .end = end};
    struct device_launch launch;
    uint64_t number;
    if (!find_launch(at, &launch, &number))
        return;
    if (!begin || end < begin) {
        device_count_unfinished(1);
        return;
    }
    struct device_context *context = context_of(r, at->agent);
    struct device_stream *stream = !context ? NULL
                                   : number != HIP_NO_STREAM
                                       ? device_stream_numbered(context, (uint32_t)number)
                                       : device_stream_of_queue(context, at->queue);
    if (stream)
        device_told(stream, &launch, work, &times);
}

/* ---- work ---- */

static uint64_t product(uint32_t x, uint32_t y, uint32_t z)
{
    return (uint64_t)x * y * z;
}

static void take_KERNEL(const struct reading *r, const void *record)
{
    const struct device_work work = {.region = hip_kernel_region(rocprofiler_KERNEL_kernel(record)),
                                     .items = product(rocprofiler_KERNEL_items_x(record),
                                                      rocprofiler_KERNEL_items_y(record),
                                                      rocprofiler_KERNEL_items_z(record)),
                                     .group_items = product(rocprofiler_KERNEL_group_x(record),
                                                            rocprofiler_KERNEL_group_y(record),
                                                            rocprofiler_KERNEL_group_z(record)),
                                     .shared = rocprofiler_KERNEL_shared(record)};
    const struct place at = {rocprofiler_KERNEL_agent(record),
                             rocprofiler_KERNEL_correlation(record),
                             number_of_queue(rocprofiler_KERNEL_queue(record))};
    tell(r, &at, rocprofiler_KERNEL_start(record), rocprofiler_KERNEL_end(record), &work);
}

static const struct {
    const char *name;
    enum device_way way;
    uint64_t (*agent)(const void *record);
} copies[] = {
#define COPY(number, NAME, name, WAY, END) [number] = {name, DEVICE_##WAY, rocprofiler_COPY_##END},
#include "wrappers/hip/hip_copies.def"
#undef COPY
};

static void take_COPY(const struct reading *r, const void *record)
{
    const uint32_t kind = (uint32_t)rocprofiler_COPY_operation(record);
    const bool is_known = kind < sizeof copies / sizeof copies[0] && copies[kind].name;
    const char *name = is_known ? copies[kind].name : "copy";
    uint64_t from = rocprofiler_COPY_from(record), to = rocprofiler_COPY_to(record);
    if (is_known && copies[kind].way == DEVICE_ON_DEVICE && from != to)
        name = "copy to another device";
    const struct device_work work = {.region = device_region(SPUR_FAMILY_HIP, name, DEVICE_COPY),
                                     .way = is_known ? copies[kind].way : DEVICE_FILL,
                                     .bytes = rocprofiler_COPY_bytes(record)};
    const struct place at = {is_known ? copies[kind].agent(record) : to,
                             rocprofiler_COPY_correlation(record), 0};
    tell(r, &at, rocprofiler_COPY_start(record), rocprofiler_COPY_end(record), &work);
}

/*
 * Memory that HIP has from the system. HIP gives parts of the memory to the program. Memory of the
 * host does not count. The end of a block names no device.
 */
static void take_MEMORY(const struct reading *r, const void *record)
{
    const int32_t operation = rocprofiler_COPY_operation(record); /* same place in all records */
    const char *at = (const char *)record - (hip_sdk_is_old() ? ROCPROFILER_ANCESTOR_BYTES : 0);
    const bool is_release =
        operation == ROCPROFILER_GIVEN_BACK || operation == ROCPROFILER_GIVEN_BACK_VIRTUAL;
    const bool is_taken = operation == ROCPROFILER_TAKEN || operation == ROCPROFILER_TAKEN_VIRTUAL;
    const uint64_t id = rocprofiler_MEMORY_agent(at);
    const struct agent *agent = agent_of(id);
    if (!rocprofiler_MEMORY_address(at) || !(is_release || is_taken))
        return;
    const struct device_memory what = {
        .address = rocprofiler_MEMORY_address(at),
        .bytes = agent && agent->is_gpu ? rocprofiler_MEMORY_bytes(at) : 0,
        .time = is_release ? rocprofiler_MEMORY_start(at) : rocprofiler_MEMORY_end(at),
        .kind = DEVICE_MEMORY_DEVICE,
        .is_release = is_release};
    struct device_context *where = context_of(r, id);
    if (where)
        device_memory_told(where, &what);
}

/* ---- records ---- */

static void take(const struct reading *r, const void *header)
{
    const void *record = rocprofiler_HEADER_payload(header);
    const int kind = (int)rocprofiler_HEADER_kind(header);
    if (rocprofiler_HEADER_category(header) != ROCPROFILER_TRACING || !record)
        return;
#define RECORDED(NAME, RECORD, is_needed)                                                          \
    if (kind == hip_kinds.recorded[HIP_##NAME])                                                    \
        take_##RECORD(r, record);
#include "wrappers/hip/rocprofiler_kinds.def"
}

/* rocprofiler-sdk counts dropped records from the beginning. */
static void count_lost(uint64_t dropped)
{
    uint64_t before = atomic_load(&lost);
    while (dropped > before && !atomic_compare_exchange_weak(&lost, &before, dropped)) {
    }
    if (dropped > before)
        device_count_lost(dropped - before);
}

void hip_on_records(struct rocprofiler_id context, struct rocprofiler_id buffer, void **headers,
                    size_t n, void *data, uint64_t dropped)
{
    int saved = errno;
    struct reading r = {.device = 0};
    (void)context;
    (void)buffer;
    (void)data;
    spur_inside_begin();
    if (hip_is_ours()) {
        r.least = device_host_ns();
        if (hip_sdk.rocprofiler_get_timestamp(&r.device) != ROCPROFILER_OK)
            r.device = 0;
        r.most = device_host_ns();
        for (size_t i = 0; i < n; i++)
            take(&r, headers[i]);
        device_flush_saw(&hip_flusher, n);
        count_lost(dropped);
    }
    spur_inside_end();
    errno = saved;
}

uint64_t hip_records_lost(void)
{
    return atomic_load(&lost);
}
