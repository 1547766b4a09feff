/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP: the process ends in a task, while other threads have tasks. */
#include <stdlib.h>

#include "soak.h"

enum { TASKS = 20 };

void soak_op_exit_in_task(struct soak_actor *actor)
{
    int status = (int)soak_draw(actor, 100), last = (int)soak_draw(actor, TASKS);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
        {
            soak_calls(2);
            if (i == last)
                exit(status);
        }
    }
}
