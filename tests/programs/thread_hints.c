/* SPDX-License-Identifier: BSD-3-Clause */
/* thread_hints burn|sleep: between two pairs of a lock it works for 0.4 s, or sleeps for 2.5 s. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "truth.h"

static void lock_once(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
    lock_once();
    if (argc > 1 && strcmp(argv[1], "burn") == 0)
        truth_burn(400);
    else
        usleep(2500000);
    lock_once();
    return 0;
}
