/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp_drawn SEED: a program that is drawn, with recursion, teams of threads, locks, files and
 * pauses. Tells what must be found in its archive: "calls REGION N", "file KIND N BYTES", "forks
 * N".
 */
#include <fcntl.h>
#include <pthread.h>
#include <spur/spur.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { DEEPEST = 400, NESTED = 4, STEPS = 12, BLOCK = 5000, LONGEST_US = 300 };

static struct spur_user_region walk = SPUR_USER_REGION("walk"), dive = SPUR_USER_REGION("dive"),
                               task = SPUR_USER_REGION("task");
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t state;
static long walks, dives, tasks, forks, n_written, written, n_read, bytes_read, shared;
static int file;

static int draw(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static void spend(int us)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

static void go_down(int levels)
{
    dives++;
    spur_user_enter(&dive);
    if (levels > 1)
        go_down(levels - 1);
    spur_user_leave(&dive);
}

static void use_file(void)
{
    static char block[BLOCK];
    for (int i = draw(4); i >= 0; i--) {
        ssize_t put = write(file, block, (size_t)draw(BLOCK));
        ssize_t got = pread(file, block, (size_t)draw(BLOCK), draw(2 * BLOCK));
        if (put < 0 || got < 0)
            abort();
        n_written++, written += put, n_read++, bytes_read += got;
    }
}

static void fork_team(void)
{
    int n = 1 + draw(3), rounds = 1 + draw(3), us = draw(LONGEST_US);
    forks++;
    tasks += (long)n * rounds;
#pragma omp parallel num_threads(n)
    for (int i = 0; i < rounds; i++) {
        spur_user_enter(&task);
#pragma omp critical
        spend(us / 4);
        pthread_mutex_lock(&lock);
        shared++;
        spend(us / 4);
        pthread_mutex_unlock(&lock);
#pragma omp for
        for (int k = 0; k < 2; k++)
            spend(us * k);
        spur_user_leave(&task);
    }
}

/* What is done meanwhile is in no number. */
static void pause_for(int us)
{
    spur_user_off();
    spur_user_enter(&walk);
    spend(us);
    spur_user_leave(&walk);
    spur_user_on();
}

static void step(int depth)
{
    switch (draw(depth < NESTED ? 6 : 4)) {
    case 0:
        go_down(1 + draw(DEEPEST));
        break;
    case 1:
        use_file();
        break;
    case 2:
        fork_team();
        break;
    case 3:
        pause_for(draw(LONGEST_US));
        break;
    default:
        walks++;
        spur_user_enter(&walk);
        for (int i = draw(4); i > 0; i--)
            step(depth + 1);
        spur_user_leave(&walk);
    }
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    draw(2);
    file = open("drawn.dat", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0)
        return 1;
    for (int i = 0; i < STEPS; i++)
        step(0);
    printf("calls walk %ld\ncalls dive %ld\ncalls task %ld\nforks %ld\n", walks, dives, tasks,
           forks);
    printf("file write %ld %ld\nfile read %ld %ld\n", n_written, written, n_read, bytes_read);
    return shared != tasks;
}
