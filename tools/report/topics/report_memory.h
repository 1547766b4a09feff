/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that processes hold (--memory): its course, and its peak. */
#ifndef TOOLS_REPORT_MEMORY_H
#define TOOLS_REPORT_MEMORY_H

#include <stdint.h>

#include "tools/base/list.h"

struct report;
struct stream;

enum { MEMORY_SLICES = 20 }; /* of the run, equally long */

/* One process, by the location that has its values. */
struct holding {
    uint32_t location;
    uint32_t process;
    uint64_t begin; /* of the first value */
    uint64_t time;  /* of the last one */
    uint64_t bytes;
    uint64_t peak;
    uint64_t peak_at; /* when it is known: at the first record behind it */
    uint64_t records;
    uint64_t most[MEMORY_SLICES]; /* in each slice, up to `time` */
};

struct memory {
    LIST(struct holding) all;
};

/* A record at the time of the stream's last event: what is held, and the most up to then. */
void memory_take(struct report *r, struct stream *s, uint64_t bytes, uint64_t peak);

/* The slice that a time is in; and the first time of one. */
uint32_t memory_slice(const struct report *r, uint64_t time);
uint64_t memory_slice_begin(const struct report *r, uint32_t slice);

/*
 * How much the process has grown from the middle of the run to its end, if it did so all the time:
 * the most in each tenth of the run from there on is more than in the one before. Else 0.
 */
uint64_t memory_growth(const struct holding *held);

#endif
