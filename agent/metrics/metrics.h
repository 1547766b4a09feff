/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics as they are recorded: SPUR_METRICS for each thread right before its Enters and Leaves,
 * SPUR_METRICS_ASYNC for the process, periodically. metric_choice.h chooses and finds metrics.
 *
 * A location with metrics has SPUR_GATE_METRICS in its gate, so its events take the longer path.
 * Only that path calls these functions. The class is SYNCHRONOUS_STRICT if each Enter and Leave has
 * values, and SYNCHRONOUS if SPUR_METRICS_AT selects. If an Enter has values, its Leave has too. A
 * Leave that finishing or another thread adds has no values: nobody can know them.
 */
#ifndef SPUR_METRIC_RUN_H
#define SPUR_METRIC_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "agent/metrics/metric_source.h"

struct spur_loc;

/* The metrics of a location; NULL: nothing. */
struct spur_metrics;

/*
 * In the constructor: find the metrics of the settings, and open the counters of the main thread.
 * Not later: libraries for counters use the host's heap, and a thread may hold a lock of the heap
 * when the first event comes.
 */
void spur_metric_start(void);

/* The process or a location is open: the first values of the gauge, unless already written. */
void spur_gauge_open(void);

/* The files are open and recording is about to go on: define what will be recorded. */
void spur_metric_define(void);
/* Are there complaints about the settings? And: print the complaints. */
bool spur_metric_has_complaints(void);
void spur_metric_complain(void);

/* The calling thread's location is open: attach the counters of the thread. */
void spur_metric_attach(struct spur_loc *loc);
void spur_metric_detach(struct spur_loc *loc);

/*
 * Right before an Enter of a region of `family` is written, by the location's own thread, the
 * owner: read the values, if the Enter is to have values. spur_metric_put() writes the values at
 * the location's time, which may have been moved in between.
 */
void spur_metric_enter(struct spur_loc *loc, uint8_t family);
void spur_metric_put(struct spur_loc *loc);
/* Right before a Leave, with the region still open: read and write. */
void spur_metric_leave(struct spur_loc *loc);
/*
 * For samples, whatever is selected: the number of values of a sample, and reading and writing the
 * values. By the owner as above, possibly from a signal handler. Without the sources that a handler
 * may not use.
 */
uint32_t spur_metric_sample_count(const struct spur_loc *loc);
bool spur_metric_sample_read(struct spur_loc *loc, OTF2_MetricValue *to);
/* The values of this moment, borrowed until the next call for the location; NULL: no values. */
const OTF2_MetricValue *spur_metric_sample_now(struct spur_loc *loc);
void spur_metric_sample_write(struct spur_loc *loc, const OTF2_MetricValue *value);
/* Values have been read for the record that comes next. */
bool spur_metric_is_due(const struct spur_loc *loc);

/* The process ends: the last values of the metrics for the process. */
void spur_metric_end(void);
/* In a child of fork(), while the parent's locations are still listed. */
void spur_metric_after_fork(struct spur_loc *locations);

#endif
