/* SPDX-License-Identifier: BSD-3-Clause */
/* Another plugin with another -DLINE has the same addresses, and other lines. */
#include <pthread.h>

#include "said.h"

void run(pthread_mutex_t *mutex);

#line LINE
void run(pthread_mutex_t *mutex)
{
    AT(pthread_mutex_lock, mutex);
    AT(pthread_mutex_unlock, mutex);
}
