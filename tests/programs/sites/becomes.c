/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * becomes [PROGRAM ...]: calls, has a child that becomes PROGRAM, and becomes it as well. Built
 * with another -DLINE it has the same addresses, and other lines.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "said.h"

static void take(pthread_mutex_t *mutex);

int main(int argc, char **argv)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    take(&mutex);
    if (argc == 1)
        return 0;
    pid_t child = fork();
    if (child > 0)
        waitpid(child, NULL, 0);
    execv(argv[1], argv + 1);
    return 1;
}

#line LINE
static __attribute__((noinline)) void take(pthread_mutex_t *mutex)
{
    AT(pthread_mutex_lock, mutex);
    AT(pthread_mutex_unlock, mutex);
}
