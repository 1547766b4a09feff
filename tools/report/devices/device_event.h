/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of devices, told by the LOCAL part of a report to the SHARED part
 * (tools/report/topics/report_notes.h). All events of a process and of its devices come to the same
 * worker, in the order of time.
 */
#ifndef TOOLS_REPORT_DEVICE_EVENT_H
#define TOOLS_REPORT_DEVICE_EVENT_H

#include <stdint.h>

/*
 * Why a device has no work. The first causes are activities of the thread that gives the next work.
 */
enum idle_cause {
    IDLE_PROGRAM,
    IDLE_MPI,
    IDLE_WAIT,               /* the thread is in a call that waits for devices */
    IDLE_CALLS,              /* the thread is in another call of the runtime of devices */
    IDLE_HOST,               /* the number of a thread's activities */
    IDLE_LAUNCH = IDLE_HOST, /* the work is given, but has not begun */
    IDLE_UNKNOWN,            /* the call that gave the work is not known */
    IDLE_CAUSES
};

/* Kinds of work on devices. Copies are the kinds from FIRST to LAST. */
enum work_kind {
    WORK_KERNEL,
    WORK_TO_DEVICE,
    WORK_TO_HOST,
    WORK_ON_DEVICE,
    WORK_FILL,
    WORK_OTHER,
    WORK_COPY_FIRST = WORK_TO_DEVICE,
    WORK_COPY_LAST = WORK_FILL
};

enum device_what {
    DEVICE_HOST_DOES, /* a thread: activity `cause` from now on */
    DEVICE_LAUNCHES,  /* a thread gives the work `id` */
    DEVICE_BEGINS,    /* a stream begins work of `kind` */
    DEVICE_TURNS,     /* the open work is of `kind`, not of `kind_before` */
    DEVICE_ENDS,      /* the open work has ended */
    DEVICE_HOLDS      /* `bytes` of memory of `kind` from now on */
};

/* The number of work without a known call. */
#define DEVICE_NO_ID UINT64_MAX

struct device_event {
    uint64_t time;
    uint64_t id;
    uint64_t begin; /* of work that ends, like the next members */
    uint64_t bytes;
    uint64_t items;
    uint32_t location; /* indices */
    uint32_t owner;    /* process */
    uint32_t device;   /* location group of the stream */
    uint32_t region;
    uint8_t what;
    uint8_t cause;
    uint8_t kind;
    uint8_t kind_before;
    uint32_t unused;
};

#endif
