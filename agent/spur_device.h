/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices (accelerators) and what they do. A device of the process becomes a location group, and
 * each of its streams a location in it. Part of agent/spur_agent.h; its promises hold here too. The
 * guard is up in all of these functions, which families call within a wrapped call.
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
 * As spur_enter(), for a call that a library tells of: the function that enters returns before the
 * call is over, and another one leaves. The guard need not be up.
 */
struct spur_loc *spur_enter_told(struct spur_call *call);

/* A number for a device, OTF2_UNDEFINED_UINT32 if nothing is recorded. The name is copied. */
uint32_t spur_device_new(const char *name);
/*
 * A new stream of the device; NULL if nothing can be recorded. *rank is its place in the group of
 * spur_device_window(). Valid until the process ends or forks.
 */
struct spur_loc *spur_stream_new(uint32_t device, const char *name, uint32_t *rank);
/*
 * A location of the device that records values when they change, likewise; and the metric of such
 * values, which are unsigned and hold until the next ones.
 */
struct spur_loc *spur_device_gauge(uint32_t device, const char *name);
OTF2_MetricRef spur_def_gauge(uint32_t n, const struct spur_gauge_value *given);
/* Record all of them. One thread at a time; times ascend. False: they were not recorded. */
bool spur_values_put(struct spur_loc *loc, OTF2_MetricRef metric, uint64_t time, uint32_t n,
                     const uint64_t *value);
/*
 * The window that copies of a paradigm's devices go through; one for each process. Rank 0 is the
 * memory of the host, the others are the streams.
 */
OTF2_RmaWinRef spur_device_window(OTF2_Paradigm paradigm);
/* Does a filter leave out regions by their names? */
bool spur_has_filter(void);
/*
 * The region of something that devices do; undefined for one that a filter leaves out. Filters know
 * it by what the source calls it, if that is not NULL, and by its linker's name. The role is
 * ARTIFICIAL for what is no work, such as waiting.
 */
OTF2_RegionRef spur_def_activity(enum spur_family family, const char *name, const char *in_source,
                                 const char *group, OTF2_RegionRole role);

enum spur_transfer { SPUR_TRANSFER_NONE, SPUR_TRANSFER_PUT, SPUR_TRANSFER_GET };

/* What a stream has done: a region with attributes, and perhaps a copy within it. */
enum { SPUR_ACTIVITY_ATTRIBUTES = 8 };
struct spur_activity {
    struct spur_loc *stream;
    OTF2_RegionRef region;
    uint64_t begin, end; /* times of the trace; of one stream they ascend and do not overlap */
    uint32_t n;
    struct spur_attribute attribute[SPUR_ACTIVITY_ATTRIBUTES]; /* of the Enter */
    enum spur_transfer transfer;
    OTF2_RmaWinRef window;
    uint32_t remote; /* rank in it */
    uint64_t bytes;
    uint64_t id; /* differs from that of all other copies of the process */
};
/* Record them. One thread at a time for each stream. False: one was not recorded. */
bool spur_activities_put(const struct spur_activity *activity, uint32_t n);

/*
 * `call` is called in this process, while it still records, before it ends in any way that the
 * agent sees, and before it becomes another program, which may fail (`goes_on`). Maybe in a signal
 * handler, so it must not wait for what a thread may hold; on a stack of the agent's. Once for a
 * call, whatever a parent has said.
 */
void spur_before_end(void (*call)(bool goes_on));

#endif
