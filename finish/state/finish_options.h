/* SPDX-License-Identifier: BSD-3-Clause */
/* How a session is to be finished. */
#ifndef SPUR_FINISH_OPTIONS_H
#define SPUR_FINISH_OPTIONS_H

#include <stdbool.h>

#include "session/journal.h"
#include "session/stamp.h"

/*
 * Workers that see the same memory. run() calls work(context, i) for each i below `n`, and ends
 * when all have returned; how many do so at the same time is its own affair.
 */
struct spur_finish_crew {
    unsigned n;     /* 0: nobody but the caller */
    unsigned least; /* processes of the session that a worker is worth; not 0 */
    void (*run)(unsigned n, void (*work)(void *context, unsigned worker), void *context);
};

/*
 * Others that work for the caller, and see the same session but not the same memory: ranks of a
 * job. Each answers every message, by spur_finish_serve(). Whoever cannot pass a message does not
 * return.
 */
struct spur_finish_team {
    unsigned n; /* 0: nobody */
    /* messages[i] is for the i-th of them. */
    void (*give)(void *context, const struct spur_words *messages);
    /* What each of them answers: empty before, the caller's afterwards. */
    void (*take)(void *context, struct spur_words *answers);
    void *context;
};

struct spur_finish_options {
    bool quiet;    /* no summary; troubles are still said */
    bool recover;  /* processes that cannot be seen from here (other hosts) are taken for dead */
    bool snapshot; /* of processes that may go on: `dir` is a copy (finish/snapshot.h) */
    struct spur_stamp taken; /* when the copy was begun */
    bool unasked;     /* by a process that ends: another finisher, at work or done, is no trouble */
    bool is_tree;     /* all its processes are recorded, also those that do not yet */
    bool leaves;      /* what runs on is left alone: the last of its processes is to finish */
    int child;        /* process that the caller's parent has waited for, 0: none; it left */
    int child_status; /* this, as wait(2) gives it */
    bool has_container; /* the archive's files are as `container` says, and not as was asked for */
    unsigned container; /* as SPUR_CONTAINER: see settings/config.h */
    struct spur_finish_crew crew;
    struct spur_finish_team team;
    int wait_ms; /* how long to wait for processes that still run, and for another finisher */
};

#endif
