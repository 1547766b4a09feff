/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the counter of the processor is good for the times of events: where the counter has a
 * constant rate and the kernel itself takes the time from the counter. The kernel watches clocks,
 * and drops a counter that differs between the processors.
 */
#ifndef SPUR_CLOCK_CHOICE_H
#define SPUR_CLOCK_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "session/clock_read.h"
#include "settings/config.h"

#define SPUR_CLOCK_SOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

enum spur_clock_verdict {
#define VERDICT(NAME, is_counter, words, more) SPUR_CLOCK_IS_##NAME,
#include "session/clock_verdicts.def"
};

/* The machine, or what stands for one in a test. */
struct spur_clock_machine {
    /* The kernel's clock source, as in SPUR_CLOCK_SOURCE_FILE; "": not known. */
    void (*source)(char *text, size_t size);
    int (*read)(clockid_t id, struct timespec *time); /* as the C library reads a clock */
};

enum { SPUR_CLOCK_SOURCE_BYTES = 64, SPUR_CLOCK_MEASURED_BYTES = SPUR_CLOCK_SOURCE_BYTES + 80 };

/*
 * The choice. `measured`: what was measured of the clock source on this host, in words, "":
 * nothing. The words are handed on to all processes of a session, so that all choose alike and only
 * the first one measures.
 */
struct spur_clock_choice_made {
    enum spur_clock_verdict verdict;
    char source[SPUR_CLOCK_SOURCE_BYTES]; /* of the kernel; "": not known */
    char measured[SPUR_CLOCK_MEASURED_BYTES];
};

/* `measured`: the words of the process that has measured, or NULL. */
struct spur_clock_choice_made spur_clock_choose(enum spur_clock_choice wish, bool is_forbidden,
                                                const struct spur_clock_machine *machine,
                                                const char *measured);

bool spur_clock_takes_counter(const struct spur_clock_choice_made *made);

/* The clock, why, and what a reading costs (measured here): "TSC (the kernel uses it), ...". */
void spur_clock_describe(char *text, size_t size, const struct spur_clock_choice_made *made);

#endif
