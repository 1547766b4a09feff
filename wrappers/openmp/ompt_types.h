/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The used part of OMPT, the tools interface of OpenMP 5.0 to 5.2. Numbers and parameters of the
 * callbacks come from the specification (chapter "OMPT Interface"), common to all runtimes, so no
 * header of a runtime is needed. Tables with bounds catch values that a runtime invents later.
 */
#ifndef WRAPPERS_OPENMP_OMPT_TYPES_H
#define WRAPPERS_OPENMP_OMPT_TYPES_H

#include <stdint.h>

/* A word that the runtime keeps for the tool with each thread, parallel region and task. */
union ompt_data {
    uint64_t value;
    void *ptr;
};

struct ompt_frame; /* not looked into */

struct ompt_dependence {
    union ompt_data variable;
    int type;
};

typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *name);
typedef int (*ompt_set_callback)(int event, ompt_function callback);

/*
 * The result of ompt_start_tool(). The runtime keeps the address, and hands the address to both
 * functions.
 *   initialize  0: the tool is not wanted after all
 */
struct ompt_tool {
    int (*initialize)(ompt_lookup lookup, int initial_device, union ompt_data *tool_data);
    void (*finalize)(union ompt_data *tool_data);
    union ompt_data tool_data;
};

/* Answers of ompt_set_callback(). From "sometimes" on, the event is told at least now and then. */
enum {
    OMPT_SET_ERROR = 0,
    OMPT_SET_NEVER = 1,
    OMPT_SET_IMPOSSIBLE = 2,
    OMPT_SET_SOMETIMES = 3,
    OMPT_SET_SOMETIMES_PAIRED = 4,
    OMPT_SET_ALWAYS = 5
};

enum { OMPT_BEGIN = 1, OMPT_END = 2, OMPT_BEGIN_END = 3 };

enum { OMPT_THREAD_INITIAL = 1, OMPT_THREAD_WORKER = 2, OMPT_THREAD_OTHER = 3 };

enum { OMPT_PARALLEL_LEAGUE = 0x40000000 };

enum {
    OMPT_WORK_LOOP = 1,
    OMPT_WORK_SECTIONS = 2,
    OMPT_WORK_SINGLE_EXECUTOR = 3,
    OMPT_WORK_SINGLE_OTHER = 4,
    OMPT_WORK_WORKSHARE = 5,
    OMPT_WORK_DISTRIBUTE = 6,
    OMPT_WORK_TASKLOOP = 7,
    OMPT_WORK_SCOPE = 8,
    OMPT_WORK_WORKDISTRIBUTE = 9, /* from here on: OpenMP 5.2 and 6.0 */
    OMPT_WORK_LOOP_STATIC = 10,
    OMPT_WORK_LOOP_DYNAMIC = 11,
    OMPT_WORK_LOOP_GUIDED = 12,
    OMPT_WORK_LOOP_OTHER = 13,
    OMPT_WORKS
};

enum {
    OMPT_SYNC_BARRIER = 1,
    OMPT_SYNC_BARRIER_IMPLICIT = 2,
    OMPT_SYNC_BARRIER_EXPLICIT = 3,
    OMPT_SYNC_BARRIER_IMPLEMENTATION = 4,
    OMPT_SYNC_TASKWAIT = 5,
    OMPT_SYNC_TASKGROUP = 6,
    OMPT_SYNC_REDUCTION = 7,
    OMPT_SYNC_BARRIER_WORKSHARE = 8,
    OMPT_SYNC_BARRIER_PARALLEL = 9,
    OMPT_SYNC_BARRIER_TEAMS = 10,
    OMPT_SYNCS
};

enum {
    OMPT_MUTEX_LOCK = 1,
    OMPT_MUTEX_TEST_LOCK = 2,
    OMPT_MUTEX_NEST_LOCK = 3,
    OMPT_MUTEX_TEST_NEST_LOCK = 4,
    OMPT_MUTEX_CRITICAL = 5,
    OMPT_MUTEX_ATOMIC = 6,
    OMPT_MUTEX_ORDERED = 7,
    OMPT_MUTEXES
};

enum {
    OMPT_TASK_INITIAL = 0x1,
    OMPT_TASK_IMPLICIT = 0x2,
    OMPT_TASK_EXPLICIT = 0x4,
    OMPT_TASK_TARGET = 0x8,
    OMPT_TASK_TASKWAIT = 0x10,
    OMPT_TASK_UNDEFERRED = 0x8000000,
    OMPT_TASK_UNTIED = 0x10000000
};

enum {
    OMPT_TASK_COMPLETE = 1,
    OMPT_TASK_YIELD = 2,
    OMPT_TASK_CANCEL = 3,
    OMPT_TASK_DETACH = 4,
    OMPT_TASK_EARLY_FULFILL = 5,
    OMPT_TASK_LATE_FULFILL = 6,
    OMPT_TASK_SWITCH = 7,
    OMPT_TASKWAIT_COMPLETE = 8
};

enum { OMPT_CANCEL_ACTIVATED = 0x10, OMPT_CANCEL_DETECTED = 0x20, OMPT_CANCEL_DISCARDED = 0x40 };

enum {
    OMPT_TARGET = 1,
    OMPT_TARGET_ENTER_DATA = 2,
    OMPT_TARGET_EXIT_DATA = 3,
    OMPT_TARGET_UPDATE = 4,
    OMPT_TARGET_NOWAIT = 8, /* added to a kind above */
    OMPT_TARGETS = 5
};

#endif
