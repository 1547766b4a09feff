/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers that are the ranks of an MPI job. Each process has read the arguments and the definitions
 * like a process without MPI. From run() on the processes are workers. After the last run only rank
 * 0 goes on, with the result.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/base/fail.h"
#include "tools/base/part_file.h"
#include "tools/base/progress.h"
#include "tools/base/say.h"
#include "tools/engine/job_watch.h"
#include "tools/engine/mpi_quick.h"
#include "tools/engine/mpi_team.h"

enum { SUMS_MAX = 8 };

struct reduced {
    uint64_t failed; /* the first rank about to end with a failure; or NONE */
    uint64_t going;  /* the first rank that goes on; or NONE */
    uint64_t ended;  /* how many end in order */
    uint64_t least, sums[SUMS_MAX];
};
#define NONE UINT64_MAX

struct mpi_team mpi_team = {.stderr_real = -1};

static struct reduced reduce_all(struct reduced mine)
{
    const struct mpi_door *d = &mpi_team.door;
    struct reduced all = mine;
    mpi_word cell;
    struct mpi_requests request = {.at = (char *)&cell};
    mpi_check(d->Iallreduce(&mine, &all, 1, mpi_layout_load(&d->layout, &mpi_team.type),
                            mpi_layout_load(&d->layout, &mpi_team.op), d->layout.comm_world,
                            mpi_next_request(&request)),
              "MPI_Iallreduce");
    mpi_wait_for(&request);
    return all;
}

/* ---- output by one process ---- */

static void close_mpi(void)
{
    mpi_team.is_open = false;
    (void)mpi_team.door.Op_free(&mpi_team.op);
    (void)mpi_team.door.Type_free(&mpi_team.type);
    mpi_quick_end();
    (void)mpi_team.door.Finalize();
    job_watch_end(); /* ends late: else the launcher may end all ranks, and lose printed text */
}

static void silence(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int kept = memfd_create("spur", MFD_CLOEXEC);
    mpi_team.stderr_real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (nowhere >= 0)
        (void)dup2(nowhere, STDOUT_FILENO);
    if (kept >= 0 && mpi_team.stderr_real >= 0)
        (void)dup2(kept, STDERR_FILENO);
    (void)close(nowhere);
    (void)close(kept);
}

/* Writes the kept message of a silent rank, if no further rank writes a message. */
static void tell_kept(void)
{
    char text[4096];
    ssize_t n = pread(STDERR_FILENO, text, sizeof text, 0);
    if (n > 0)
        n = write(mpi_team.stderr_real, text, (size_t)n);
    (void)n;
}

/*
 * A process ends outside of a run. If all ranks end, all have the same message, and rank 0 has
 * printed the message. If only part of the ranks end, the remaining ranks learn of the end at the
 * next meeting in a run.
 */
static void end_process(int status, void *ignored)
{
    (void)ignored;
    if (!mpi_team.is_open || mpi_team.is_running)
        return;
    struct reduced mine = {.failed = status ? (uint64_t)mpi_team.rank : NONE,
                           .going = NONE,
                           .ended = !status};
    struct reduced all = reduce_all(mine);
    if (all.failed == mine.failed && status && mpi_team.rank)
        tell_kept();
    if (all.failed != NONE) /* and somebody has said why */
        job_watch_end();
    close_mpi();
}

/*
 * In a run: the ranks take turns, one after the other, and the first failing rank ends all ranks.
 */
static void wait_for_turn(void)
{
    enum { EACH_MS = 50, RANKS = 100 };
    job_watch_said();
    if (!mpi_team.is_running || !mpi_team.rank)
        return;
    long ms = EACH_MS * (mpi_team.rank < RANKS ? (long)mpi_team.rank : RANKS);
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    (void)nanosleep(&time, NULL);
    if (job_watcher_is_far(mpi_team.watcher))
        mpi_ask_to_say();
    (void)dup2(mpi_team.stderr_real, STDERR_FILENO);
}

/* A launcher that is told to end all ranks may drop output not yet read. */
static void wait_until_read(int pipe)
{
    enum { MOST = 1000 };
    const struct timespec rest = {0, 1000000};
    struct stat st;
    int n = 0;
    if (fstat(pipe, &st) || !S_ISFIFO(st.st_mode))
        return;
    for (int i = 0; i < MOST && !ioctl(pipe, FIONREAD, &n) && n; i++)
        (void)nanosleep(&rest, NULL);
}

static void end_others(int status)
{
    if (!mpi_team.is_running)
        return;
    if (mpi_team.rank)
        job_watcher_told(mpi_team.watcher);
    wait_until_read(STDERR_FILENO);
    (void)mpi_team.door.Abort(mpi_team.door.layout.comm_world, status);
}

/* ---- meeting ---- */

static struct reduced meet(struct reduced mine)
{
    mine.failed = NONE;
    mine.going = (uint64_t)mpi_team.rank;
    mine.ended = 0;
    struct reduced all = reduce_all(mine);
    if (all.failed == NONE && !all.ended)
        return all;
    if (all.failed == NONE && all.going == (uint64_t)mpi_team.rank) {
        if (mpi_team.rank)
            (void)dup2(mpi_team.stderr_real, STDERR_FILENO);
        say("the work of rank %d is no work for others: give the same archive to all ranks",
            mpi_team.rank);
    }
    job_watch_end(); /* else the failed rank has printed the line */
    close_mpi();
    exit(fail_status);
}

/* ---- start ---- */

