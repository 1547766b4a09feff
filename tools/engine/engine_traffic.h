/* SPDX-License-Identifier: BSD-3-Clause */
/* What passes between workers, counted on each, and told in a line for all. */
#ifndef TOOLS_ENGINE_TRAFFIC_H
#define TOOLS_ENGINE_TRAFFIC_H

#include "tools/engine/workers.h"

/* Of one worker. What it sends to itself does not count. */
struct engine_traffic {
    uint64_t note_bytes, note_messages;     /* sent */
    uint64_t result_bytes, result_messages; /* sent; see engine_analysis.give */
    uint64_t meetings;                      /* each a reduction over all workers */
    uint64_t exchanges;                     /* each tells all workers how much comes from whom */
};

/* A worker is about to exchange that. */
void traffic_exchange(struct engine_traffic *t, const struct worker *worker,
                      const struct engine_bytes *out);

/* Called by all workers; the first one says it. */
void traffic_say(struct worker *worker, const struct engine_traffic *t);

#endif
