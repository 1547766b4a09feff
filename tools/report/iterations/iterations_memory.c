/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/iterations/iterations.h"
#include "tools/report/topics/report.h"

const struct loop *iterations_of_memory(struct report *r, const struct holding *held, double *each)
{
    const struct iterations *all = iterations_of(r);
    for (size_t i = 0; i < all->loops.n; i++) {
        const struct loop *loop = &all->loops.at[i];
        *each = memory_growth_each(r, held, loop->ends, loop->n);
        if (*each > 0)
            return loop;
    }
    return NULL;
}
