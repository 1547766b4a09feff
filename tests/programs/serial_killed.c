/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks a mutex 1000 times and dies by SIGKILL inside of a locked region. */
#include <pthread.h>
#include <signal.h>

int main(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    raise(SIGKILL);
    return 0;
}
