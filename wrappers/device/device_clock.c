/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/device/device_clock.h"

/* Clocks that time servers correct drift apart by no more than this: 1/10000. */
enum { DRIFT = 10000 };

static uint64_t along(uint64_t from, uint64_t to, uint64_t other_from, uint64_t other_to,
                      uint64_t at)
{
    double whole = (double)(int64_t)(to - from);
    if (whole <= 0)
        return other_from + (at - from);
    double part = (double)(int64_t)(at - from) * ((double)(int64_t)(other_to - other_from) / whole);
    return other_from + (uint64_t)(int64_t)part;
}

uint64_t device_line_ns(const struct device_line *line, uint64_t ticks)
{
    return along(line->ticks[0], line->ticks[1], line->ns[0], line->ns[1], ticks);
}

uint64_t device_line_ticks(const struct device_line *line, uint64_t ns)
{
    return along(line->ns[0], line->ns[1], line->ticks[0], line->ticks[1], ns);
}

static void age(struct device_clock *clock, uint64_t now)
{
    if (now <= clock->at)
        return;
    int64_t drift = (int64_t)((now - clock->at) / DRIFT);
    clock->least -= drift;
    clock->most += drift;
    clock->at = now;
}

void device_clock_learn(struct device_clock *clock, uint64_t device, uint64_t least, uint64_t most)
{
    int64_t low = (int64_t)(least - device), high = (int64_t)(most - device);
    if (clock->is_known)
        age(clock, most);
    /* Bounds that exclude each other: a clock was set. */
    if (!clock->is_known || low > clock->most || high < clock->least) {
        *clock = (struct device_clock){low, high, most, true};
        return;
    }
    if (low > clock->least)
        clock->least = low;
    if (high < clock->most)
        clock->most = high;
}

void device_clock_learn_end(struct device_clock *clock, uint64_t device, uint64_t most)
{
    int64_t high = (int64_t)(most - device);
    if (high >= clock->least && high < clock->most)
        clock->most = high;
}

uint64_t device_clock_host(const struct device_clock *clock, uint64_t device)
{
    return device + (uint64_t)(clock->least + (clock->most - clock->least) / 2);
}
