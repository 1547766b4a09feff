/* SPDX-License-Identifier: BSD-3-Clause */
/* Rounds of work in `first`, of less work in `second`, and of sleep. */
#include "truth.h"

enum { ROUNDS = 10, FIRST_MS = 70, SECOND_MS = 30, SLEEP_MS = 100 };

__attribute__((noinline)) static int64_t first(void)
{
    return truth_burn(FIRST_MS);
}

__attribute__((noinline)) static int64_t second(void)
{
    return truth_burn(SECOND_MS);
}

int main(void)
{
    const struct timespec pause = {0, (long)SLEEP_MS * TRUTH_MS};
    int64_t in_first = 0, in_second = 0, begin = truth_wall();
    for (int i = 0; i < ROUNDS; i++) {
        in_first += first();
        in_second += second();
        nanosleep(&pause, NULL);
    }
    truth_tell("first", in_first);
    truth_tell("second", in_second);
    truth_tell("wall", truth_wall() - begin);
    return 0;
}
