// SPDX-License-Identifier: BSD-3-Clause
/*
 * rounds leak BYTES    120 iterations, each with a parallel region; each leaves a block for BYTES
 * rounds cache BYTES   the same, but from the middle on they leave nothing
 * rounds none BYTES    they leave nothing
 * All hold a MiB more meanwhile. Prints the bytes that an iteration leaves at first, on average, as
 * malloc_usable_size() has them.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 120, MEANWHILE = 1 << 20, EACH_US = 10000 };

static char *volatile sink;

static char *taken(size_t bytes)
{
    char *p = malloc(bytes);
    if (!p)
        abort();
    return sink = memset(p, 1, bytes);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[1] : "none";
    const size_t bytes = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const int until = !strcmp(mode, "leak") ? ROUNDS : !strcmp(mode, "cache") ? ROUNDS / 2 : 0;
    size_t left = 0;
    int n = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char *meanwhile = taken(MEANWHILE);
#pragma omp parallel num_threads(2) reduction(+ : n)
        n++;
        if (i < until)
            left += malloc_usable_size(taken(bytes));
        usleep(EACH_US);
        free(meanwhile);
    }
    printf("%zu\n", until ? left / (size_t)until : 0);
    return n != 2 * ROUNDS;
}
