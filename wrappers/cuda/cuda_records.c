/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of CUPTI: the buffers that CUPTI asks for and gives back, and the contents of the
 * buffers.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "wrappers/cuda/cuda.h"
#include "wrappers/device/device_marks.h"

enum { BUFFER_BYTES = 512 << 10, DEVICES = 64, MOVE_DEVICES = 16, NAME_BYTES = 96 };

/* Has no function `look`: CUPTI tells the times by itself. */
static const struct device_runtime runtime = {.family = SPUR_FAMILY_CUDA,
                                              .paradigm = OTF2_PARADIGM_CUDA,
                                              .stream = "Stream"};

static struct wrapper_lock names_lock;
static char device_name[DEVICES][NAME_BYTES];
static _Atomic uint64_t lost;

/* The state while a buffer is read. */
struct reading {
    uint64_t device, least, most; /* the records' clock, and the bounds of the host's clock then */
    struct device_context *context;
    uint32_t device_id, context_id; /* of `context` */
};

/* ---- where ---- */

static void name_of(uint32_t device, uint32_t context, char *name, size_t room)
{
    wrapper_lock_take(&names_lock);
    const char *known = device < DEVICES ? device_name[device] : "";
    int n = snprintf(name, room, "%s (device %u", *known ? known : "CUDA device", device);
    if (n > 0 && (size_t)n < room)
        (void)snprintf(name + n, room - (size_t)n,
                       context == CUPTI_NO_CONTEXT ? ")" : ", context %u)", context);
    wrapper_lock_give(&names_lock);
}

static struct device_context *context_of(struct reading *r, uint32_t device, uint32_t context)
{
    enum { ROOM = 2 * NAME_BYTES };
    char name[ROOM];
    if (r->context && r->device_id == device && r->context_id == context)
        return r->context;
    name_of(device, context, name, sizeof name);
    r->context = device_context_of(&runtime, (const void *)((uintptr_t)device + 1),
                                   (const void *)((uintptr_t)context + 1), name);
    r->device_id = device;
    r->context_id = context;
    if (r->context && r->device)
        device_clock_told(r->context, r->device, r->least, r->most);
    return r->context;
}

/* A context belongs to one device. Records of waiting do not name the device. */
enum { CONTEXTS = 1024 };
static _Atomic uint32_t device_of_context[CONTEXTS]; /* + 1 */

static uint32_t device_of(uint32_t context)
{
    uint32_t known = context < CONTEXTS ? atomic_load(&device_of_context[context]) : 0;
    return known ? known - 1 : 0;
}

/* ---- work ---- */

OTF2_RegionRef cuda_copy_region(const char *name)
{
    return device_region(SPUR_FAMILY_CUDA, name, DEVICE_COPY);
}

struct place {
    uint32_t device, context, stream, correlation;
};

/* Without an end the work had not finished. Work of an unrecorded call is not recorded. */
static void tell(struct reading *r, const struct place *at, uint64_t begin, uint64_t end,
                 const struct device_work *work)
{
    const struct device_times times = {.begin = begin, .end = end};
    struct device_launch launch;
    if (!device_launches_find(&cuda_calls.launches, at->correlation, &launch, NULL))
        return;
    if (!begin || end < begin) {
        device_count_unfinished(1);
        return;
    }
    struct device_context *context = context_of(r, at->device, at->context);
    if (at->context < CONTEXTS)
        atomic_store(&device_of_context[at->context], at->device + 1);
    struct device_stream *stream = context ? device_stream_numbered(context, at->stream) : NULL;
    if (!stream)
        return;
    cuda_stream_seen(at->context, at->stream, stream);
    device_told(stream, &launch, work, &times);
}

#define PLACE(RECORD, record)                                                                      \
    {                                                                                              \
        cupti_##RECORD##_deviceId(record), cupti_##RECORD##_contextId(record),                     \
            cupti_##RECORD##_streamId(record), cupti_##RECORD##_correlationId(record)              \
    }
