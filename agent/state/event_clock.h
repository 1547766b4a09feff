/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event clock. Ticks are raw: the TSC where it can be trusted (session/clock_choice.h), else
 * nanoseconds of CLOCK_MONOTONIC. Finishing finds the frequency from two moments, at the start
 * and at the end of the run.
 */
#ifndef SPUR_CLOCK_H
#define SPUR_CLOCK_H

#include <stdint.h>

#include "session/clock_choice.h"
#include "session/clock_read.h"
#include "session/segment.h"
#include "settings/config.h"

/*
 * Choose the source. A wish for the TSC on a machine without a usable one is answered with
 * CLOCK_MONOTONIC. `measured`: what the session has measured of the kernel's clock, or NULL.
 */
struct spur_clock_choice_made spur_clock_init(enum spur_clock_choice wish, const char *measured);

/* What has been chosen. */
enum spur_clock_kind spur_clock_kind(void);

/* What is asked for the kernel's clock; a test has another one. */
extern struct spur_clock_machine spur_clock_machine;

/*
 * Identity of the clock that spur_clock_init() has chosen: a hash of the boot, of the kind of clock
 * and, since CLOCK_MONOTONIC is shifted by time namespaces and the TSC is not, of the shift.
 */
uint64_t spur_clock_identify(enum spur_clock_kind kind);

/* Event clock and system clocks at one moment: the closest of several tries. */
struct spur_moment spur_clock_moment(void);

struct spur_loc;

/*
 * The location's time is far ahead of the clock: that has gone back, when the machine or its guest
 * was resumed or moved. From now on the system's clock tells the ticks; returns what it says.
 */
uint64_t spur_clock_went_back(struct spur_loc *loc, uint64_t now);

/* More than the processors' clocks may differ by: less than a millisecond in ticks, or 1 ms. */
enum { SPUR_CLOCK_STEP = 1 << 20 };

/*
 * The clock is to be compared with the system's, for finishing: see session/clock_watch.h. The
 * caller has recorded nothing since the ticks `quiet_since`; 0: it does not know. If the clock has
 * gone back it is left. Returns `now`, or what the clock says that has taken the place.
 */
uint64_t spur_clock_look(uint64_t now, uint64_t quiet_since);

/* Define what has become of the clock as a property of the process. */
void spur_clock_tell(void);

#endif
