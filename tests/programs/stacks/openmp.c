/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of a team: the outlined function, below it the runtime's. */
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t semaphore;
static volatile int sink;
static int arrived;

static __attribute__((noinline)) void touch(void)
{
    sem_post(&semaphore);
    sink++;
}

int main(void)
{
    sem_init(&semaphore, 0, 0);
#pragma omp parallel num_threads(2)
    {
        touch();
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 2; i++) {
            __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 2)
                sched_yield(); /* each thread has one of them */
            touch();
            sem_post(&semaphore);
        }
        touch();
    }
    touch();
    return 0;
}
