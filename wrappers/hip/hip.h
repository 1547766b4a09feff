/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HIP, as rocprofiler-sdk tells of it. The HIP runtime hands its tables of functions to
 * rocprofiler-register, when the program first uses HIP. The preloaded agent has the function that
 * it calls for that. It opens rocprofiler-sdk, makes itself known there as a tool, and lets
 * rocprofiler-register go on, which then gives the tables to rocprofiler-sdk.
 *
 * rocprofiler-sdk calls back where a call of HIP begins and ends, and hands over records of what
 * the devices have done, in its own time and order. A number, the correlation, says which call has
 * given which work.
 */
#ifndef WRAPPERS_HIP_H
#define WRAPPERS_HIP_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2_foreach.h>

#include "wrappers/device/device_told.h"
#include "wrappers/hip/rocprofiler_api.h"
#include "wrappers/kit/wrapper.h"

/* ---- rocprofiler-sdk ---- */

/* hip_sdk.rocprofiler_flush_buffer(...). */
struct hip_sdk {
#define HIP_TYPE_(Row, type, name) type name
#define NEEDED(name, ...) int (*name)(OTF2_LIST(HIP_TYPE_, name, "", __VA_ARGS__));
#include "wrappers/hip/rocprofiler_functions.def"
};
extern struct hip_sdk hip_sdk;

/*
 * Opens the library that rocprofiler-register would open, which has this address. False: there is
 * none, or one without a function that is needed. Takes locks of the loader.
 */
bool hip_sdk_open(const void *in_register);

/* ---- groups of calls ---- */

enum hip_group {
#define GROUP(name, ...) HIP_GROUP_##name,
#include "wrappers/hip/hip_groups.def"
#undef GROUP
    HIP_GROUPS
};
extern bool hip_group_is_off[HIP_GROUPS];
/* Switch the groups as SPUR_HIP says. False: none is on. */
bool hip_groups_select(const char *list);

/* A call by its name: its group, and whether it may give work. */
struct hip_name {
    enum hip_group group;
    bool gives;
};
struct hip_name hip_name_of(const char *name);

/* ---- what is told, by its number in this rocprofiler-sdk ---- */

enum {
#define CALLED(NAME, is_needed) HIP_##NAME,
#include "wrappers/hip/rocprofiler_kinds.def"
    HIP_CALLED
};
enum {
#define RECORDED(NAME, RECORD, is_needed) HIP_##NAME,
#include "wrappers/hip/rocprofiler_kinds.def"
    HIP_RECORDED
};
struct hip_kinds {
    int called[HIP_CALLED], recorded[HIP_RECORDED]; /* -1: it is not told */
};
extern struct hip_kinds hip_kinds;

/* ---- calls ---- */

/* What rocprofiler-sdk calls; that of its version. */
rocprofiler_calls hip_on_call;
rocprofiler_old_calls hip_on_old_call;
/* Describes the calls. The numbers of those that are recorded: up to `most`; how many. */
size_t hip_calls_describe(int32_t *numbers, size_t most);
/* A stream that rocprofiler-sdk does not tell. */
#define HIP_NO_STREAM UINT64_MAX
extern struct device_calls hip_calls;

/* ---- rocTX ---- */

/* Up to `most` numbers of its calls, by the kind of that number; how many. 0: they are not wanted.
 */
size_t hip_roctx_describe(int kind, int32_t *numbers, size_t most);
void hip_roctx_call(const struct rocprofiler_call *call);

/* ---- kernels ---- */

void hip_kernel_known(uint64_t number, const char *name);
/* Its region; undefined for one that a filter leaves out. */
OTF2_RegionRef hip_kernel_region(uint64_t number);

/* ---- records ---- */

rocprofiler_agents hip_on_agents;
rocprofiler_records hip_on_records;
/* How many records rocprofiler-sdk has lost so far. */
uint64_t hip_records_lost(void);

/* ---- the process ---- */

extern struct device_flusher hip_flusher;
/* Is this the process that rocprofiler-sdk was started in? Not in a child that records already. */
bool hip_is_ours(void);
/* The same, also where a child has recorded nothing yet. A system call. */
bool hip_may_ask(void);
/* Is rocprofiler-sdk older than 1.0? */
bool hip_sdk_is_old(void);
/* Asks for what is complete, and records it. */
void hip_flush(bool is_last);
/* Starts rocprofiler-sdk with spur as a tool, and says why if it does not. Once. */
void hip_start(const void *in_register);

#endif
