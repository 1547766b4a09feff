/* SPDX-License-Identifier: BSD-3-Clause */
/* Dies within a callback of a call that is recorded. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;

static void die(void)
{
    sem_post(&semaphore);
    kill(getpid(), SIGKILL);
}

int main(void)
{
    sem_init(&semaphore, 0, 0);
    pthread_once(&once, die);
    return 0;
}
