/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs of this folder compare: a number of a header, and that of a table of spur's. */
#ifndef TESTS_CUDA_LAYOUT_SAME_H
#define TESTS_CUDA_LAYOUT_SAME_H

#include <stddef.h>
#include <stdio.h>

static int faults, compared;

static void same(const char *what, size_t is, size_t said)
{
    compared++;
    if (is == said)
        return;
    printf("%s: %zu, and the table says %zu\n", what, is, said);
    faults++;
}

#endif
