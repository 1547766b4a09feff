/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking for a time in what is in the order of time. */
#ifndef TOOLS_REPORT_CAUSES_TIMES_H
#define TOOLS_REPORT_CAUSES_TIMES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of the i-th item, which begins with its time. */
static inline uint64_t times_at(const void *items, size_t item, size_t i)
{
    uint64_t time;
    memcpy(&time, (const char *)items + i * item, sizeof time);
    return time;
}

/* How many of n items have this time or an earlier one. Looks from item `near` on. */
static inline size_t times_until(const void *items, size_t item, size_t n, size_t near,
                                 uint64_t time)
{
    size_t low = near < n ? near : n; /* all before are not later */
    size_t high = low;                /* is later */
    size_t step = 1;
    if (low && times_at(items, item, low - 1) > time) {
        for (; low && times_at(items, item, low - 1) > time; step *= 2) {
            high = low - 1;
            low = high > step ? high - step : 0;
        }
    } else {
        for (; high < n && times_at(items, item, high) <= time; step *= 2) {
            low = high + 1;
            high = n - low > step ? low + step : n;
        }
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (times_at(items, item, middle) <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
