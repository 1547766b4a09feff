/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/metrics/metric_stream.h"

#include "agent/definitions/definitions.h"
#include "agent/record/location.h"
#include "agent/state/event_clock.h"
#include "writer/evt_inline.h"

bool spur_metric_stream_open(struct spur_metric_stream *stream, const char *name)
{
    if (stream->is_opened)
        return false;
    stream->is_opened = true;
    struct spur_loc *writing = spur_self.writing;
    stream->loc = spur_loc_open_metrics(name);
    spur_self.writing = writing;
    return stream->loc != NULL;
}

OTF2_MetricRef spur_metric_stream_instance(const struct spur_metric_stream *stream,
                                           OTF2_MetricRef class, OTF2_MetricScope scope)
{
    return spur_def_metric_instance(class, stream->loc->thread, scope);
}

bool spur_metric_stream_begin(struct spur_metric_stream *stream)
{
    struct spur_loc *loc = stream->loc;
    if (!loc || loc->closed || !spur_loc_own(loc))
        return false;
    stream->writing = spur_self.writing;
    spur_self.writing = loc;
    uint64_t now = spur_clock_now();
    loc->now = now > loc->now ? now : loc->now;
    return true;
}

void spur_metric_stream_put(struct spur_metric_stream *stream, OTF2_AttributeList *attributes,
                            uint8_t n, const OTF2_Type *type, const OTF2_MetricValue *value)
{
    struct spur_loc *loc = stream->loc;
    if (stream->instance == OTF2_UNDEFINED_METRIC)
        return;
    OTF2_ErrorCode error = otf2_evt_put_Metric(&loc->slot->cursor, attributes, loc->now,
                                               stream->instance, n, type, value);
    if (error != OTF2_SUCCESS)
        spur_loc_fail(loc, error);
}

void spur_metric_stream_end(struct spur_metric_stream *stream)
{
    spur_self.writing = stream->writing;
    spur_loc_disown(stream->loc);
}

void spur_metric_stream_after_fork(struct spur_metric_stream *stream)
{
    spur_lock_reset(&stream->lock);
    stream->loc = NULL;
    stream->is_opened = false;
}
