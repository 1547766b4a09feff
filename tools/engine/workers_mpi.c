/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers that are the ranks of an MPI job. Each process has read its arguments and the definitions
 * like any other; from run() on they are workers, and when the last run has ended only rank 0 goes
 * on: it has the result.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tools/base/fail.h"
#include "tools/base/progress.h"
#include "tools/base/say.h"
#include "tools/engine/job_watch.h"
#include "tools/engine/mpi_door.h"
#include "tools/engine/workers.h"

enum {
    SUMS_MAX = 8,
    TAG = 1,
    PIECE_BYTES = 1 << 30 /* of a message: their length is an int */
};

struct reduced {
    uint64_t failed; /* the first rank that is about to end; NONE */
    uint64_t going;  /* the first rank that goes on; NONE */
    uint64_t ended;  /* how many end in order */
    uint64_t least, sums[SUMS_MAX];
};
#define NONE UINT64_MAX

/* What came in and is borrowed until done(). */
struct held {
    struct held *next;
    _Alignas(16) char bytes[];
};

static struct {
    struct mpi_door door;
    bool is_open; /* MPI is initialised */
    bool is_running;
    int rank, size;
    int stderr_real;   /* of a rank that is not to write */
    mpi_word type, op; /* cells: of a struct reduced, and of making one of two */
    struct held *held;
} team = {.stderr_real = -1};

static void check(int error, const char *what)
{
    if (error)
        fail("%s of %s has failed with error %d", what, team.door.file, error);
}

/* ---- waiting ---- */

/* Requests of any family fit in words; a narrow one takes half of it. */
struct requests {
    char *at;
    int n;
};

static void *next_request(struct requests *r)
{
    return r->at + (size_t)r->n++ * team.door.layout.handle_bytes;
}

/*
 * Libraries wait without rest, which is a bad neighbour to the rank that is waited for where there
 * are more ranks than processors.
 */
static void wait_for(struct requests *r)
{
    enum { QUICK = 200, PATIENT = 4000 };
    const struct timespec rest = {0, 50000};
    int is_done = 0;
    for (unsigned i = 0; !is_done; i++) {
        check(team.door.Testall(r->n, r->at, &is_done, team.door.layout.statuses_ignore),
              "MPI_Testall");
        if (is_done || i < QUICK)
            continue;
        if (i < PATIENT)
            (void)sched_yield();
        else
            (void)nanosleep(&rest, NULL);
    }
    r->n = 0;
}

static struct reduced reduce_all(struct reduced mine)
{
    const struct mpi_door *d = &team.door;
    struct reduced all = mine;
    mpi_word cell;
    struct requests request = {.at = (char *)&cell};
    check(d->Iallreduce(&mine, &all, 1, mpi_layout_load(&d->layout, &team.type),
                        mpi_layout_load(&d->layout, &team.op), d->layout.comm_world,
                        next_request(&request)),
          "MPI_Iallreduce");
    wait_for(&request);
    return all;
}

/* ---- one process writes ---- */

static void close_mpi(void)
{
    team.is_open = false;
    (void)team.door.Op_free(&team.op);
    (void)team.door.Type_free(&team.type);
    (void)team.door.Finalize();
    job_watch_end(); /* until then the launcher may end all, and what was printed may be lost */
}

static void silence(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int kept = memfd_create("spur", MFD_CLOEXEC);
    team.stderr_real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (nowhere >= 0)
        (void)dup2(nowhere, STDOUT_FILENO);
    if (kept >= 0 && team.stderr_real >= 0)
        (void)dup2(kept, STDERR_FILENO);
    (void)close(nowhere);
    (void)close(kept);
}

/* What a silent rank has said, where no other says it. */
static void tell_kept(void)
{
    char text[4096];
    ssize_t n = pread(STDERR_FILENO, text, sizeof text, 0);
    if (n > 0)
        n = write(team.stderr_real, text, (size_t)n);
    (void)n;
}

/*
 * A process ends outside of a run. Where all do, they say the same, and rank 0 has said it. Where
 * only some do, the others learn it when they meet in a run.
 */
static void end_process(int status, void *ignored)
{
    (void)ignored;
    if (!team.is_open || team.is_running)
        return;
    struct reduced mine = {.failed = status ? (uint64_t)team.rank : NONE,
                           .going = NONE,
                           .ended = !status};
    struct reduced all = reduce_all(mine);
    if (all.failed == mine.failed && status && team.rank)
        tell_kept();
    if (all.failed != NONE) /* and somebody has said why */
        job_watch_end();
    close_mpi();
}

