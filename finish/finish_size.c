/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/finish_size.h"

#include <stdio.h>

/* Decimal units, as disks and networks have them: 999 bytes, 1.0 kB, 12.3 MB. */
static void put(char *text, size_t size, uint64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    uint64_t unit = 1000;
    size_t i = 0;
    if (bytes < unit) {
        snprintf(text, size, "%llu bytes", (unsigned long long)bytes);
        return;
    }
    while (i < 5 && bytes / unit >= 1000) {
        unit *= 1000;
        i++;
    }
    snprintf(text, size, "%llu.%llu %s", (unsigned long long)(bytes / unit),
             (unsigned long long)(bytes % unit / (unit / 10)), units[i]);
}

const char *finish_size_say(const struct finish *f, char text[FINISH_SIZE_BYTES])
{
    char all[48], rate[48];
    uint64_t n = 0;
    for (uint64_t i = 0; i < f->n_processes; i++)
        n += f->process[i]->state != FINISH_MISSING;
    double seconds =
        f->time.ticks_per_second ? (double)f->time.length / (double)f->time.ticks_per_second : 0.0;
    text[0] = '\0';
    put(all, sizeof all, f->bytes);
    if (f->bytes && n && seconds >= 0.1) {
        put(rate, sizeof rate, (uint64_t)((double)f->bytes / seconds / (double)n));
        snprintf(text, FINISH_SIZE_BYTES, " in %s (%s/s per process)", all, rate);
    } else if (f->bytes) {
        snprintf(text, FINISH_SIZE_BYTES, " in %s", all);
    }
    return text;
}
