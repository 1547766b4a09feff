/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens with devices, as the LOCAL part of a report tells it to the SHARED one
 * (tools/report/topics/report_notes.h). All events of a process and of its devices come to one
 * worker, in the order of time.
 */
#ifndef TOOLS_REPORT_DEVICE_EVENT_H
#define TOOLS_REPORT_DEVICE_EVENT_H

#include <stdint.h>

/* Why a device has nothing to do: the first ones are what the thread does that gives the next. */
enum idle_cause {
    IDLE_PROGRAM,
    IDLE_MPI,
    IDLE_WAIT,               /* it is in a call that waits for devices */
    IDLE_CALLS,              /* it is in another call of the runtime of devices */
    IDLE_HOST,               /* the number of these */
    IDLE_LAUNCH = IDLE_HOST, /* the work is given, and has not begun */
    IDLE_UNKNOWN,            /* nobody knows which call has given it */
    IDLE_CAUSES
};

/* Copies are from FIRST to LAST. */
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
    DEVICE_HOST_DOES, /* a thread: `cause` from now on */
    DEVICE_LAUNCHES,  /* a thread gives the work `id` */
    DEVICE_BEGINS,    /* a stream: work of `kind` */
    DEVICE_TURNS,     /* it is of `kind`, and not of `kind_before` */
    DEVICE_ENDS,      /* it is done */
    DEVICE_HOLDS      /* `bytes` of memory of `kind` from now on */
};

/* The number of what no call has given. */
#define DEVICE_NO_ID UINT64_MAX

struct device_event {
    uint64_t time;
    uint64_t id;
    uint64_t begin; /* of what ends, as the others */
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