/* NOLINTNEXTLINE(readability-non-const-parameter): as MPI wants it */
static void reduce_one(void *in, void *inout, int *n, void *type)
{
    (void)type;
    for (int i = 0; i < *n; i++) {
        struct reduced a, b;
        memcpy(&a, (const char *)in + (size_t)i * sizeof a, sizeof a);
        memcpy(&b, (const char *)inout + (size_t)i * sizeof b, sizeof b);
        b.failed = a.failed < b.failed ? a.failed : b.failed;
        b.going = a.going < b.going ? a.going : b.going;
        b.ended += a.ended;
        b.least = a.least < b.least ? a.least : b.least;
        for (int k = 0; k < SUMS_MAX; k++)
            b.sums[k] += a.sums[k];
        memcpy((char *)inout + (size_t)i * sizeof b, &b, sizeof b);
    }
}

/* All ranks learn the place of the first rank's watcher. */
static void learn_watcher(void)
{
    enum { PROCESS, HOST };
    struct reduced mine = {0};
    if (!mpi_team.rank) {
        struct job_watcher watcher = job_watcher();
        mine.sums[PROCESS] = watcher.process;
        mine.sums[HOST] = watcher.host;
    }
    struct reduced all = meet(mine);
    mpi_team.watcher = (struct job_watcher){all.sums[PROCESS], all.sums[HOST]};
}

void engine_start(void)
{
    const struct job *job = job_find();
    struct mpi_door *d = &mpi_team.door;
    if (!job->is_one)
        return;
    if (job->rank)
        silence();
    else
        job_watch(job->launcher);
    part_file_made = job->rank ? NULL : job_watch_file;
    if (!job->rank && job->has_terminal)
        progress_is_passed_on();
    fail_turn = wait_for_turn;
    mpi_quick_start(job);
    mpi_door_open(d, job);
    int funneled = (int)d->layout.thread_funneled;
    int provided = 0;
    mpi_check(d->Init_thread(NULL, NULL, funneled, &provided), "MPI_Init_thread");
    mpi_team.allows_threads = provided >= funneled;
    mpi_check(d->Comm_rank(d->layout.comm_world, &mpi_team.rank), "MPI_Comm_rank");
    mpi_check(d->Comm_size(d->layout.comm_world, &mpi_team.size), "MPI_Comm_size");
    if ((unsigned long)mpi_team.rank != job->rank ||
        (job->size && (unsigned long)mpi_team.size != job->size)) {
        if (!job->size) /* else rank 0 knows the job's size too */
            (void)dup2(mpi_team.stderr_real, STDERR_FILENO);
        fail("%s does not belong to the launcher of this job: it says rank %d of %d; put the "
             "folder of the right library into LD_LIBRARY_PATH",
             d->file, mpi_team.rank, mpi_team.size);
    }
    mpi_check(d->Type_contiguous((int)sizeof(struct reduced), d->layout.byte, &mpi_team.type),
              "MPI_Type_contiguous");
    mpi_check(d->Type_commit(&mpi_team.type), "MPI_Type_commit");
    mpi_check(d->Op_create(reduce_one, 1, &mpi_team.op), "MPI_Op_create");
    mpi_team.is_open = true;
    fail_others = end_others;
    (void)on_exit(end_process, NULL);
    if (mpi_team.size > 1)
        learn_watcher();
}

bool engine_has_ranks(void)
{
    return mpi_team.is_open && mpi_team.size > 1;
}

unsigned mpi_rank(void)
{
    return (unsigned)mpi_team.rank;
}

unsigned mpi_ranks(void)
{
    return (unsigned)mpi_team.size;
}

bool mpi_allows_threads(void)
{
    return mpi_team.allows_threads;
}

void mpi_run(bool is_running)
{
    mpi_team.is_running = is_running;
}

static bool is_here(unsigned *n)
{
    if (!engine_has_ranks())
        return false;
    *n = (unsigned)mpi_team.size;
    return true;
}

static void run(unsigned n, void (*work)(struct worker *worker, void *context), void *context)
{
    struct worker worker = {&workers_mpi, (unsigned)mpi_team.rank, n, &mpi_team, 0};
    mpi_team.is_running = true;
    work(&worker, context);
    mpi_team.is_running = false;
}

void workers_mpi_end(void)
{
    if (!mpi_team.is_open)
        return;
    close_mpi();
    if (mpi_team.rank)
        exit(EXIT_SUCCESS);
}

/* ---- between runs ---- */

bool engine_is_first(void)
{
    return !engine_has_ranks() || mpi_team.rank == 0;
}

uint64_t engine_least(uint64_t value)
{
    return engine_has_ranks() ? meet((struct reduced){.least = value}).least : value;
}

uint64_t engine_told(uint64_t value)
{
    return engine_least(mpi_team.rank ? UINT64_MAX : value);
}

void engine_same(const char *path, uint64_t digest)
{
    if (!engine_has_ranks())
        return;
    if (engine_told(digest) != digest)
        fail("%s: rank %d reads another archive there than rank 0: give the same one to all ranks",
             path, mpi_team.rank);
    (void)meet((struct reduced){0});
}

void mpi_reduce(uint64_t *least, uint64_t *sums, unsigned n)
{
    struct reduced mine = {.least = *least};
    memcpy(mine.sums, sums, n * sizeof *sums);
    struct reduced all = meet(mine);
    *least = all.least;
    memcpy(sums, all.sums, n * sizeof *sums);
}

static void reduce(struct worker *worker, uint64_t *least, uint64_t *sums, unsigned n)
{
    (void)worker;
    mpi_reduce(least, sums, n);
}

static void done(struct worker *worker)
{
    (void)worker;
    mpi_done();
}

const struct workers workers_mpi = {"MPI",  false,        is_here, run,
                                    reduce, mpi_exchange, done,    mpi_climb};
