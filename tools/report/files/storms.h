/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metadata storms: calls that move no data, such as open and stat, many in a short time. A server
 * of metadata feels their rate, and not how long they take. Calls are counted by process in windows
 * of a tenth of a second, or of a 400th of the run if that is longer. A storm is made of windows,
 * one behind the other, each with at least 1,000 calls a second, and lasts half a second at least.
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
    uint32_t index; /* of the window */
    uint64_t calls;
    uint64_t first; /* ticks: when the first one begins, and the last one ends */
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
    uint64_t peak;  /* most calls in a window, also where there is no storm */
    uint64_t calls; /* in the storm with most of them; 0: there is none */
    uint64_t begin; /* ticks */
    uint64_t end;
    uint32_t from;    /* windows, */
    uint32_t to;      /* the last one too */
    uint32_t process; /* that makes most of these calls */
    uint64_t own;     /* and how many */
};

/* By process, and behind them what all processes do together; to be freed. */
struct storm *storms_find(const struct storms *s, const struct defs *d);

double storms_window_seconds(const struct defs *d);
/* Calls a second in a storm. */
double storms_rate(const struct defs *d, const struct storm *storm);

#endif
