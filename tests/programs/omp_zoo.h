/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counts of omp_zoo.c: DID(name, what) counts at run time; at the end the program prints lines
 * "name count". Every executing thread counts a construct once, as a tracer would.
 */
#ifndef TESTS_OMP_ZOO_H
#define TESTS_OMP_ZOO_H

#include "expect.h"

#define ZOO(X)                                                                                     \
    X(parallel)          /* regions, by the encountering thread */                                 \
    X(member)            /* implicit tasks of their threads */                                     \
    X(member_joined)     /* in teams of several threads, joined at the end */                      \
    X(member_copies)     /* with a copyin at the beginning */                                      \
    X(member_reduces)    /* in teams of more than four, with a reduction */                        \
    X(member_cancelled)  /* by `cancel parallel` */                                                \
    X(teams)             /* leagues */                                                             \
    X(team_member)       /* initial threads of their teams */                                      \
    X(for_static)        /* loops, by how their iterations are dealt out */                        \
    X(for_static_joined) /* loops with a barrier at the end */                                     \
    X(for_dynamic)                                                                                 \
    X(for_dynamic_joined)                                                                          \
    X(for_serial) /* outside of any parallel region */                                             \
    X(distribute)                                                                                  \
    X(sections)                                                                                    \
    X(sections_joined)                                                                             \
    X(single)                                                                                      \
    X(single_joined)                                                                               \
    X(single_copied) /* copyprivate */                                                             \
    X(single_copier) /* by the executing thread */                                                 \
    X(scope)                                                                                       \
    X(masked) /* executed, not skipped */                                                          \
    X(barrier)                                                                                     \
    X(critical)                                                                                    \
    X(ordered)                                                                                     \
    X(atomic_wide)     /* updates too wide for the processor */                                    \
    X(lock)            /* acquisitions */                                                          \
    X(nest_lock)       /* some calls are repeated calls */                                         \
    X(lock_call)       /* calls to set, test and unset */                                          \
    X(task)            /* explicit tasks, but for taskloop's */                                    \
    X(task_undeferred) /* of the explicit tasks: if(0) */                                          \
    X(task_untied)     /* untied */                                                                \
    X(task_depends)    /* undeferred with dependences */                                           \
    X(task_detached)   /* detach */                                                                \
    X(task_discarded)  /* cancelled before their begin */                                          \
    X(task_serial)     /* outside of any parallel region */                                        \
    X(taskloop)                                                                                    \
    X(taskloop_task)                                                                               \
    X(taskloop_group) /* taskloops that are taskgroups */                                          \
    X(taskwait)                                                                                    \
    X(taskwait_depend)                                                                             \
    X(taskwait_serial) /* of taskwait: outside of any parallel region */                           \
    X(taskgroup)       /* but for taskloop's own */                                                \
    X(taskyield)                                                                                   \
    X(target)                                                                                      \
    X(target_data)

enum zoo_count {
#define ZOO_NAME(name) DID_##name,
    ZOO(ZOO_NAME)
#undef ZOO_NAME
        ZOO_COUNTS
};

static long zoo_count[ZOO_COUNTS];

/* Counts without OpenMP, since the program counts OpenMP. */
static void did(enum zoo_count what)
{
    __atomic_fetch_add(&zoo_count[what], 1, __ATOMIC_RELAXED);
}

/* A construct with a barrier at its end: the next row counts the barrier. */
static void did_joined(enum zoo_count what)
{
    did(what);
    did(what + 1);
}

static void zoo_print(void)
{
    static const char *const names[] = {
#define ZOO_NAME(name) #name,
        ZOO(ZOO_NAME)
#undef ZOO_NAME
    };
    for (int i = 0; i < ZOO_COUNTS; i++)
        printf("%s %ld\n", names[i], zoo_count[i]);
}

#endif
