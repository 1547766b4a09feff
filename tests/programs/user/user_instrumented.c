/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that are built with -finstrument-functions, and call each other; the CPU time of each.
 */
#include "../truth.h"

enum { ROUNDS = 8, INNER_MS = 30, OUTER_MS = 40 };

static int64_t inner_time, outer_time;

__attribute__((noinline)) void inner(void)
{
    inner_time += truth_burn(INNER_MS);
}

__attribute__((noinline)) void outer(void)
{
    inner();
    outer_time += truth_burn(OUTER_MS);
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++)
        outer();
    truth_tell("inner", inner_time);
    truth_tell("outer", outer_time);
    return 0;
}
