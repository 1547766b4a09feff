/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent's side of spur/spur.h. Ids of definitions are cached in the program's objects, with the
 * process that they are valid in, since a child of fork() has ids of its own.
 */
#include <errno.h>

#include <spur/spur.h>

#include "wrappers/kit/wrapper_stack.h"

enum { ID_BITS = 24, ID_MASK = (1 << ID_BITS) - 1, NO_ID = ID_MASK };

#pragma GCC diagnostic ignored "-Wredundant-decls"
/* NOLINTNEXTLINE(readability-redundant-declaration): here it is seen from outside */
extern SPUR_EXPORT const struct spur_user_interface spur_user_interface;

static uint32_t stamp(void)
{
    return spur_generation() << ID_BITS;
}

/* The cached id, plus 1; 0: none that is valid. */
static uint32_t cached(const unsigned *cache)
{
    uint32_t word = __atomic_load_n(cache, __ATOMIC_RELAXED);
    return (word & ~(uint32_t)ID_MASK) == stamp() ? word & ID_MASK : 0;
}

/* OTF2_UNDEFINED_UINT32 is kept as such: what is left out by a filter stays so. */
/* NOLINTNEXTLINE(readability-non-const-parameter): it is written by a builtin */
static uint32_t keep(unsigned *cache, uint32_t id)
{
    if (id >= ID_MASK - 1)
        id = NO_ID - 1;
    __atomic_store_n(cache, stamp() | (id + 1), __ATOMIC_RELAXED);
    return id == NO_ID - 1 ? OTF2_UNDEFINED_UINT32 : id;
}

static uint32_t from_cache(uint32_t id_plus_1)
{
    return id_plus_1 == NO_ID ? OTF2_UNDEFINED_UINT32 : id_plus_1 - 1;
}

/* ---- regions ---- */

static OTF2_RegionRef find_region(void *key)
{
    struct spur_user_region *region = key;
    uint32_t known = cached(&region->id);
    return known
               ? from_cache(known)
               : keep(&region->id, spur_def_user_region(region->name, region->file, region->line));
}

static void enter(struct spur_user_region *region)
{
    wrapper_stack_enter(SPUR_FAMILY_USER, region, find_region);
}

static void leave(struct spur_user_region *region)
{
    wrapper_stack_leave(SPUR_FAMILY_USER, region);
}

/* ---- parameters ---- */

static struct spur_loc *begin_parameter(struct spur_user_parameter *parameter,
                                        OTF2_ParameterType type, uint32_t *id)
{
    struct spur_loc *loc = spur_begin(SPUR_FAMILY_USER, false);
    if (!loc)
        return NULL;
    unsigned *cache = &parameter->id[type];
    uint32_t known = cached(cache);
    *id = known ? from_cache(known) : keep(cache, spur_def_parameter(parameter->name, type));
    if (*id != OTF2_UNDEFINED_PARAMETER)
        return loc;
    spur_end(loc);
    return NULL;
}

static void parameter_int(struct spur_user_parameter *parameter, long long value)
{
    uint32_t id;
    struct spur_loc *loc = begin_parameter(parameter, OTF2_PARAMETER_TYPE_INT64, &id);
    if (!loc)
        return;
    spur_put_ParameterInt(loc, id, value);
    spur_end(loc);
}

static void parameter_uint(struct spur_user_parameter *parameter, unsigned long long value)
{
    uint32_t id;
    struct spur_loc *loc = begin_parameter(parameter, OTF2_PARAMETER_TYPE_UINT64, &id);
    if (!loc)
        return;
    spur_put_ParameterUnsignedInt(loc, id, value);
    spur_end(loc);
}

static void parameter_string(struct spur_user_parameter *parameter, const char *value)
{
    uint32_t id;
    struct spur_loc *loc = begin_parameter(parameter, OTF2_PARAMETER_TYPE_STRING, &id);
    if (!loc)
        return;
    OTF2_StringRef string = spur_def_string(value);
    if (string != OTF2_UNDEFINED_STRING)
        spur_put_ParameterString(loc, id, string);
    spur_end(loc);
}

/* ---- metrics ---- */

static void put_metric(struct spur_user_metric *metric, OTF2_Type type, OTF2_MetricValue value)
{
    static const OTF2_MetricMode modes[] = {
        [SPUR_USER_POINT] = OTF2_METRIC_ABSOLUTE_POINT,
        [SPUR_USER_COUNTER] = OTF2_METRIC_ACCUMULATED_START,
        [SPUR_USER_SINCE] = OTF2_METRIC_RELATIVE_LAST,
    };
    struct spur_loc *loc = spur_begin(SPUR_FAMILY_USER, false);
    if (!loc)
        return;
    unsigned *cache = &metric->id[type == OTF2_TYPE_INT64 ? 0 : type == OTF2_TYPE_UINT64 ? 1 : 2];
    int mode = metric->mode >= 0 && metric->mode <= SPUR_USER_SINCE ? metric->mode : 0;
    uint32_t id = cached(cache);
    id = id ? from_cache(id)
            : keep(cache, spur_def_user_metric(metric->name, metric->unit, modes[mode], type));
    if (id != OTF2_UNDEFINED_METRIC)
        spur_put_Metric(loc, id, 1, &type, &value);
    spur_end(loc);
}

static void metric_int(struct spur_user_metric *metric, long long value)
{
    put_metric(metric, OTF2_TYPE_INT64, (OTF2_MetricValue){.signed_int = value});
}

static void metric_uint(struct spur_user_metric *metric, unsigned long long value)
{
    put_metric(metric, OTF2_TYPE_UINT64, (OTF2_MetricValue){.unsigned_int = value});
}

static void metric_double(struct spur_user_metric *metric, double value)
{
    put_metric(metric, OTF2_TYPE_DOUBLE, (OTF2_MetricValue){.floating_point = value});
}

/* ---- control ---- */

static void record(int on)
{
    spur_recording(on != 0);
}

static int is_recording(void)
{
    return spur_is_recording();
}

const struct spur_user_interface spur_user_interface = {
    .bytes = sizeof(struct spur_user_interface),
    .enter = enter,
    .leave = leave,
    .parameter_int = parameter_int,
    .parameter_uint = parameter_uint,
    .parameter_string = parameter_string,
    .metric_int = metric_int,
    .metric_uint = metric_uint,
    .metric_double = metric_double,
    .record = record,
    .is_recording = is_recording,
};
