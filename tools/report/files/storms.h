/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metadata storms: many calls without data, such as open and stat, in a short time. A server of
 * metadata feels the rate of calls, and not their duration. Calls are counted by process in windows
 * of a tenth of a second, or of a 400th of the run if a 400th is longer. A storm is a series of
 * windows without a gap, each with at least 1,000 calls a second, and lasts half a second at least.
 */
#ifndef TOOLS_REPORT_FILES_STORMS_H
#define TOOLS_REPORT_FILES_STORMS_H

#include <stdint.h>

#include "tools/base/defs.h"
#include "tools/base/list.h"
#include "tools/base/map.h"

/* The calls of a process that begin within a window. */
struct storm_window {
    uint32_t process;
    uint32_t index; /* number of the window */
    uint64_t calls;
    uint64_t first; /* ticks: begin of the first call, end of the last call */
    uint64_t last;
};

struct storms {
    LIST(struct storm_window) all;
    struct map index_of; /* (process, window) */
};

/* A call of a process, from `begin` to `end` (ticks). */
void storms_call(struct storms *s, const struct defs *d, uint32_t process, uint64_t begin,
                 uint64_t end);
/* Calls that another worker has seen. */
void storms_add(struct storms *s, const struct storm_window *window);

struct storm {
    uint64_t peak;  /* most calls in a window, even without a storm */
    uint64_t calls; /* of the storm with the most calls; 0: no storm */
    uint64_t begin; /* ticks */
    uint64_t end;
    uint32_t from;    /* first window */
    uint32_t to;      /* last window */
    uint32_t process; /* the process with most of the calls */
    uint64_t own;     /* calls of the process */
};

/* By process, and behind them a storm over all processes together; to be freed. */
struct storm *storms_find(const struct storms *s, const struct defs *d);

double storms_window_seconds(const struct defs *d);
/* Calls a second in a storm. */
double storms_rate(const struct defs *d, const struct storm *storm);

#endif