/* In a run: the ranks' turns are one after the other, and the first one that fails ends all. */
static void wait_for_turn(void)
{
    enum { EACH_MS = 50, RANKS = 100 };
    job_watch_end();
    if (!team.is_running || !team.rank)
        return;
    long ms = EACH_MS * (team.rank < RANKS ? (long)team.rank : RANKS);
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    (void)nanosleep(&time, NULL);
    (void)dup2(team.stderr_real, STDERR_FILENO);
}

static void end_others(int status)
{
    if (team.is_running)
        (void)team.door.Abort(team.door.layout.comm_world, status);
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

void engine_start(void)
{
    const struct job *job = job_find();
    struct mpi_door *d = &team.door;
    if (!job->is_one)
        return;
    if (job->rank)
        silence();
    else
        job_watch(job->launcher);
    if (!job->rank && job->has_terminal)
        progress_is_passed_on();
    fail_turn = wait_for_turn;
    mpi_door_open(d, job);
    check(d->Init(NULL, NULL), "MPI_Init");
    check(d->Comm_rank(d->layout.comm_world, &team.rank), "MPI_Comm_rank");
    check(d->Comm_size(d->layout.comm_world, &team.size), "MPI_Comm_size");
    if ((unsigned long)team.rank != job->rank ||
        (job->size && (unsigned long)team.size != job->size)) {
        if (!job->size) /* else rank 0 knows it too */
            (void)dup2(team.stderr_real, STDERR_FILENO);
        fail("%s does not belong to the launcher of this job: it says rank %d of %d; put the "
             "folder of the right library into LD_LIBRARY_PATH",
             d->file, team.rank, team.size);
    }
    check(d->Type_contiguous((int)sizeof(struct reduced), d->layout.byte, &team.type),
          "MPI_Type_contiguous");
    check(d->Type_commit(&team.type), "MPI_Type_commit");
    check(d->Op_create(reduce_one, 1, &team.op), "MPI_Op_create");
    team.is_open = true;
    fail_others = end_others;
    (void)on_exit(end_process, NULL);
}

bool engine_has_ranks(void)
{
    return team.is_open && team.size > 1;
}

static bool is_here(unsigned *n)
{
    if (!engine_has_ranks())
        return false;
    *n = (unsigned)team.size;
    return true;
}

static void run(unsigned n, void (*work)(struct worker *worker, void *context), void *context)
{
    struct worker worker = {&workers_mpi, (unsigned)team.rank, n, &team};
    team.is_running = true;
    work(&worker, context);
    team.is_running = false;
}

void workers_mpi_end(void)
{
    if (!team.is_open)
        return;
    close_mpi();
    if (team.rank)
        exit(EXIT_SUCCESS);
}

/* ---- meeting ---- */

static struct reduced meet(struct reduced mine)
{
    mine.failed = NONE;
    mine.going = (uint64_t)team.rank;
    mine.ended = 0;
    struct reduced all = reduce_all(mine);
    if (all.failed == NONE && !all.ended)
        return all;
    if (all.failed == NONE && all.going == (uint64_t)team.rank) {
        if (team.rank)
            (void)dup2(team.stderr_real, STDERR_FILENO);
        say("the work of rank %d is no work for others: give the same archive to all ranks",
            team.rank);
    }
    job_watch_end(); /* else the rank that has failed has the line */
    close_mpi();
    exit(fail_status);
}

bool engine_is_first(void)
{
    return !engine_has_ranks() || team.rank == 0;
}

uint64_t engine_least(uint64_t value)
{
    return engine_has_ranks() ? meet((struct reduced){.least = value}).least : value;
}

uint64_t engine_told(uint64_t value)
{
    return engine_least(team.rank ? UINT64_MAX : value);
}

void engine_same(const char *path, uint64_t digest)
{
    if (!engine_has_ranks())
        return;
    if (engine_told(digest) != digest)
        fail("%s: rank %d reads another archive there than rank 0: give the same one to all ranks",
             path, team.rank);
    (void)meet((struct reduced){0});
}

static void reduce(struct worker *worker, uint64_t *least, uint64_t *sums, unsigned n)
{
    struct reduced mine = {.least = *least};
    (void)worker;
    memcpy(mine.sums, sums, n * sizeof *sums);
    struct reduced all = meet(mine);
    *least = all.least;
    memcpy(sums, all.sums, n * sizeof *sums);
}

static void *hold(size_t bytes)
{
    struct held *held = grow_memory(NULL, sizeof *held + bytes);
    held->next = team.held;
    team.held = held;
    return held->bytes;
}

static size_t pieces_of(size_t bytes)
{
    return (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
}

static int piece_at(size_t bytes, size_t at)
{
    return (int)(bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES);
}

enum way { RECEIVE, SEND };

/* Begins to pass the bytes, which `bytes` has room for. */
static void begin_pass(struct requests *requests, enum way way, int partner,
                       const struct engine_bytes *bytes)
{
    const struct mpi_door *d = &team.door;
    for (size_t at = 0; at < bytes->n; at += PIECE_BYTES) {
        int n = piece_at(bytes->n, at);
        void *request = next_request(requests);
        if (way == SEND)
            check(d->Isend(bytes->at + at, n, d->layout.byte, partner, TAG, d->layout.comm_world,
                           request),
                  "MPI_Isend");
        else
            check(d->Irecv(bytes->at + at, n, d->layout.byte, partner, TAG, d->layout.comm_world,
                           request),
                  "MPI_Irecv");
    }
}

/* How much comes from whom. */
static void exchange_sizes(const struct engine_bytes *out, struct engine_bytes *in)
{
    const struct mpi_door *d = &team.door;
    size_t n = (size_t)team.size;
    mpi_word cell;
    struct requests request = {.at = (char *)&cell};
    uint64_t *sizes = take_memory(2 * n * sizeof *sizes);
    for (size_t i = 0; i < n; i++)
        sizes[i] = out[i].n;
    check(d->Ialltoall(sizes, (int)sizeof *sizes, d->layout.byte, sizes + n, (int)sizeof *sizes,
                       d->layout.byte, d->layout.comm_world, next_request(&request)),
          "MPI_Ialltoall");
    wait_for(&request);
    for (size_t i = 0; i < n; i++)
        in[i] = (struct engine_bytes){.n = (size_t)sizes[n + i]};
    free(sizes);
}

static void exchange(struct worker *worker, const struct engine_bytes *out, struct engine_bytes *in)
{
    int n = team.size;
    size_t n_requests = 0;
    (void)worker;
    exchange_sizes(out, in);
    in[team.rank] = out[team.rank];
    for (int i = 0; i < n; i++)
        n_requests += i == team.rank ? 0 : pieces_of(in[i].n) + pieces_of(out[i].n);
    struct requests requests = {.at = take_memory((n_requests + 1) * sizeof(mpi_word))};
    /* Each begins with another one, that not all send to the same. */
    for (int k = 1; k < n; k++) {
        int i = (team.rank + n - k) % n;
        in[i].at = in[i].n ? hold(in[i].n) : NULL;
        begin_pass(&requests, RECEIVE, i, &in[i]);
    }
    for (int k = 1; k < n; k++)
        begin_pass(&requests, SEND, (team.rank + k) % n, &out[(team.rank + k) % n]);
    wait_for(&requests);
    free(requests.at);
}

static void done(struct worker *worker)
{
    (void)worker;
    while (team.held) {
        struct held *next = team.held->next;
        free(team.held);
        team.held = next;
    }
}

/* The size, and then the bytes, for which the receiver then has room. */
static void pass(enum way way, int partner, struct engine_bytes *bytes)
{
    mpi_word cell;
    uint64_t size = bytes->n;
    struct engine_bytes head = {.at = (char *)&size, .n = sizeof size};
    struct requests requests = {.at = (char *)&cell};
    begin_pass(&requests, way, partner, &head);
    wait_for(&requests);
    bytes->n = (size_t)size;
    if (way == RECEIVE)
        bytes->at = hold(bytes->n);
    requests.at = take_memory((pieces_of(bytes->n) + 1) * sizeof(mpi_word));
    begin_pass(&requests, way, partner, bytes);
    wait_for(&requests);
    free(requests.at);
}

/* The tree of results, downwards: the ranks that have them give them to those far from them first.
 */
void engine_told_bytes(struct engine_bytes *bytes)
{
    int step = 1;
    if (!engine_has_ranks())
        return;
    (void)engine_told(0); /* a rank that fails tells the others */
    while (step < team.size)
        step *= 2;
    for (; step; step /= 2) {
        if (team.rank % step)
            continue;
        if (team.rank / step % 2) {
            struct engine_bytes theirs = {0};
            pass(RECEIVE, team.rank - step, &theirs);
            engine_add(bytes, theirs.at, theirs.n);
            done(NULL);
        } else if (team.rank + step < team.size) {
            pass(SEND, team.rank + step, bytes);
        }
    }
}

static bool climb(struct worker *worker, unsigned step, const struct engine_bytes *mine,
                  struct engine_bytes *theirs)
{
    struct engine_bytes bytes = *mine;
    if (worker_gives(worker, step))
        pass(SEND, (int)(worker->rank - step), &bytes);
    if (!worker_takes(worker, step))
        return false;
    *theirs = (struct engine_bytes){0};
    pass(RECEIVE, (int)(worker->rank + step), theirs);
    return true;
}

const struct workers workers_mpi = {"MPI", false, is_here, run, reduce, exchange, done, climb};
