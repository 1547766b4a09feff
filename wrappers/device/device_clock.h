/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the clock of a device to the clock of the trace. The device counts ns. For a few of its
 * times, bounds in the host's time are known: the time at which the device got work lies within the
 * call that gave the work, and work seen to be done has ended before. Each bound limits the
 * distance of the clocks. The bounds age, so that clocks may drift.
 */
#ifndef WRAPPERS_DEVICE_CLOCK_H
#define WRAPPERS_DEVICE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* The trace's clock and the host's ns at two moments, the later moment second. */
struct device_line {
    uint64_t ticks[2], ns[2];
};
uint64_t device_line_ns(const struct device_line *line, uint64_t ticks);
uint64_t device_line_ticks(const struct device_line *line, uint64_t ns);

/* Host minus device, in ns. */
struct device_clock {
    int64_t least, most;
    uint64_t at; /* host ns of the last bound */
    bool is_known;
};
/* When the device's clock showed `device`, the host's was between `least` and `most`. */
void device_clock_learn(struct device_clock *clock, uint64_t device, uint64_t least, uint64_t most);
/* The device's clock showed `device` before `most`; after device_clock_learn(). */
void device_clock_learn_end(struct device_clock *clock, uint64_t device, uint64_t most);
/* The host's ns at a time of the device; a bound must be known. */
uint64_t device_clock_host(const struct device_clock *clock, uint64_t device);

#endif
