/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUDA, as reported by the driver and CUPTI. The driver loads the library named by
 * CUDA_INJECTION64_PATH, and calls the library when CUDA is first used. spur then opens CUPTI.
 * CUPTI calls back where a call of the driver or of the runtime begins and ends, and hands over
 * records of the devices' work, in its own time and order. A number of CUPTI's, the correlation,
 * links each work to the call that gave the work.
 */
#ifndef WRAPPERS_CUDA_H
#define WRAPPERS_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2_foreach.h>

#include "wrappers/cuda/cupti_api.h"
#include "wrappers/device/device_told.h"
#include "wrappers/kit/wrapper.h"

/* ---- CUPTI ---- */

/* cupti.cuptiSubscribe(...); NULL: missing in this CUPTI. */
struct cupti {
#define CUPTI_TYPE_(Row, type, name) type name
#define NEEDED(name, ...) int (*name)(OTF2_LIST(CUPTI_TYPE_, name, "", __VA_ARGS__));
#define EXTRA(name, ...) NEEDED(name, __VA_ARGS__)
#include "wrappers/cuda/cupti_functions.def"
};
extern struct cupti cupti;

/*
 * Opens CUPTI. `start` is called with each CUPTI found, the best first, until `start` returns true.
 * False: no CUPTI was found, or none could be started. Takes locks of the loader.
 */
bool cupti_open(bool (*start)(void));

/* ---- groups of calls ---- */

enum cuda_group {
#define GROUP(name, ...) CUDA_GROUP_##name,
#include "wrappers/cuda/cuda_groups.def"
#undef GROUP
    CUDA_GROUPS,
    CUDA_GROUP_any = CUDA_GROUPS
};
extern bool cuda_group_is_off[CUDA_GROUPS + 1];
/* Switch the groups as SPUR_CUDA says. False: no group is on. */
bool cuda_groups_select(const char *list);

/* A call by its name: its group, and whether the call may give work. */
struct cuda_name {
    enum cuda_group group;
    bool gives;
};
struct cuda_name cuda_name_of(const char *name);

/* ---- calls ---- */

/* The callback of CUPTI where a call begins and ends. */
cupti_callback cuda_on_call;
/* Switches on the callbacks of the recorded calls. */
void cuda_calls_enable(void *subscriber);
/* The launches of the calls are kept by CUPTI's numbers. */
extern struct device_calls cuda_calls;

/* ---- kernels ---- */

/* The region of a kernel; undefined if a filter leaves the kernel out. */
OTF2_RegionRef cuda_kernel_region(const char *name);
/* In a child of fork(). */
void cuda_kernels_forget(void);
/* The region of a copy, or of a fill, by its name. */
OTF2_RegionRef cuda_copy_region(const char *name);

/* ---- records ---- */

cupti_request cuda_on_request;
cupti_complete cuda_on_complete;
/* Asks CUPTI for records; and, when CUDA has started, for the remaining kinds. False: not all kinds
 * come. */
bool cuda_records_enable(void);
bool cuda_records_enable_later(void);
/* Asks for no further records. */
void cuda_records_disable(void);
/* Has CUPTI got buffers of spur's? And: is this buffer spur's? */
bool cuda_has_own_buffers(void);
bool cuda_is_own_buffer(const void *buffer);
/* Work of the stream is reported: if the program has named the stream, set the name. */
void cuda_stream_seen(uint32_t context, uint32_t number, struct device_stream *stream);
/* How many records CUPTI has lost so far. */
uint64_t cuda_records_lost(void);

/* The times at which CUPTI is asked for its records. */
extern struct device_flusher cuda_flusher;

/* ---- the process ---- */

/* Is the agent meant to record calls or work of CUDA? */
bool cuda_is_wanted(void);

/* Is this the process in which CUPTI was started, and not a child of that process? */
bool cuda_is_ours(void);
/* The same, also where a child has recorded nothing yet. A system call. */
bool cuda_may_ask(void);
/*
 * CUPTI is the program's from now on: the program asks for CUPTI by `call`. False: CUPTI stays with
 * spur, since a thread is inside a call for long. Any thread.
 */
bool cuda_give_up(const char *call);
/* CUPTI says that CUDA's start is over. */
void cuda_has_started(void);
/* Asks CUPTI for complete records, and records their work. */
void cuda_flush(void);

#endif