#define TELL(RECORD, r, record, work)                                                              \
    do {                                                                                           \
        const struct place at = PLACE(RECORD, record);                                             \
        tell(r, &at, cupti_##RECORD##_start(record), cupti_##RECORD##_end(record), work);          \
    } while (0)

static uint64_t product(int32_t x, int32_t y, int32_t z)
{
    return (uint64_t)(uint32_t)x * (uint32_t)y * (uint32_t)z;
}

static void take_KERNEL(struct reading *r, const void *record)
{
    const char *name = cupti_KERNEL_name(record);
    uint64_t block = product(cupti_KERNEL_blockX(record), cupti_KERNEL_blockY(record),
                             cupti_KERNEL_blockZ(record));
    uint64_t grid =
        product(cupti_KERNEL_gridX(record), cupti_KERNEL_gridY(record), cupti_KERNEL_gridZ(record));
    int32_t shared =
        cupti_KERNEL_staticSharedMemory(record) + cupti_KERNEL_dynamicSharedMemory(record);
    const struct device_work work = {.region = cuda_kernel_region(name && *name ? name : "kernel"),
                                     .items = grid * block,
                                     .group_items = block,
                                     .registers = cupti_KERNEL_registersPerThread(record),
                                     .shared = shared > 0 ? (uint64_t)shared : 0,
                                     .graph = cupti_KERNEL_graphId(record),
                                     .node = cupti_KERNEL_graphNodeId(record)};
    TELL(KERNEL, r, record, &work);
}

static const struct {
    const char *name;
    enum device_way way;
} copies[] = {
#define COPY(number, name, WAY) [number] = {name, DEVICE_##WAY},
#include "wrappers/cuda/cuda_copies.def"
#undef COPY
};

/* Memory of the host that is not pinned is copied twice, and makes the call wait. */
static struct device_work copy_of(uint8_t kind, bool is_pageable, uint64_t bytes)
{
    const unsigned n = sizeof copies / sizeof copies[0];
    const char *known = kind < n ? copies[kind].name : NULL;
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "%s%s", known ? known : "copy",
                   is_pageable ? DEVICE_PAGEABLE : "");
    return (struct device_work){.region = cuda_copy_region(name),
                                .way = known ? copies[kind].way : DEVICE_FILL,
                                .bytes = bytes};
}

