/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of a program, named by the program with texts made at run time: regions with values, and
 * ranges that begin on one thread and end on any. Part of agent/spur_agent.h; its promises hold
 * here too. The guard is up in all of these functions.
 */
#ifndef SPUR_RANGES_H
#define SPUR_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_define.h"

struct spur_loc;

/* Nothing is recorded of this process, now and later. The guard need not be up. */
bool spur_is_off(void);

/* The region with the name; `kind` is the description. Undefined if a filter leaves the region
 * out. */
OTF2_RegionRef spur_def_named(const char *name, const char *kind);

/* As spur_open_region(); the Enter has the attributes, at most SPUR_RANGE_ATTRIBUTES. */
enum { SPUR_RANGE_ATTRIBUTES = 5 };
uint32_t spur_open_region_with(struct spur_loc *loc, OTF2_RegionRef region, uint32_t n,
                               const struct spur_attribute *attribute);

/*
 * Begin a range now, on a stream without an open range (spur_stream_new()); and end the range now.
 * One thread at a time for each stream. The end of the process ends an open range. False: nothing
 * was recorded. An end is recorded while recording is paused, too.
 */
bool spur_range_begin(struct spur_loc *stream, OTF2_RegionRef region, uint32_t n,
                      const struct spur_attribute *attribute);
bool spur_range_end(struct spur_loc *stream, OTF2_RegionRef region);

#endif
