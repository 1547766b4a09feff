/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/unify/unify_ranks.h"

/* A rank of a process's own world, or of one that it has numbered, among all MPI processes. */
static uint64_t place_of(const struct spur_unify_input *input, uint64_t member)
{
    uint64_t number = member >> 32;
    if (number == 0)
        return input->mpi_base + member;
    return number < input->n_worlds && input->worlds[number] != UINT64_MAX
               ? input->worlds[number] + (uint32_t)member
               : member;
}

size_t spur_unify_adapt_ranks(const struct spur_unify_input *input, uint64_t *runs)
{
    uint64_t n = 0, *run = runs + 1;
    for (uint64_t i = 0; i < runs[0]; i++) {
        uint64_t first = place_of(input, run[2 * i]), count = run[2 * i + 1];
        if (n > 0 && run[2 * n - 2] + run[2 * n - 1] == first) {
            run[2 * n - 1] += count;
            continue;
        }
        run[2 * n] = first;
        run[2 * n + 1] = count;
        n++;
    }
    size_t less = (size_t)(2 * (runs[0] - n));
    runs[0] = n;
    return less;
}
