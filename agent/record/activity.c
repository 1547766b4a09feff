/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices, and what they do (agent/spur_device.h). */
#include "agent/record/activity.h"
#include "agent/definitions/definitions.h"
#include "agent/definitions/filter_load.h"
#include "agent/record/event_ways.h"
#include "agent/record/location.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/state.h"
#include "base/own_stack.h"
#include "format/attributes.h"
#include "writer/evt_inline.h"

enum { PARADIGMS = 256 };

static struct {
    struct spur_lock lock;
    uint32_t devices, streams;
    OTF2_RmaWinRef window[PARADIGMS]; /* + 1; 0: not yet */
} known;

void spur_device_after_fork(void)
{
    known.devices = known.streams = 0;
    for (unsigned i = 0; i < PARADIGMS; i++)
        known.window[i] = 0;
    spur_lock_reset(&known.lock);
}

static bool can_record(void)
{
    return spur_state_now() == SPUR_ON;
}

static uint32_t spur_device_new_here(const char *name)
{
    if (!can_record())
        return OTF2_UNDEFINED_UINT32;
    spur_lock_take(&known.lock);
    uint32_t device = known.devices++;
    spur_def_device(device, name);
    spur_lock_give(&known.lock);
    return device;
}
SPUR_DOOR(uint32_t, spur_device_new, (const char *, name))

/* A location of the device. `rank` NULL: it is no stream. */
static struct spur_loc *open_of_device(uint32_t device, const char *name, uint32_t *rank)
{
    if (!can_record() || device == OTF2_UNDEFINED_UINT32)
        return NULL;
    const OTF2_LocationType type =
        rank ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM : OTF2_LOCATION_TYPE_METRIC;
    struct spur_loc *writing = spur_self.writing;
    spur_lock_take(&known.lock);
    uint32_t number = spur_loc_next();
    struct spur_loc *loc = spur_loc_open(number, type, name);
    if (loc)
        spur_def_stream(number, device);
    if (loc && rank)
        *rank = ++known.streams;
    spur_lock_give(&known.lock);
    spur_self.writing = writing;
    return loc;
}

static struct spur_loc *spur_stream_new_here(uint32_t device, const char *name, uint32_t *rank)
{
    return open_of_device(device, name, rank);
}
/* NOLINTBEGIN(readability-non-const-parameter): written behind the door */
SPUR_DOOR(struct spur_loc *, spur_stream_new, (uint32_t, device), (const char *, name),
          (uint32_t *, rank))
/* NOLINTEND(readability-non-const-parameter) */

static struct spur_loc *spur_device_gauge_here(uint32_t device, const char *name)
{
    return open_of_device(device, name, NULL);
}
SPUR_DOOR(struct spur_loc *, spur_device_gauge, (uint32_t, device), (const char *, name))

