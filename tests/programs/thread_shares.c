/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Works in short turns with a sleep in between, in step with the ticks of a kernel and with periods
 * of samples. Tells the CPU time of its two functions.
 */
#include <time.h>

#include "truth.h"

enum { TURNS = 400, FIRST_US = 3500, SECOND_US = 1500, SLEEP_US = 5000, US = 1000, STEPS = 500 };

__attribute__((noinline)) static int64_t first(void)
{
    return truth_burn_ns((int64_t)FIRST_US * US, STEPS);
}

__attribute__((noinline)) static int64_t second(void)
{
    return truth_burn_ns((int64_t)SECOND_US * US, STEPS);
}

int main(void)
{
    const struct timespec pause = {0, (long)SLEEP_US * US};
    int64_t firsts = 0, seconds = 0;
    for (int i = 0; i < TURNS; i++) {
        firsts += first();
        seconds += second();
        nanosleep(&pause, NULL);
    }
    truth_tell("first", firsts);
    truth_tell("second", seconds);
    return 0;
}
