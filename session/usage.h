/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The use of the machine by a process, as seen by the process now and then: when the files are
 * made, at each flush of a buffer, and at the end. Part of the segment, so the numbers outlive the
 * process: of a killed process the last look stands. All words are written by atomic stores, by any
 * thread.
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
    _Atomic uint64_t last[SPUR_USAGE_COUNTED]; /* at the last look */
    uint64_t first_peak;                       /* KiB: maybe the peak of the program before exec */
    _Atomic uint64_t peak;                     /* KiB of memory; 0: not known */
    _Atomic uint64_t migrations;               /* of the main thread */
    struct spur_cores may_first;               /* allowed processors at the first look, */
    struct spur_cores may;                     /* and of threads at their ends, or at later looks */
    struct spur_cores was;                     /* processors on which looks found threads, */
    _Atomic uint64_t nodes;                    /* and the NUMA nodes, up to number 63 */
};

#endif
