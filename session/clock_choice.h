/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is the counter of the processor good for the times of events? It is where its rate is constant
 * and the kernel itself takes the time from it: the kernel watches its clocks, and drops a counter
 * that differs between the processors.
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
    /* The kernel's clock source, as the file has it; "": it is not known. */
    void (*source)(char *text, size_t size);
    int (*read)(clockid_t id, struct timespec *time); /* as the C library reads a clock */
};

enum { SPUR_CLOCK_SOURCE_BYTES = 64, SPUR_CLOCK_MEASURED_BYTES = SPUR_CLOCK_SOURCE_BYTES + 80 };

/*
 * What was measured of a clock source on a host, in words: for all processes of a session, so that
 * these agree, and none of them measures the same again. "": nothing.
 */
struct spur_clock_choice_made {
    enum spur_clock_verdict verdict;
    char source[SPUR_CLOCK_SOURCE_BYTES]; /* of the kernel; "": not known */
    char measured[SPUR_CLOCK_MEASURED_BYTES];
};

/* `measured` is what the session has measured, or NULL. */
struct spur_clock_choice_made spur_clock_choose(enum spur_clock_choice wish, bool is_forbidden,
                                                const struct spur_clock_machine *machine,
                                                const char *measured);

bool spur_clock_takes_counter(const struct spur_clock_choice_made *made);

/* The clock, why, and what a reading costs, which is measured: "TSC (the kernel uses it), ...". */
void spur_clock_describe(char *text, size_t size, const struct spur_clock_choice_made *made);

#endif
