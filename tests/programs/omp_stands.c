/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp_stands MODE: two threads of a team each hold one of two locks and want the other one's, until
 * an alarm ends them:
 *   lock, nest   locks of the API
 *   critical     critical sections
 */
#include <omp.h>
#include <string.h>
#include <unistd.h>

enum { STANDS_S = 3 }; /* until then all threads have come to stand, on a busy machine too */

static omp_lock_t pair[2];
static omp_nest_lock_t nest_pair[2];
static volatile int sum;

static void simple(void)
{
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&pair[omp_get_thread_num()]);
#pragma omp barrier
        alarm(STANDS_S);
        omp_set_lock(&pair[1 - omp_get_thread_num()]); /* lock */
    }
}

static void nested(void)
{
#pragma omp parallel num_threads(2)
    {
        omp_set_nest_lock(&nest_pair[omp_get_thread_num()]);
        omp_set_nest_lock(&nest_pair[omp_get_thread_num()]);
#pragma omp barrier
        alarm(STANDS_S);
        omp_set_nest_lock(&nest_pair[1 - omp_get_thread_num()]); /* nest */
    }
}

/* The other thread has come that far. */
static void meet(void)
{
    static int n;
    __atomic_add_fetch(&n, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&n, __ATOMIC_SEQ_CST) < 2)
        usleep(1000);
    alarm(STANDS_S);
}

static void sections(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp critical(left)
        {
            meet();
#pragma omp critical(right) /* critical */
            sum++;
        }
    } else {
#pragma omp critical(right)
        {
            meet();
#pragma omp critical(left) /* critical */
            sum++;
        }
    }
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 2; i++) {
        omp_init_lock(&pair[i]);
        omp_init_nest_lock(&nest_pair[i]);
    }
    if (argc == 2 && strcmp(argv[1], "lock") == 0)
        simple();
    else if (argc == 2 && strcmp(argv[1], "nest") == 0)
        nested();
    else
        sections();
    return 0;
}