static OTF2_RmaWinRef spur_device_window_here(OTF2_Paradigm paradigm)
{
    spur_lock_take(&known.lock);
    if (!known.window[paradigm]) {
        OTF2_GroupRef group =
            spur_def_group("", OTF2_GROUP_TYPE_COMM_GROUP, paradigm, OTF2_GROUP_FLAG_NONE, 0, NULL);
        OTF2_CommRef comm = spur_def_comm("", group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        known.window[paradigm] = spur_def_rma_win("", comm, OTF2_RMA_WIN_FLAG_NONE) + 1;
    }
    OTF2_RmaWinRef window = known.window[paradigm] - 1;
    spur_lock_give(&known.lock);
    return window;
}
SPUR_DOOR(OTF2_RmaWinRef, spur_device_window, (OTF2_Paradigm, paradigm))

static OTF2_RegionRef spur_def_activity_here(enum spur_family family, const char *name,
                                             const char *in_source, const char *group,
                                             OTF2_RegionRole role)
{
    const OTF2_Paradigm paradigm[] = {
#define FAMILY(NAME, ...) SPUR_PARADIGM_##NAME,
#include "settings/families.def"
#undef FAMILY
    };
    const struct spur_call call = {.name = name,
                                   .group = group,
                                   .role = role,
                                   .paradigm = paradigm[family],
                                   .family = (uint8_t)family};
    const struct spur_filter_subject subject = {.name = in_source ? in_source : name,
                                                .mangled = name,
                                                .is_wrapped = true};
    return spur_filtered(&subject) ? OTF2_UNDEFINED_REGION : spur_def_region(&call);
}
SPUR_DOOR(OTF2_RegionRef, spur_def_activity, (enum spur_family, family), (const char *, name),
          (const char *, in_source), (const char *, group), (OTF2_RegionRole, role))

/* ---- records ---- */

static OTF2_ErrorCode put_enter(struct spur_loc *loc, OTF2_RegionRef region, uint32_t n,
                                const struct spur_attribute *attribute)
{
    struct otf2_attribute entry[SPUR_ACTIVITY_ATTRIBUTES];
    OTF2_AttributeList list = list_of(entry, n, attribute);
    struct spur_slot *slot = loc->slot;
    OTF2_ErrorCode error = otf2_evt_put_Enter(&slot->cursor, n ? &list : NULL, loc->now, region);
    if (error)
        return error;
    slot->region[0] = region;
    slot->depth = 1;
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode put_leave(struct spur_loc *loc, OTF2_RegionRef region)
{
    OTF2_ErrorCode error = otf2_evt_put_Leave(&loc->slot->cursor, NULL, loc->now, region);
    if (!error)
        note_leave(loc->slot);
    return error;
}

static OTF2_ErrorCode put_transfer(struct spur_loc *loc, const struct spur_activity *a)
{
    struct otf2_evt_cursor *cursor = &loc->slot->cursor;
    if (a->transfer == SPUR_TRANSFER_PUT)
        return otf2_evt_put_RmaPut(cursor, NULL, loc->now, a->window, a->remote, a->bytes, a->id);
    if (a->transfer == SPUR_TRANSFER_GET)
        return otf2_evt_put_RmaGet(cursor, NULL, loc->now, a->window, a->remote, a->bytes, a->id);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode put_activity(struct spur_loc *loc, const struct spur_activity *a)
{
    struct spur_slot *slot = loc->slot;
    spur_loc_move(loc, a->begin);
    OTF2_ErrorCode error = put_enter(loc, a->region, a->n, a->attribute);
    if (error)
        return error;
    error = put_transfer(loc, a);
    spur_loc_move(loc, a->end);
    if (!error && a->transfer)
        error = otf2_evt_put_RmaOpCompleteBlocking(&slot->cursor, NULL, loc->now, a->window, a->id);
    return error ? error : put_leave(loc, a->region);
}

static bool put_owned(const struct spur_activity *a)
{
    struct spur_loc *loc = a->stream;
    if (!can_record() || loc->closed || !spur_loc_own(loc))
        return false;
    spur_self.writing = loc;
    bool is_put = is_written(loc, put_activity(loc, a));
    spur_loc_disown(loc);
    return is_put;
}

static bool spur_activities_put_here(const struct spur_activity *activity, uint32_t n)
{
    struct spur_loc *writing = spur_self.writing;
    bool all = true;
    for (uint32_t i = 0; i < n; i++)
        all &= put_owned(&activity[i]);
    spur_self.writing = writing;
    return all;
}
SPUR_DOOR(bool, spur_activities_put, (const struct spur_activity *, activity), (uint32_t, n))

static bool spur_values_put_here(struct spur_loc *loc, OTF2_MetricRef metric, uint64_t time,
                                 uint32_t n, const uint64_t *value)
{
    OTF2_Type type[SPUR_GAUGE_VALUES];
    OTF2_MetricValue is[SPUR_GAUGE_VALUES];
    for (uint32_t i = 0; i < n; i++) {
        type[i] = OTF2_TYPE_UINT64;
        is[i].unsigned_int = value[i];
    }
    if (!can_record() || loc->closed || !spur_loc_own(loc))
        return false;
    struct spur_loc *writing = spur_self.writing;
    spur_self.writing = loc;
    spur_loc_move(loc, time);
    bool is_put = is_written(loc, otf2_evt_put_Metric(&loc->slot->cursor, NULL, loc->now, metric,
                                                      (uint8_t)n, type, is));
    spur_loc_disown(loc);
    spur_self.writing = writing;
    return is_put;
}
SPUR_DOOR(bool, spur_values_put, (struct spur_loc *, loc), (OTF2_MetricRef, metric),
          (uint64_t, time), (uint32_t, n), (const uint64_t *, value))

/* ---- ranges ---- */

/* The location is the calling thread's to write from now on. */
static bool take_stream(struct spur_loc *stream, struct spur_loc **writing)
{
    uint32_t state = spur_state_now();
    if ((state != SPUR_ON && state != SPUR_PAUSED) || stream->closed || !spur_loc_own(stream))
        return false;
    *writing = spur_self.writing;
    spur_self.writing = stream;
    spur_loc_move(stream, spur_clock_now());
    return true;
}

static bool give_stream(struct spur_loc *stream, struct spur_loc *writing, OTF2_ErrorCode error)
{
    bool is_put = is_written(stream, error);
    spur_loc_disown(stream);
    spur_self.writing = writing;
    return is_put;
}

bool spur_range_begin(struct spur_loc *stream, OTF2_RegionRef region, uint32_t n,
                      const struct spur_attribute *attribute)
{
    struct spur_loc *writing;
    if (region == OTF2_UNDEFINED_REGION || !can_record() || !take_stream(stream, &writing))
        return false;
    return give_stream(stream, writing, put_enter(stream, region, n, attribute));
}

bool spur_range_end(struct spur_loc *stream, OTF2_RegionRef region)
{
    struct spur_loc *writing;
    return take_stream(stream, &writing) && give_stream(stream, writing, put_leave(stream, region));
}
