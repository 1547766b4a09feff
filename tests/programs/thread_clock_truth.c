/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The truth of the processor's clock, by a program with readings of its own, and the pairs of the
 * agent, in the agent's mapped segment. A word a line on standard input:
 *
 *   lock   takes a lock 1000 times
 *   rate   says the rate of the clock since the start, in MHz
 *   fork   forks; execute  executes a program that is not there. Both say whether the agent has a
 *          pair of times behind the moment before; none does
 *   none   says the same, of a pause only
 *   first  says whether the agent has a pair at all
 *   kill   ends the program by SIGKILL
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "session/clock_read.h"
#include "session/segment.h"

enum { PAUSE_US = 60000, TRIES = 200, PAIRS = 1000 };

/* The closest of many readings. */
static struct spur_clock_pair pair_now(void)
{
    struct spur_clock_pair best = {0, 0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        struct timespec t;
        uint64_t before = spur_clock_tsc();
        clock_gettime(CLOCK_MONOTONIC, &t);
        uint64_t took = spur_clock_tsc() - before;
        if (took >= least)
            continue;
        least = took;
        best.ticks = before + took / 2;
        best.monotonic = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    }
    return best;
}

static const struct spur_segment *segment(void)
{
    char line[4096];
    unsigned long address = 0, offset;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) {
        unsigned long from;
        bool is_it = strstr(line, "/segment") &&
                     sscanf(line, "%lx-%*x %*s %lx", &from, &offset) == 2 && offset == 0;
        address = is_it ? from : address;
    }
    fclose(maps);
    return (const struct spur_segment *)address;
}

static uint64_t newest(void)
{
    const struct spur_segment *own = segment();
    return own ? own->watch.last[own->watch.newest & 1].monotonic : 0;
}

static void forks(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

static void executes(void)
{
    execl("/no/such/program", "program", (char *)NULL);
}

static void rests(void)
{
}

static void look(void (*act)(void))
{
    usleep(PAUSE_US);
    uint64_t before = pair_now().monotonic;
    act();
    printf("%s\n", newest() >= before ? "seen" : "unseen");
}

static void lock(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < PAIRS; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    puts("done");
}

int main(void)
{
    const struct spur_clock_pair start = pair_now();
    char word[16];
    while (scanf("%15s", word) == 1) {
        struct spur_clock_pair now = pair_now();
        if (strcmp(word, "lock") == 0)
            lock();
        else if (strcmp(word, "rate") == 0)
            printf("%.6f\n", 1e3 * (double)(now.ticks - start.ticks) /
                                 (double)(now.monotonic - start.monotonic));
        else if (strcmp(word, "fork") == 0)
            look(forks);
        else if (strcmp(word, "execute") == 0)
            look(executes);
        else if (strcmp(word, "none") == 0)
            look(rests);
        else if (strcmp(word, "first") == 0)
            printf("%s\n", newest() ? "seen" : "unseen");
        else if (strcmp(word, "kill") == 0)
            raise(SIGKILL);
        fflush(stdout);
    }
    return 0;
}