#define IS_PAGEABLE(RECORD, record)                                                                \
    (cupti_##RECORD##_srcKind(record) == CUPTI_PAGEABLE ||                                         \
     cupti_##RECORD##_dstKind(record) == CUPTI_PAGEABLE)

static void take_COPY(struct reading *r, const void *record)
{
    struct device_work work =
        copy_of(cupti_COPY_copyKind(record), IS_PAGEABLE(COPY, record), cupti_COPY_bytes(record));
    work.graph = cupti_COPY_graphId(record);
    work.node = cupti_COPY_graphNodeId(record);
    TELL(COPY, r, record, &work);
}

static void take_PEER(struct reading *r, const void *record)
{
    struct device_work work =
        copy_of(cupti_PEER_copyKind(record), IS_PAGEABLE(PEER, record), cupti_PEER_bytes(record));
    work.graph = cupti_PEER_graphId(record);
    work.node = cupti_PEER_graphNodeId(record);
    TELL(PEER, r, record, &work);
}

static void take_FILL(struct reading *r, const void *record)
{
    const struct device_work work = {.region = cuda_copy_region("fill"),
                                     .way = DEVICE_FILL,
                                     .bytes = cupti_FILL_bytes(record),
                                     .graph = cupti_FILL_graphId(record),
                                     .node = cupti_FILL_graphNodeId(record)};
    TELL(FILL, r, record, &work);
}

static const char *const waits[] = {
#define WAIT(number, name) [number] = name,
#include "wrappers/cuda/cuda_waits.def"
#undef WAIT
};

/* Waiting of the host or of a stream, by the host's clock: no work of the device. */
static void take_WAIT(struct reading *r, const void *record)
{
    const unsigned n = sizeof waits / sizeof waits[0];
    const uint32_t type = cupti_WAIT_type(record), context = cupti_WAIT_contextId(record);
    const struct device_times times = {.begin = cupti_WAIT_start(record),
                                       .end = cupti_WAIT_end(record)};
    const char *name = type < n ? waits[type] : NULL;
    struct device_launch launch;
    if (!name || !times.begin || times.end < times.begin ||
        !device_launches_find(&cuda_calls.launches, cupti_WAIT_correlationId(record), &launch,
                              NULL))
        return;
    const struct device_work work = {
        .region = spur_def_activity(SPUR_FAMILY_CUDA, name, NULL, "device wait",
                                    OTF2_REGION_ROLE_ARTIFICIAL),
    };
    struct device_context *where = context_of(r, device_of(context), context);
    struct device_stream *stream = where ? device_stream_of_waits(where) : NULL;
    if (stream)
        device_told(stream, &launch, &work, &times);
}

/* The kinds + 1, by CUPTI's numbers; 0: memory that the program has of the system. */
static const uint8_t memory_kinds[] = {
#define MEMORY(number, KIND) [number] = DEVICE_MEMORY_##KIND + 1,
#include "wrappers/cuda/cuda_memory.def"
#undef MEMORY
};

static void take_MEMORY(struct reading *r, const void *record)
{
    const uint32_t number = cupti_MEMORY_memoryKind(record);
    const uint32_t operation = cupti_MEMORY_memoryOperationType(record);
    const uint8_t kind = number < sizeof memory_kinds ? memory_kinds[number] : 0;
    if (!kind || (operation != CUPTI_TAKEN && operation != CUPTI_GIVEN_BACK))
        return;
    const struct device_memory what = {.address = cupti_MEMORY_address(record),
                                       .bytes = cupti_MEMORY_bytes(record),
                                       .time = cupti_MEMORY_timestamp(record),
                                       .kind = kind - 1,
                                       .is_release = operation == CUPTI_GIVEN_BACK};
    struct device_context *where =
        context_of(r, cupti_MEMORY_deviceId(record), cupti_MEMORY_contextId(record));
    if (where)
        device_memory_told(where, &what);
}

static const struct move {
    const char *name;
    enum device_way way;
} moves[] = {
#define MOVE(number, name, WAY, device) [number] = {name, DEVICE_##WAY},
#include "wrappers/cuda/cuda_moves.def"
#undef MOVE
};

/* Bit 0 is device 0. */
static uint32_t cupti_MOVE_first_of_srcId(const void *record)
{
    const uint32_t set = cupti_MOVE_srcId(record);
    return set ? (uint32_t)__builtin_ctz(set) : 0;
}

static uint32_t device_of_move(const void *record)
{
    switch (cupti_MOVE_counterKind(record)) {
#define MOVE(number, name, WAY, device)                                                            \
    case number:                                                                                   \
        return cupti_MOVE_##device(record);
#include "wrappers/cuda/cuda_moves.def"
#undef MOVE
    default:
        return 0;
    }
}

/*
 * A move happens when somebody touches memory: no call has launched the move. A move belongs to a
 * device, not to a context.
 */
static void take_MOVE(struct reading *r, const void *record)
{
    const uint32_t kind = cupti_MOVE_counterKind(record);
    const struct move *move = kind < sizeof moves / sizeof moves[0] ? &moves[kind] : NULL;
    const struct device_launch nobody = {.id = 0};
    struct device_times times = {.begin = cupti_MOVE_start(record), .end = cupti_MOVE_end(record)};
    if (!move || !move->name || !times.begin || cupti_MOVE_processId(record) != (uint32_t)getpid())
        return;
    if (times.end < times.begin)
        times.end = times.begin; /* some moves have no end */
    const struct device_work work = {.region = cuda_copy_region(move->name),
                                     .way = move->way,
                                     .bytes = move->way == DEVICE_NOWHERE
                                                  ? 0
                                                  : cupti_MOVE_value(record)};
    struct device_context *where = context_of(r, device_of_move(record), CUPTI_NO_CONTEXT);
    struct device_stream *stream = where ? device_stream_of_migrations(where) : NULL;
    if (stream)
        device_told(stream, &nobody, &work, &times);
}

/* Each kind has to be asked for on each device, before CUPTI is asked for the records. */
static void want_moves(void)
{
    static const int wanted[] = {
#define MOVE(number, name, WAY, device) number,
#include "wrappers/cuda/cuda_moves.def"
#undef MOVE
    };
    if (cuda_group_is_off[CUDA_GROUP_unified] || !cupti.cuptiActivityConfigureUnifiedMemoryCounter)
        return;
    for (uint32_t device = 0; device < MOVE_DEVICES; device++)
        for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
            const struct cupti_move_wanted one = {CUPTI_ONE_DEVICE, wanted[i], device, 1};
            (void)cupti.cuptiActivityConfigureUnifiedMemoryCounter(&one, 1);
        }
}

static void take_DEVICE(struct reading *r, const void *record)
{
    uint32_t id = cupti_DEVICE_id(record);
    const char *name = cupti_DEVICE_name(record);
    (void)r;
    if (id >= DEVICES || !name)
        return;
    wrapper_lock_take(&names_lock);
    (void)snprintf(device_name[id], NAME_BYTES, "%s", name);
    wrapper_lock_give(&names_lock);
}

/* ---- records ---- */

