/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of the process, recorded at each change, on a location of their own. Part of
 * agent/spur_agent.h, which wrappers include; its promises hold here too.
 */
#ifndef SPUR_GAUGE_H
#define SPUR_GAUGE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_define.h"

enum { SPUR_GAUGE_VALUES = 4 };

struct spur_gauge {
    const char *location; /* its name */
    uint32_t n;           /* of the values, read together; unsigned, not scaled */
    struct spur_gauge_value {
        const char *name, *unit, *description;
    } value[SPUR_GAUGE_VALUES];
    /* Any thread, one at a time. Takes no lock, and no memory of the host's heap. */
    void (*read)(uint64_t *value);
};

/* In a constructor, once in a process; borrowed for good. The values are recorded from then on, and
 * at the end. */
void spur_gauge_start(const struct spur_gauge *gauge);
/*
 * The values have changed: record them now. Does nothing while nothing is recorded, nor in a thread
 * whose present work must not be interrupted by a record. Anywhere, also in signal handlers.
 */
void spur_gauge_changed(void);

/* The reason of a change: attributes of the record. */
enum { SPUR_GAUGE_ATTRIBUTES = 4 };
struct spur_gauge_reason {
    uint32_t n;
    struct spur_attribute attribute[SPUR_GAUGE_ATTRIBUTES];
};
/*
 * The same with reasons. `next` is called until `next` returns false; a record is written for each
 * reason. One thread at a time is in `next`, on a stack of the agent's; `next` takes no lock except
 * the locks of spur_def_*(). False: nothing can be recorded now, and `next` was not called.
 */
bool spur_gauge_changed_for(bool (*next)(void *data, struct spur_gauge_reason *reason), void *data);

#endif
