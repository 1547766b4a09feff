/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of samples, by the rule of agent/sampling/sample.h.
 *
 * A call at work may, once over, write records that belong to the time of its Enter: for example
 * the send of MPI_Isend(), whose request is known only then. So samples in a call are held until
 * the location's time goes on, and are written then, with their own times.
 */
#ifndef SPUR_SAMPLE_WRITE_H
#define SPUR_SAMPLE_WRITE_H

#include <otf2/otf2.h>

#include "agent/record/location.h"
#include "agent/sampling/sample_source.h"

struct spur_sample_held {
    uint64_t time;
    uint32_t context;
    uint32_t times;
};

/* Zero-initialised; of a thread. spur_self.held is the number of held samples. */
struct spur_sample_hold {
    struct spur_sample_held *at;
    OTF2_MetricValue *value; /* of each, as many as metrics have */
    uint32_t room, value_room;
};

/* The source of the samples of the process; and its name, as users read the name. */
void spur_sample_write_start(enum spur_sample_kind kind);
const char *spur_sample_name(void);

/*
 * The location is owned, and belongs to the calling thread. Write samples at the location's time;
 * returns the number of samples written.
 */
uint32_t spur_sample_write(struct spur_loc *loc, uint32_t context, uint32_t times);

/* Keep the sample for later. False: there is no room. */
bool spur_sample_keep(struct spur_sample_hold *hold, struct spur_loc *loc,
                      const struct spur_sample_held *sample);
/* Write the held samples, each at its time, but not later than `latest`; returns the number of
 * samples written. *times: the number of samples for which the held samples stand. */
uint32_t spur_sample_write_held(struct spur_sample_hold *hold, struct spur_loc *loc,
                                uint64_t latest, uint32_t *times);
void spur_sample_hold_free(struct spur_sample_hold *hold);

/* Below the context: the agent at work. `context`: that context cannot be recorded. */
uint32_t spur_sample_recording(uint32_t context);

#endif
