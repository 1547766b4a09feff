/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges with an id. Such ranges overlap, and another thread may end a range. The ranges have
 * locations of their own, called lanes, each with one open range at most. The id contains the
 * number of the lane.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>

#include "wrappers/nvtx/nvtx.h"

enum { LANES = 128, LANE_BITS = 8, LANE_MASK = (1 << LANE_BITS) - 1, LANE_NAME_BYTES = 48 };

struct lane {
    struct spur_loc *loc;
    uint64_t id; /* of the open range, 0: no range */
    OTF2_RegionRef region;
};

static struct {
    _Atomic uint64_t holder;  /* of the lock: 1 + spur_generation(); 0: nobody */
    _Atomic uint64_t started; /* ranges so far; goes on in a child, for ends of parent's ranges */
    uint64_t owner;           /* of the members below, as `holder` */
    uint32_t device;
    uint32_t n;
    struct lane lane[LANES];
} all;

/* ---- the lock: free in a child, even if a thread of the parent held the lock ---- */

static void lock(void)
{
    const uint64_t mine = (uint64_t)spur_generation() + 1;
    for (;;) {
        uint64_t holder = atomic_load(&all.holder);
        if (holder != mine && atomic_compare_exchange_weak(&all.holder, &holder, mine))
            break;
        sched_yield();
    }
    if (all.owner == mine)
        return;
    all.owner = mine;
    all.device = OTF2_UNDEFINED_UINT32;
    all.n = 0;
}

static void unlock(void)
{
    atomic_store(&all.holder, 0);
}

/* ---- lanes ---- */

struct naming {
    struct lane *lane;
    uint32_t number;
};

static void new_lane(void *arg)
{
    const struct naming *naming = arg;
    char name[LANE_NAME_BYTES];
    uint32_t rank;
    if (all.device == OTF2_UNDEFINED_UINT32)
        all.device = spur_device_new(NVTX_RANGES);
    (void)snprintf(name, sizeof name, "%s, lane %u", NVTX_RANGES, naming->number + 1);
    *naming->lane = (struct lane){.loc = spur_stream_new(all.device, name, &rank)};
}

/* NULL: no lane is free, and the process has too many lanes already. */
static struct lane *free_lane(void)
{
    uint32_t i = 0;
    while (i < all.n && all.lane[i].id)
        i++;
    if (i == LANES)
        return NULL;
    if (i == all.n) {
        struct naming naming = {&all.lane[i], i};
        spur_on_own_stack(new_lane, &naming);
        if (!all.lane[i].loc)
            return NULL;
        all.n++;
    }
    return &all.lane[i];
}

static struct lane *lane_of(uint64_t id)
{
    uint32_t i = (uint32_t)(id & LANE_MASK);
    return i > 0 && i <= all.n && all.lane[i - 1].id == id ? &all.lane[i - 1] : NULL;
}

/* ---- the threads that begin and end a range ---- */

enum { BEGINS, ENDS };
static void put_parameter(struct spur_loc *loc, int what, uint64_t id)
{
    static const char *const names[] = {[BEGINS] = NVTX_STARTS, [ENDS] = NVTX_ENDS};
    static wrapper_id parameter[2];
    uint32_t known;
    if (!wrapper_id_is_known(&parameter[what], &known))
        known = wrapper_id_keep(&parameter[what],
                                spur_def_parameter(names[what], OTF2_PARAMETER_TYPE_UINT64));
    if (known != OTF2_UNDEFINED_PARAMETER)
        spur_put_ParameterUnsignedInt(loc, known, id);
}

static void add_id(struct wrapper_opening *opening, uint64_t id)
{
    static wrapper_id attribute;
    uint32_t known;
    if (!wrapper_id_is_known(&attribute, &known))
        known = wrapper_id_keep(&attribute, spur_def_attribute(NVTX_RANGE_ID, "number of the range",
                                                               OTF2_TYPE_UINT64));
    wrapper_opening_add(opening, known, OTF2_TYPE_UINT64, (OTF2_AttributeValue){.uint64 = id});
}

/* ---- ranges ---- */

static uint64_t begin(uint64_t number, struct wrapper_opening *opening)
{
    uint64_t id = number << LANE_BITS;
    lock();
    struct lane *lane = free_lane();
    if (lane) {
        id |= (uint64_t)(lane - all.lane) + 1;
        add_id(opening, id);
        lane->region = opening->region;
        if (spur_range_begin(lane->loc, opening->region, opening->n, opening->attribute))
            lane->id = id;
    }
    unlock();
    return id;
}

uint64_t nvtx_start_range(const struct nvtx_call *call)
{
    const uint64_t number = atomic_fetch_add(&all.started, 1) + 1;
    uint64_t id = number << LANE_BITS;
    nvtx_look_for_name();
    struct spur_loc *loc = spur_begin(SPUR_FAMILY_NVTX, false);
    if (!loc)
        return id;
    int saved = errno;
    struct wrapper_opening opening = {.region = OTF2_UNDEFINED_REGION};
    nvtx_describe(call, &opening);
    if (opening.region != OTF2_UNDEFINED_REGION) {
        id = begin(number, &opening);
        put_parameter(loc, BEGINS, id);
    }
    errno = saved;
    spur_end(loc);
    return id;
}

static bool end_lane(uint64_t id)
{
    lock();
    struct lane *lane = lane_of(id);
    if (lane) {
        (void)spur_range_end(lane->loc, lane->region);
        lane->id = 0;
    }
    unlock();
    return lane != NULL;
}

/* The thread may have no location, and recording may be paused. */
static void end(uint64_t id)
{
    int saved = errno;
    if (!(id & LANE_MASK))
        return;
    struct spur_loc *loc = spur_begin(SPUR_FAMILY_NVTX, false);
    if (!loc) {
        if (spur_inside())
            return;
        spur_inside_begin();
    }
    if (end_lane(id) && loc)
        put_parameter(loc, ENDS, id);
    errno = saved;
    if (loc)
        spur_end(loc);
    else
        spur_inside_end();
}

uint64_t nvtx_RangeStartEx(const void *event)
{
    const struct nvtx_call call = nvtx_call_of(NULL, event, NVTX_RANGE);
    return nvtx_start_range(&call);
}

uint64_t nvtx_RangeStartA(const char *text)
{
    return nvtx_start_range(&(struct nvtx_call){.text = NVTX_ASCII(text)});
}

uint64_t nvtx_RangeStartW(const wchar_t *text)
{
    return nvtx_start_range(&(struct nvtx_call){.text = NVTX_UNICODE(text)});
}

void nvtx_RangeEnd(uint64_t id)
{
    end(id);
}

uint64_t nvtx_DomainRangeStartEx(const void *domain, const void *event)
{
    const struct nvtx_call call = nvtx_call_of(domain, event, NVTX_RANGE);
    return nvtx_start_range(&call);
}

/* The id alone names the range. */
void nvtx_DomainRangeEnd(const void *domain, uint64_t id)
{
    (void)domain;
    end(id);
}
