/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways to have workers, and the one without any other. */
#include "tools/engine/workers.h"

static const struct workers *const rows[] = {&workers_mixed, &workers_mpi, &workers_threads};

const struct workers *workers_choose(unsigned *n)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i]->is_here(n))
            return rows[i];
    *n = 1;
    return &workers_alone;
}

/* ---- one worker ---- */

static void run(unsigned n, void (*work)(struct worker *worker, void *context), void *context)
{
    struct worker worker = {.how = &workers_alone, .size = n};
    work(&worker, context);
}

/* It never has to meet anybody. */
const struct workers workers_alone = {.name = "alone", .run = run};
