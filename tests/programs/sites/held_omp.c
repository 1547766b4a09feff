/* SPDX-License-Identifier: BSD-3-Clause */
/* A lock and critical sections of a team. */
#include <omp.h>

static omp_lock_t table_lock;

int main(void)
{
    int n = 0;
    omp_init_lock(&table_lock);
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&table_lock);
        n++;
        omp_unset_lock(&table_lock);
#pragma omp critical(queue)
        n++;
#pragma omp critical
        n++;
    }
    omp_destroy_lock(&table_lock);
    return n != 6;
}
