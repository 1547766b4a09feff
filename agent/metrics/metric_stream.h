/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of the process on a location of their own, without a thread: any thread writes the values,
 * one thread at a time, with the lock and on a stack of the agent's.
 */
#ifndef SPUR_METRIC_STREAM_H
#define SPUR_METRIC_STREAM_H

#include <otf2/otf2.h>

#include "base/lock.h"

struct spur_metric_stream {
    struct spur_lock lock;
    struct spur_loc *loc;
    struct spur_loc *writing; /* where the thread wrote before */
    bool is_opened;           /* or could not be */
    OTF2_MetricRef instance;  /* of the next values */
};

/* False: already opened, or cannot be opened. With the lock, as all functions below. */
bool spur_metric_stream_open(struct spur_metric_stream *stream, const char *name);
/* Values of the process (OTF2_SCOPE_LOCATION_GROUP), or of its host (OTF2_SCOPE_SYSTEM_TREE_NODE).
 */
OTF2_MetricRef spur_metric_stream_instance(const struct spur_metric_stream *stream,
                                           OTF2_MetricRef class, OTF2_MetricScope scope);
/* False: nothing can be written. Otherwise the caller now reads the values, puts them or not, and
 * calls spur_metric_stream_end(). */
bool spur_metric_stream_begin(struct spur_metric_stream *stream);
/* `attributes` may be NULL. */
void spur_metric_stream_put(struct spur_metric_stream *stream, OTF2_AttributeList *attributes,
                            uint8_t n, const OTF2_Type *type, const OTF2_MetricValue *value);
void spur_metric_stream_end(struct spur_metric_stream *stream);

void spur_metric_stream_after_fork(struct spur_metric_stream *stream);

#endif
