/* SPDX-License-Identifier: BSD-3-Clause */
/* More steps of mpi_random.c: requests of one-sided operations, and windows of the threads' own. */
#ifndef TESTS_MPI_RANDOM_WINDOWS_H
#define TESTS_MPI_RANDOM_WINDOWS_H

#include "mpi_random_steps.h"

/* Operations of each thread's part of a window, on one rank or (-1) on any. */
static void operate(struct worker *w, MPI_Win win, int only)
{
    static _Thread_local long value[WINDOW];
    int n = 1 + draw(w, 6);
    for (int i = 0; i < n; i++) {
        int any = draw(w, w->size), how = draw(w, 3), at = w->number * 8 + i;
        int target = only < 0 ? any : only;
        fprintf(w->log, "%s %d 8\n", how == 0 ? "put" : how == 1 ? "get" : "atomic", target);
        if (how == 0)
            MPI_Put(&value[at], 1, MPI_LONG, target, w->rank, 1, MPI_LONG, win);
        else if (how == 1)
            MPI_Get(&value[WINDOW - 1 - at], 1, MPI_LONG, target, WINDOW - 1 - at, 1, MPI_LONG,
                    win);
        else
            MPI_Accumulate(&value[at], 1, MPI_LONG, target, 8 + i, 1, MPI_LONG, MPI_SUM, win);
    }
}

static void step_fence(struct worker *w)
{
    int epochs = 1 + draw(w, 3);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, w->own_win);
    for (int i = 0; i < epochs; i++) {
        operate(w, w->own_win, -1);
        MPI_Win_fence(i + 1 == epochs ? MPI_MODE_NOSUCCEED : 0, w->own_win);
    }
}

/* Each rank's operations are on the next one. */
static void step_groups(struct worker *w)
{
    MPI_Group all, next, last;
    int to = (w->rank + 1) % w->size, from = (w->rank + w->size - 1) % w->size;
    MPI_Win_get_group(w->own_win, &all);
    MPI_Group_incl(all, 1, &to, &next);
    MPI_Group_incl(all, 1, &from, &last);
    MPI_Win_post(last, 0, w->own_win);
    MPI_Win_start(next, 0, w->own_win);
    operate(w, w->own_win, to);
    MPI_Win_complete(w->own_win);
    MPI_Win_wait(w->own_win);
    MPI_Group_free(&all);
    MPI_Group_free(&next);
    MPI_Group_free(&last);
}

/* In the window that all threads share, whose epoch is open as long as they run. */
static void step_requests(struct worker *w)
{
    static _Thread_local long value[WINDOW];
    MPI_Request request[8];
    int n = 1 + draw(w, 8), is_single = draw(w, 2);
    for (int i = 0; i < n; i++) {
        int target = draw(w, w->size), how = draw(w, 2), at = w->number * 8 + i;
        fprintf(w->log, "%s %d 8\n", how ? "get" : "atomic", target);
        if (how)
            MPI_Rget(&value[WINDOW - 1 - at], 1, MPI_LONG, target, WINDOW - 1 - at, 1, MPI_LONG,
                     w->win, &request[i]);
        else
            MPI_Raccumulate(&value[at], 1, MPI_LONG, target, at, 1, MPI_LONG, MPI_SUM, w->win,
                            &request[i]);
    }
    for (int i = 0; is_single && i < n; i++)
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    if (!is_single)
        MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

#endif
