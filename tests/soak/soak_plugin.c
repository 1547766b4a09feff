/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that makes calls as it comes, in use and as it goes. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static __thread int own;

static void calls(int n)
{
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void at_end(void)
{
    calls(2);
}

static void once(void)
{
    calls(1);
}

__attribute__((constructor)) static void begin(void)
{
    calls(3);
    atexit(at_end); /* of this library: run when it is closed */
}

__attribute__((destructor)) static void end(void)
{
    calls(3);
}

int plugin_call(int number);
int plugin_call(int number)
{
    pthread_once(&control, once);
    calls(number);
    own += number;
    return own;
}
