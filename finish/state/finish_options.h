/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of finishing a session. */
#ifndef SPUR_FINISH_OPTIONS_H
#define SPUR_FINISH_OPTIONS_H

#include <stdbool.h>

#include "session/journal.h"
#include "session/stamp.h"

/*
 * Workers with the same memory. run() calls work(context, i) for each i below `n`, and ends when
 * all calls have returned; run() decides how many calls run at the same time.
 */
struct spur_finish_crew {
    unsigned n;     /* 0: only the caller */
    unsigned least; /* processes of the session per worker, at least; not 0 */
    void (*run)(unsigned n, void (*work)(void *context, unsigned worker), void *context);
};

/*
 * Members that work for the caller, and see the same session but not the same memory: ranks of a
 * job. Each member answers every message, by spur_finish_serve(). If a message cannot be passed,
 * give() and take() do not return.
 */
struct spur_finish_team {
    unsigned n; /* 0: no members */
    /* messages[i] is for the i-th member. */
    void (*give)(void *context, const struct spur_words *messages);
    /* The answers of the members: empty before, the caller's afterwards. */
    void (*take)(void *context, struct spur_words *answers);
    void *context;
};

struct spur_finish_options {
    bool quiet;              /* no summary; errors are still reported */
    bool recover;            /* processes invisible from here (on other hosts) are taken for dead */
    bool snapshot;           /* of processes that may go on: `dir` is a copy (finish/snapshot.h) */
    struct spur_stamp taken; /* begin of the copy */
    bool unasked;     /* by a process at its end: another finisher, at work or done, is no error */
    bool is_tree;     /* all processes of the session are recorded, even if not yet */
    bool leaves;      /* running processes are left alone: the last of these is to finish */
    int child;        /* process that the caller's parent has waited for, 0: none; its status: */
    int child_status; /* as wait(2) returns the status */
    bool has_container; /* `container` decides on the archive's files, not the processes' setting */
    unsigned container; /* as SPUR_CONTAINER: see settings/config.h */
    struct spur_finish_crew crew;
    struct spur_finish_team team;
    int wait_ms; /* time limit of waiting for running processes, and for another finisher */
};

#endif
