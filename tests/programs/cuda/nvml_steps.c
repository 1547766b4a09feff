/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvml_steps MS [fork | close]: is recorded for MS milliseconds, an event each millisecond.
 *   fork   its child does the same at the same time
 *   close  closes all descriptors after half of the time, as daemons do, and opens another file
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void work(long ms)
{
    const struct timespec pause = {0, 1000000};
    long end = now_ms() + ms;
    while (now_ms() < end) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        nanosleep(&pause, NULL);
    }
}

int main(int argc, char **argv)
{
    long ms = atol(argv[1]);
    int forks = argc > 2 && strcmp(argv[2], "fork") == 0;
    int closes = argc > 2 && strcmp(argv[2], "close") == 0;
    pid_t child = forks ? fork() : -1;
    int status = 0;
    work(closes ? ms / 2 : ms);
    if (closes) {
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
        if (open("/dev/null", O_RDONLY) != 3)
            return 1;
        work(ms / 2);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    return status != 0;
}
