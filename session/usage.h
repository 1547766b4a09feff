/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process has used of its machine, as it sees that now and then: when its files are made, at
 * each flush of a buffer, and at its end. Part of its segment, so it outlives the process: of one
 * that is killed the last look stands. All words are written by atomic stores, by any thread.
 */
#ifndef SPUR_USAGE_H
#define SPUR_USAGE_H

#include <stdatomic.h>
#include <stdint.h>

enum { SPUR_USAGE_WORDS = 16, SPUR_USAGE_CORES = 64 * SPUR_USAGE_WORDS };

/* The counts of a process: (NAME, word in the archive). See docs/marks.md. */
#define SPUR_USAGE_COUNTS(COUNT)                                                                   \
    COUNT(USER, "user_us")                                                                         \
    COUNT(SYSTEM, "system_us")                                                                     \
    COUNT(MINOR, "minor_faults")                                                                   \
    COUNT(MAJOR, "major_faults")                                                                   \
    COUNT(VOLUNTARY, "voluntary_switches")                                                         \
    COUNT(INVOLUNTARY, "involuntary_switches")                                                     \
    COUNT(MAIN_RUN, "main_run_us")                                                                 \
    COUNT(MAIN_DELAY, "main_delay_us")

enum spur_usage_count {
#define COUNT(NAME, word) SPUR_USAGE_##NAME,
    SPUR_USAGE_COUNTS(COUNT)
#undef COUNT
        SPUR_USAGE_COUNTED
};

/* Processors, by their numbers. */
struct spur_cores {
    _Atomic uint64_t word[SPUR_USAGE_WORDS];
};

struct spur_usage {
    _Atomic uint32_t looks;
    _Atomic uint32_t has_migrations;
    uint64_t first[SPUR_USAGE_COUNTED];        /* at the first look */
    _Atomic uint64_t last[SPUR_USAGE_COUNTED]; /* at the last one */
    uint64_t first_peak;                       /* KiB: may be that of the program before exec */
    _Atomic uint64_t peak;                     /* KiB of memory; 0: not known */
    _Atomic uint64_t migrations;               /* of the main thread */
    struct spur_cores may_first;               /* where the process could run at the first look, */
    struct spur_cores may;                     /* and its threads at their ends, or later ones */
    struct spur_cores was;                     /* where looks found threads, */
    _Atomic uint64_t nodes;                    /* and on which NUMA nodes, up to number 63 */
};

#endif
