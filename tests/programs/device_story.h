/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program whose device is idle for known causes. The program keeps a diary of calls, in ns of
 * CLOCK_MONOTONIC, in the file named by STORY. A line `call KIND begin end` is a call of the
 * runtime, of MPI, or a call for waiting. A line `gave DEVICE begin end` is a call that gives a
 * device the next work. A line `work DEVICE begin end` is the work itself, if the program is told.
 * tests/lib/device_story.py reads the diary.
 */
#ifndef TESTS_DEVICE_STORY_H
#define TESTS_DEVICE_STORY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <mpi.h>

enum { STORY_ROUNDS = 4, STORY_WORK_US = 500 };
/* In each round, the causes of the device's idle time. Each cause has its own length. */
enum {
    STORY_PROGRAM_MS = 20,
    STORY_WAIT_MS = 14,
    STORY_CALLS_MS = 10,
    STORY_MPI_MS = 7,
    STORY_LATE_MS = 4,
    STORY_LONG_MS = 400 /* polled by the host, if the program has an argument */
};

static FILE *story_file;

static uint64_t story_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void story_sleep(unsigned ms)
{
    const struct timespec length = {ms / 1000, (long)(ms % 1000) * 1000000};
    nanosleep(&length, NULL);
}

static void story_line(const char *what, uint64_t begin, uint64_t end)
{
    if (story_file)
        fprintf(story_file, "%s %llu %llu\n", what, (unsigned long long)begin,
                (unsigned long long)end);
}

#define STORY_CALL(what, call)                                                                     \
    do {                                                                                           \
        uint64_t begin_ = story_now();                                                             \
        call;                                                                                      \
        story_line(what, begin_, story_now());                                                     \
    } while (0)

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int result_ = (int)(call);                                                                 \
        if (result_ != 0) {                                                                        \
            fprintf(stderr, "line %d: %s: %d\n", __LINE__, #call, result_);                        \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)
#define CALL(what, call) STORY_CALL(what, CHECK(call))

/* The part of a runtime. All functions are of device 0, unless noted otherwise. */
static void begin(void);
static void give(const char *name); /* work of STORY_WORK_US */
static void finish(void);
static void give_late(const char *name); /* the same, with a begin STORY_LATE_MS later */
static void wait_elsewhere(void);        /* STORY_WAIT_MS, but not for this device */
static void give_long(void);             /* work of STORY_LONG_MS */
static int is_busy(void);                /* whether the work of give_long() goes on */
static void call_else(void);             /* STORY_CALLS_MS in calls other than waits */

/* ---- MPI: another rank, without a device, takes its time ---- */

static void wait_for_rank(void)
{
    int word = 0;
    STORY_CALL("call MPI", MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    STORY_CALL("call MPI", MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void be_late(void)
{
    int word = 0;
    for (int i = 0; i < STORY_ROUNDS; i++) {
        MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        story_sleep(STORY_MPI_MS);
        MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
}

static void work(void)
{
    give("work");
    finish();
}

static void story_round(void)
{
    work();
    story_sleep(STORY_PROGRAM_MS);
    work();
    wait_elsewhere();
    work();
    call_else();
    work();
    wait_for_rank();
    work();
    give_late("late");
    finish();
}

/* Asks until the device is done. Tells the number of questions and the time. */
static void story_polls(void)
{
    uint64_t asked = 1, begin_ns = story_now();
    give_long();
    while (is_busy())
        asked++;
    printf("asked %llu\nwaited %llu\n", (unsigned long long)asked,
           (unsigned long long)(story_now() - begin_ns));
}

/* The whole program. `tell` writes the work of the device down; NULL: the runtime writes. */
static int story(int argc, char **argv, void (*tell)(void))
{
    const char *path = getenv("STORY");
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1) {
        begin();
        story_polls();
    } else if (rank == 0) {
        if (path)
            story_file = fopen(path, "we");
        begin();
        for (int i = 0; i < STORY_ROUNDS; i++)
            story_round();
        if (tell)
            tell();
    } else {
        be_late();
    }
    if (story_file)
        fclose(story_file);
    MPI_Finalize();
    return 0;
}

#endif