static const struct {
    int number;
    enum cuda_group group;
    bool is_needed, is_later;
    void (*take)(struct reading *r, const void *record);
} kinds[] = {
#define KIND(RECORD, number, group, is_needed)                                                     \
    {number, CUDA_GROUP_##group, is_needed, false, take_##RECORD},
#define LATER(RECORD, number, group, is_needed)                                                    \
    {number, CUDA_GROUP_##group, is_needed, true, take_##RECORD},
#include "wrappers/cuda/cuda_kinds.def"
#undef KIND
#undef LATER
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void take(struct reading *r, const void *record)
{
    int kind;
    memcpy(&kind, record, sizeof kind);
    for (unsigned i = 0; i < KINDS; i++)
        if (kinds[i].number == kind)
            kinds[i].take(r, record);
}

static bool has_enabled(bool is_later)
{
    bool is_told = true;
    for (unsigned i = 0; i < KINDS; i++)
        if (!cuda_group_is_off[kinds[i].group] && kinds[i].is_later == is_later)
            is_told &=
                cupti.cuptiActivityEnable(kinds[i].number) == CUPTI_OK || !kinds[i].is_needed;
    return is_told;
}

bool cuda_records_enable(void)
{
    return has_enabled(false);
}

bool cuda_records_enable_later(void)
{
    want_moves();
    return has_enabled(true);
}

void cuda_records_disable(void)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (!cuda_group_is_off[kinds[i].group])
            (void)cupti.cuptiActivityDisable(kinds[i].number);
}

/* ---- buffers ---- */

struct buffer {
    struct buffer *next;
};
static struct wrapper_lock free_lock;
static struct buffer *free_buffers;

/* The buffers that CUPTI has. Without room for one more entry CUPTI gets no buffer. */
enum { LENT = 1024 };
static const void *lent[LENT];
static unsigned n_lent;

static unsigned find_lent(const void *buffer)
{
    unsigned i = 0;
    while (i < n_lent && lent[i] != buffer)
        i++;
    return i;
}

bool cuda_is_own_buffer(const void *buffer)
{
    wrapper_lock_take(&free_lock);
    bool is_own = find_lent(buffer) < n_lent;
    wrapper_lock_give(&free_lock);
    return is_own;
}

bool cuda_has_own_buffers(void)
{
    wrapper_lock_take(&free_lock);
    bool has_any = n_lent > 0;
    wrapper_lock_give(&free_lock);
    return has_any;
}

static void *take_buffer(void)
{
    wrapper_lock_take(&free_lock);
    struct buffer *buffer = n_lent < LENT ? free_buffers : NULL;
    if (buffer)
        free_buffers = buffer->next;
    else if (n_lent < LENT)
        buffer = spur_mem_new(BUFFER_BYTES);
    if (buffer)
        lent[n_lent++] = buffer;
    wrapper_lock_give(&free_lock);
    return buffer;
}

static void give_buffer(void *buffer)
{
    struct buffer *head = buffer;
    wrapper_lock_take(&free_lock);
    unsigned place = find_lent(buffer);
    if (place < n_lent)
        lent[place] = lent[--n_lent];
    head->next = free_buffers;
    free_buffers = head;
    wrapper_lock_give(&free_lock);
}

/* Without a buffer CUPTI counts the lost records. */
void cuda_on_request(uint8_t **buffer, size_t *bytes, size_t *records)
{
    int saved = errno;
    *buffer = take_buffer();
    *bytes = *buffer ? BUFFER_BYTES : 0;
    *records = 0;
    errno = saved;
}

static void read_buffer(uint8_t *buffer, size_t valid)
{
    uint64_t n = 0;
    struct reading r = {.device = 0};
    void *record = NULL;
    r.least = device_host_ns();
    if (cupti.cuptiGetTimestamp(&r.device) != CUPTI_OK)
        r.device = 0;
    r.most = device_host_ns();
    for (; cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_OK && record; n++)
        take(&r, record);
    device_flush_saw(&cuda_flusher, n);
}

void cuda_on_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
    int saved = errno;
    size_t n = 0;
    (void)bytes;
    spur_inside_begin();
    if (buffer && cuda_is_ours()) {
        if (valid)
            read_buffer(buffer, valid);
        if (!cuda_may_ask())
            device_told_all(); /* nobody asks any more */
        if (cupti.cuptiActivityGetNumDroppedRecords(context, stream, &n) == CUPTI_OK && n) {
            atomic_fetch_add(&lost, n);
            device_count_lost(n);
        }
    }
    if (buffer)
        give_buffer(buffer);
    spur_inside_end();
    errno = saved;
}

uint64_t cuda_records_lost(void)
{
    return atomic_load(&lost);
}
