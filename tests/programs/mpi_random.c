/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random legal programs: mpi_random SEED... Each seed draws the number of ranks that take part and
 * the number of their threads. The same thread of all ranks draws the same steps (mpi_random_*.h),
 * so all ranks agree. Each thread has a communicator of its own, made in a random way, and by each
 * rank in a different order. The main thread completes the open requests of a thread.
 *
 * Each thread writes its expected records, a line a record, to calls.RANK.NAME; NAME is also the
 * name of the thread's location.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "mpi_random_messages.h"
#include "mpi_random_steps.h"
#include "mpi_random_windows.h"

enum { THREADS = 3 };

static MPI_Comm base;
static int seed, rank, size;

static void step(struct worker *w)
{
    void (*const steps[])(struct worker *) = {
        step_messages,
        step_messages,
        step_collectives,
        step_comms,
        step_errors,
        step_window,
        step_sendrecv,
        step_probes,
        step_cancel,
        step_persistent_messages,
        step_intercomm,
        step_fence,
        step_groups,
        step_requests,
#if MPI_VERSION >= 4
        step_persistent,
        step_partitioned,
#endif
    };
    steps[draw(w, sizeof steps / sizeof steps[0])](w);
}

static void open_log(struct worker *w)
{
    char path[64];
    snprintf(path, sizeof path, "calls.%d.%s", w->world_rank, w->name);
    w->log = fopen(path, "a");
    if (!w->log)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *work(void *argument)
{
    struct worker *w = argument;
    pthread_setname_np(pthread_self(), w->name);
    make_comm(w, base);
    int steps = 2 + draw(w, 5);
    for (int i = 0; i < steps; i++)
        step(w);
    fclose(w->log);
    return NULL;
}

/* Completes the requests from the threads; then the threads' communicators are unneeded. */
static void complete_all(struct worker *threads, int n, struct worker *own)
{
    for (int t = 0; t < n; t++) {
        complete_requests(own, threads[t].kept, threads[t].n_kept);
        if (threads[t].comm != MPI_COMM_NULL)
            MPI_Comm_free(&threads[t].comm);
    }
}

static void run_seed(struct worker *own, int world_rank)
{
    struct worker threads[THREADS], common = {.random = (uint64_t)seed * 7919 + 1};
    pthread_t ids[THREADS];
    MPI_Win win, wins[THREADS];
    long *memory, *own_memory;
    int n = 1 + draw(&common, THREADS), shift = draw(&common, THREADS);
    MPI_Comm_rank(base, &rank);
    MPI_Comm_size(base, &size);
    MPI_Win_allocate(WINDOW * sizeof *memory, sizeof *memory, MPI_INFO_NULL, base, &memory, &win);
    memset(memory, 0, WINDOW * sizeof *memory);
    for (int t = 0; t < n; t++) {
        MPI_Win_allocate(WINDOW * sizeof *memory, sizeof *memory, MPI_INFO_NULL, base, &own_memory,
                         &wins[t]);
        memset(own_memory, 0, WINDOW * sizeof *own_memory);
    }
    MPI_Win_lock_all(0, win);
    MPI_Barrier(base);
    for (int i = 0; i < n; i++) {
        int t = (i + rank * shift) % n; /* each rank begins with another thread */
        threads[t] = (struct worker){.random = (uint64_t)seed * 1009 + (uint64_t)t,
                                     .number = t,
                                     .rank = rank,
                                     .size = size,
                                     .win = win,
                                     .own_win = wins[t],
                                     .world_rank = world_rank,
                                     .comm = MPI_COMM_NULL};
        snprintf(threads[t].name, sizeof threads[t].name, "s%dt%d", seed, t);
        open_log(&threads[t]);
        pthread_create(&ids[t], NULL, work, &threads[t]);
    }
    for (int t = 0; t < n; t++)
        pthread_join(ids[t], NULL);
    complete_all(threads, n, own);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    for (int t = 0; t < n; t++)
        MPI_Win_free(&wins[t]);
}

int main(int argc, char **argv)
{
    int provided, everybody;
    struct worker own = {.name = "main"};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &own.world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &everybody);
    open_log(&own);
    for (int i = 1; i < argc; i++) {
        seed = atoi(argv[i]);
        struct worker common = {.random = (uint64_t)seed};
        int n = 2 + draw(&common, everybody - 1);
        MPI_Comm_split(MPI_COMM_WORLD, own.world_rank < n ? 1 : MPI_UNDEFINED,
                       draw(&common, 2) ? own.world_rank : -own.world_rank, &base);
        if (base == MPI_COMM_NULL)
            continue;
        MPI_Comm_set_errhandler(base, MPI_ERRORS_RETURN);
        run_seed(&own, own.world_rank);
        MPI_Comm_free(&base);
    }
    fclose(own.log);
    MPI_Finalize();
    return unexpected;
}
