/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HIP, as reported by rocprofiler-sdk. When the program first uses HIP, the HIP runtime hands its
 * tables of functions to rocprofiler-register, by a call of a function. The preloaded agent has a
 * function of the same name in front. The agent's function opens rocprofiler-sdk, registers spur
 * there as a tool, and lets rocprofiler-register go on. rocprofiler-register then gives the tables
 * to rocprofiler-sdk.
 *
 * rocprofiler-sdk calls back where a call of HIP begins and ends, and hands over records of the
 * devices' work, in its own time and order. A number, the correlation, links each work to the call
 * that gave the work.
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
 * Opens the library that rocprofiler-register (with the address `in_register`) would open. False:
 * no library, or a library without a needed function. Takes locks of the loader.
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
/* Switch the groups as SPUR_HIP says. False: no group is on. */
bool hip_groups_select(const char *list);

/* A call by its name: its group, and whether the call may give work. */
struct hip_name {
    enum hip_group group;
    bool gives;
};
struct hip_name hip_name_of(const char *name);

/* ---- reported kinds, by their numbers in this rocprofiler-sdk ---- */

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
    int called[HIP_CALLED], recorded[HIP_RECORDED]; /* -1: not reported */
};
extern struct hip_kinds hip_kinds;

/* ---- calls ---- */

/* The callbacks of rocprofiler-sdk: for the present and for the old versions. */
rocprofiler_calls hip_on_call;
rocprofiler_old_calls hip_on_old_call;
/* Describes the calls. The numbers of the recorded calls: up to `most`; returns how many. */
size_t hip_calls_describe(int32_t *numbers, size_t most);
/* The stream is not reported by rocprofiler-sdk. */
#define HIP_NO_STREAM UINT64_MAX
extern struct device_calls hip_calls;

/* ---- rocTX ---- */

/* Up to `most` numbers of rocTX's calls, of the kind `kind`; returns how many. 0: the calls are not
 * wanted. */
size_t hip_roctx_describe(int kind, int32_t *numbers, size_t most);
void hip_roctx_call(const struct rocprofiler_call *call);

/* ---- kernels ---- */

void hip_kernel_known(uint64_t number, const char *name);
/* The region of the kernel; undefined if a filter leaves the kernel out. */
OTF2_RegionRef hip_kernel_region(uint64_t number);

/* ---- records ---- */

rocprofiler_agents hip_on_agents;
rocprofiler_records hip_on_records;
/* How many records rocprofiler-sdk has lost so far. */
uint64_t hip_records_lost(void);

/* ---- the process ---- */

extern struct device_flusher hip_flusher;
/* Is this the process in which rocprofiler-sdk was started? Not in a child with records of its
 * own. */
bool hip_is_ours(void);
/* The same, also where a child has recorded nothing yet. A system call. */
bool hip_may_ask(void);
/* Is rocprofiler-sdk older than 1.0? */
bool hip_sdk_is_old(void);
/* Asks for complete records, and records their work. */
void hip_flush(bool is_last);
/* Starts rocprofiler-sdk with spur as a tool, and prints the reason of a failure. Once. */
void hip_start(const void *in_register);

#endif
