/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The common part of runtimes that report the work of devices by themselves: CUDA by CUPTI, HIP by
 * rocprofiler-sdk. A runtime of this kind numbers the calls of the program. Its records, handed
 * over in its own time or on request, name the call that gave the work.
 */
#ifndef WRAPPERS_DEVICE_TOLD_H
#define WRAPPERS_DEVICE_TOLD_H

#include "wrappers/device/device.h"

/* ---- from the number of a call to its launch ---- */

struct device_kept;
/* Static, all 0. */
struct device_launches {
    struct wrapper_lock lock;
    struct device_kept *kept;
    uint32_t *chain; /* place + 1 */
    uint64_t n;      /* all launches so far */
};

/* `stream`: a number of the runtime's, where it is known when the call begins. */
void device_launches_keep(struct device_launches *all, uint64_t correlation,
                          const struct device_launch *launch, uint64_t stream);
/* False: not known. A call may have given several works. `stream` may be NULL. */
bool device_launches_find(struct device_launches *all, uint64_t correlation,
                          struct device_launch *launch, uint64_t *stream);
/* In a child of fork(): threads of the parent may have held the lock. */
void device_launches_forget(struct device_launches *all);

/* ---- kernels ---- */

/* The region of a kernel by its linker's name; undefined if a filter leaves the kernel out. */
OTF2_RegionRef device_kernel_region(enum spur_family family, const char *name);

/* ---- when the runtime is asked for its records ---- */

/* Static; the first fields are the runtime's, all later fields 0. */
struct device_flusher {
    const char *runtime, *thread; /* source of lost records: "CUPTI"; and the name of the thread */
    void (*flush)(bool is_last);  /* asks for complete records; is_last: for incomplete ones too */
    bool (*may_ask)(void);        /* is this the process in which the runtime was started? */
    uint64_t (*lost)(void);       /* records so far */
    _Atomic bool is_running, is_asleep, has_ended;
    _Atomic uint32_t bell;             /* changes when there is work for the thread */
    _Atomic uint32_t asked, fulfilled; /* numbers of wishes; the last wish counts */
    _Atomic int wish;
    _Atomic uint64_t given, asked_for, asked_ns; /* works: all, and all up to the last request */
    _Atomic uint64_t seen;                       /* records and buffers */
};

/* Starts a thread that asks now and then. Without the thread, only the program's threads ask. */
void device_flush_start(struct device_flusher *f);
/* A call has given work; a call has come back; the runtime has handed over `records` records. */
void device_flush_given(struct device_flusher *f);
void device_flush_rarely(struct device_flusher *f, bool has_waited);
void device_flush_saw(struct device_flusher *f, uint64_t records);
/* Before the process ends, or becomes another program, anywhere. And: at exit(). */
void device_flush_end(struct device_flusher *f, bool goes_on);
void device_flush_exit(struct device_flusher *f);

/* ---- calls ---- */

/* The calls of a runtime. Static; `flusher` is set, all further fields 0. */
struct device_calls {
    struct device_flusher *flusher;
    struct device_launches launches;
    /* Threads inside a recorded call, or about to enter; and whether no further call may begin. */
    _Atomic uint32_t n_within;
    _Atomic bool has_stopped;
};

/*
 * The runtime reports that a call of this thread begins, and ends. The call may make inner calls:
 * inner calls are not recorded, since the thread is already inside a recorded call.
 */
void device_call_begin(struct device_calls *all, struct spur_call *call, bool is_giving,
                       uint64_t correlation, uint64_t stream);
enum device_answer { DEVICE_NO_POLL, DEVICE_IS_BUSY, DEVICE_IS_DONE };
/* `answer`: whether the call asked if a device is done, and the answer of the device. */
void device_call_end(struct device_calls *all, enum device_answer answer);
/*
 * No call begins from now on. Ends the call of this thread, and waits for the calls of all further
 * threads, at most `patience_ns`. False: a call goes on; then calls are recorded again.
 */
bool device_calls_stop(struct device_calls *all, uint64_t patience_ns);
/* In a child of fork(). */
void device_calls_forget(struct device_calls *all);

#endif
