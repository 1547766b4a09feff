/* SPDX-License-Identifier: BSD-3-Clause */
/* NAME is the function that the plugin works with. */
#include <semaphore.h>

void plugin_run(sem_t *semaphore);

static volatile int sink;

static __attribute__((noinline)) void NAME(sem_t *semaphore)
{
    volatile char room[ROOM];
    room[0] = 1;
    sem_post(semaphore);
    sink += room[0];
}

void plugin_run(sem_t *semaphore)
{
    NAME(semaphore);
    sink++;
}
