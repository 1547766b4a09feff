/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks and unlocks in parallel regions for ever, and counts it: `omp_kills FILE`. */
#include <omp.h>

#include "kill_counts.h"

enum { THREADS = 3, CALLS = 4, PAUSE_US = 20 };

int main(int argc, char **argv)
{
    struct kill_count *counts = argc == 2 ? kill_counts_open(argv[1]) : NULL;
    for (; counts;) {
#pragma omp parallel num_threads(THREADS)
        {
            struct kill_count *count = &counts[omp_get_thread_num()];
            omp_lock_t lock;
            omp_init_lock(&lock);
            for (int i = 0; i < CALLS; i++) {
                COUNTED(count, omp_set_lock(&lock));
                COUNTED(count, omp_unset_lock(&lock));
            }
            omp_destroy_lock(&lock);
#pragma omp barrier
            usleep(PAUSE_US);
        }
    }
    return 2;
}
