/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices (accelerators) and their work. A device of the process becomes a location group, and each
 * of its streams a location in the group. Part of agent/spur_agent.h; its promises hold here too.
 * The guard is up in all of these functions: families call them within a wrapped call.
 */
#ifndef SPUR_DEVICE_H
#define SPUR_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_define.h"
#include "agent/spur_gauge.h"
#include "settings/families.h"

struct spur_loc;
struct spur_call;

/*
 * As spur_enter(), for a call that a library reports: the function that enters returns before the
 * call is over, and another function leaves. The guard need not be up.
 */
struct spur_loc *spur_enter_told(struct spur_call *call);

/* A number for a device, OTF2_UNDEFINED_UINT32 if nothing is recorded. The name is copied. */
uint32_t spur_device_new(const char *name);
/*
 * A new stream of the device; NULL if nothing can be recorded. *rank is the place of the stream in
 * the group of spur_device_window(). Valid until the process ends or forks.
 */
struct spur_loc *spur_stream_new(uint32_t device, const char *name, uint32_t *rank);
/*
 * A location of the device for values that are recorded at each change; valid as a stream. And: the
 * metric of the values, unsigned and valid until the next values.
 */
struct spur_loc *spur_device_gauge(uint32_t device, const char *name);
OTF2_MetricRef spur_def_gauge(uint32_t n, const struct spur_gauge_value *given);
/* Record all values. One thread at a time; times ascend. False: the values were not recorded. */
bool spur_values_put(struct spur_loc *loc, OTF2_MetricRef metric, uint64_t time, uint32_t n,
                     const uint64_t *value);
/*
 * The window for the copies of a paradigm's devices; one for each process. Rank 0 is the memory of
 * the host, the further ranks are the streams.
 */
OTF2_RmaWinRef spur_device_window(OTF2_Paradigm paradigm);
/* Does a filter leave out regions by their names? */
bool spur_has_filter(void);
/*
 * The region of an activity of devices; undefined if a filter leaves the activity out. Filters know
 * the activity by its name in the source, if not NULL, and by its linker's name. The role is
 * ARTIFICIAL for an activity without work, such as waiting.
 */
OTF2_RegionRef spur_def_activity(enum spur_family family, const char *name, const char *in_source,
                                 const char *group, OTF2_RegionRole role);

enum spur_transfer { SPUR_TRANSFER_NONE, SPUR_TRANSFER_PUT, SPUR_TRANSFER_GET };

/* An activity of a stream: a region with attributes, and perhaps a copy within the region. */
enum { SPUR_ACTIVITY_ATTRIBUTES = 8 };
struct spur_activity {
    struct spur_loc *stream;
    OTF2_RegionRef region;
    uint64_t begin, end; /* times of the trace; of one stream they ascend and do not overlap */
    uint32_t n;
    struct spur_attribute attribute[SPUR_ACTIVITY_ATTRIBUTES]; /* of the Enter */
    enum spur_transfer transfer;
    OTF2_RmaWinRef window;
    uint32_t remote; /* rank in the window */
    uint64_t bytes;
    uint64_t id; /* differs between all copies of the process */
};
/* Record the activities. One thread at a time for each stream. False: an activity was not
 * recorded. */
bool spur_activities_put(const struct spur_activity *activity, uint32_t n);

/*
 * `call` is called in this process, while the process still records, before each end of the process
 * that the agent sees, and before an exec, which may fail (`goes_on`). Possibly in a signal
 * handler, so `call` must not wait for locks of threads; on a stack of the agent's. Once for each
 * registration, whatever a parent has registered.
 */
void spur_before_end(void (*call)(bool goes_on));

#endif
