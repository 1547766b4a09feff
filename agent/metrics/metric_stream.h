/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of the process on a location of their own, which is nobody's: any thread writes them, one
 * at a time, with the lock and on a stack of the agent's.
 */
#ifndef SPUR_METRIC_STREAM_H
#define SPUR_METRIC_STREAM_H

#include <otf2/otf2.h>

#include "base/lock.h"

struct spur_metric_stream {
    struct spur_lock lock;
    struct spur_loc *loc;
    struct spur_loc *writing; /* what the thread wrote to before */
    bool is_opened;           /* or was tried to be */
    OTF2_MetricRef instance;  /* of what is put next */
};

/* False: it was opened before, or cannot be. With the lock, as the rest. */
bool spur_metric_stream_open(struct spur_metric_stream *stream, const char *name);
/* Values of the process (OTF2_SCOPE_LOCATION_GROUP), or of its host (OTF2_SCOPE_SYSTEM_TREE_NODE).
 */
OTF2_MetricRef spur_metric_stream_instance(const struct spur_metric_stream *stream,
                                           OTF2_MetricRef class, OTF2_MetricScope scope);
/* False: nothing can be written. Else the values are read now and put, or not, and it is ended. */
bool spur_metric_stream_begin(struct spur_metric_stream *stream);
/* `attributes` may be NULL. */
void spur_metric_stream_put(struct spur_metric_stream *stream, OTF2_AttributeList *attributes,
                            uint8_t n, const OTF2_Type *type, const OTF2_MetricValue *value);
void spur_metric_stream_end(struct spur_metric_stream *stream);

void spur_metric_stream_after_fork(struct spur_metric_stream *stream);

#endif
