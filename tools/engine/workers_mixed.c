/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers that are threads of the ranks of an MPI job: first the threads of rank 0, then the
 * threads of rank 1, and so on. Threads of the same rank exchange pointers. Each thread packs its
 * bytes for the threads of a different rank, as a single message for the rank. The first thread of
 * a rank passes all messages.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/digest.h"
#include "tools/base/fail.h"
#include "tools/engine/workers_mpi.h"

enum { SUMS_MAX = 8, ALIGN = 16 };

struct seat {
    _Alignas(64) const
        struct engine_bytes *out[2]; /* in turn: readers may still use the previous set */
    unsigned turn;                   /* index of the next set */
    struct engine_bytes *packed;     /* by rank */
    const struct engine_bytes *mine;
    uint64_t least, sums[SUMS_MAX];
    struct worker worker;
    pthread_t thread;
};

static struct {
    unsigned *first; /* by rank: the rank's first worker; NULL: one thread per rank */
    unsigned most;   /* threads of a rank */
    unsigned own;    /* threads of the present rank */
    pthread_barrier_t barrier;
    struct seat *seats;
    struct engine_bytes *arrived; /* by rank and thread: the message that came from there */
    uint64_t least, sums[SUMS_MAX];
    void (*work)(struct worker *worker, void *context);
    void *context;
} mixed;

static unsigned threads_of(unsigned rank)
{
    return mixed.first[rank + 1] - mixed.first[rank];
}

static unsigned rank_of(unsigned worker)
{
    unsigned low = 0;
    for (unsigned high = mpi_ranks(); low + 1 < high;) {
        unsigned middle = low + (high - low) / 2;
        if (mixed.first[middle] <= worker)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- how many threads ---- */

/* A number equal for all ranks that may use the same processors of the same host. */
static uint64_t place_of_rank(void)
{
    char boot[64] = "";
    cpu_set_t set;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    size_t length = 0;
    if (file) {
        length = fread(boot, 1, sizeof boot, file);
        (void)fclose(file);
    }
    CPU_ZERO(&set);
    (void)sched_getaffinity(0, sizeof set, &set);
    return digest_add(digest_add(DIGEST_BEGIN, boot, length), &set, sizeof set);
}

/*
 * By rank: the rank's first worker, in new memory. *most_threads: the largest number of threads of
 * a rank.
 */
static unsigned *deal_threads(unsigned n, unsigned *most_threads)
{
    enum { PLACE, PROCESSORS, ASKED, WORDS };
    unsigned ranks = mpi_ranks();
    uint64_t own[WORDS] = {place_of_rank(), engine_processors(), n};
    uint64_t *mine = take_memory(ranks * sizeof own);
    uint64_t *all = take_memory(ranks * sizeof own);
    unsigned *first = take_memory((ranks + 1) * sizeof *first);
    if (!mpi_allows_threads())
        own[ASKED] = 1;
    for (unsigned i = 0; i < ranks; i++)
        memcpy(mine + (size_t)i * WORDS, own, sizeof own);
    (void)engine_told(0); /* a failing rank tells all ranks */
    mpi_swap(mine, all, WORDS);
    *most_threads = 1;
    for (unsigned i = 0; i < ranks; i++) {
        const uint64_t *one = all + (size_t)i * WORDS;
        uint64_t same = 0;
        for (unsigned k = 0; k < ranks && !one[ASKED]; k++)
            same += all[(size_t)k * WORDS] == one[PLACE];
        uint64_t threads = one[ASKED] ? one[ASKED] : one[PROCESSORS] / same;
        first[i + 1] = first[i] + (threads ? (unsigned)threads : 1);
        *most_threads = threads > *most_threads ? (unsigned)threads : *most_threads;
    }
    free(mine);
    free(all);
    return first;
}

void workers_mixed_ask(unsigned n)
{
    unsigned *first = deal_threads(n, &mixed.most);
    free(mixed.first);
    mixed.first = first;
    mixed.own = threads_of(mpi_rank());
}

unsigned workers_mixed_count(unsigned n)
{
    unsigned most;
    unsigned *first = deal_threads(n, &most);
    unsigned own = first[mpi_rank() + 1] - first[mpi_rank()];
    free(first);
    return own;
}

static bool is_here(unsigned *n)
{
    if (!engine_has_ranks() || !mixed.first || mixed.most == 1)
        return false;
    *n = mixed.first[mpi_ranks()];
    return true;
}

/* ---- meeting ---- */

static struct seat *seat_of(const struct worker *worker)
{
    return &mixed.seats[worker->rank - mixed.first[mpi_rank()]];
}

static void meet(void)
{
    (void)pthread_barrier_wait(&mixed.barrier);
}

/* All threads of the rank meet here. In between, the first thread does the work for all. */
static void meet_for(const struct worker *worker, void (*work)(unsigned n), unsigned n)
{
    meet();
    if (seat_of(worker) == mixed.seats)
        work(n);
    meet();
}

static void reduce_rank(unsigned n)
{
    mixed.least = UINT64_MAX;
    memset(mixed.sums, 0, sizeof mixed.sums);
    for (unsigned t = 0; t < mixed.own; t++) {
        const struct seat *seat = &mixed.seats[t];
        mixed.least = seat->least < mixed.least ? seat->least : mixed.least;
        for (unsigned k = 0; k < n; k++)
            mixed.sums[k] += seat->sums[k];
    }
    mpi_reduce(&mixed.least, mixed.sums, n);
}

static void reduce(struct worker *worker, uint64_t *least, uint64_t *sums, unsigned n)
{
    struct seat *seat = seat_of(worker);
    seat->least = *least;
    memcpy(seat->sums, sums, n * sizeof *sums);
    meet_for(worker, reduce_rank, n);
    *least = mixed.least;
    memcpy(sums, mixed.sums, n * sizeof *sums);
}

/* ---- exchanging ---- */

static size_t whole(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/*
 * Packs the bytes for the n threads of a rank: first the sizes, then the bytes. Without bytes there
 * is no message.
 */
static struct engine_bytes pack(const struct engine_bytes *out, unsigned n)
{
    struct engine_bytes packed = {0};
    size_t head = whole(n * sizeof(uint64_t));
    size_t bytes = 0;
    for (unsigned k = 0; k < n; k++)
        bytes += whole(out[k].n);
    if (!bytes)
        return packed;
    packed = (struct engine_bytes){.at = grow_memory(NULL, head + bytes), .n = head + bytes};
    char *at = packed.at + head;
    for (unsigned k = 0; k < n; k++) {
        uint64_t size = out[k].n;
        memcpy(packed.at + k * sizeof size, &size, sizeof size);
        if (size)
            memcpy(at, out[k].at, out[k].n);
        at += whole(out[k].n);
    }
    return packed;
}

/* The bytes for a thread, found in the packed message. */
static struct engine_bytes unpack(const struct engine_bytes *packed, unsigned thread)
{
    uint64_t size = 0;
    size_t at = whole(mixed.own * sizeof size);
    for (unsigned k = 0; packed->n && k <= thread; k++) {
        at += whole((size_t)size);
        memcpy(&size, packed->at + k * sizeof size, sizeof size);
    }
    return (struct engine_bytes){.at = size ? packed->at + at : NULL, .n = (size_t)size};
}

/*
 * Passes all messages of the present rank. The sizes of the incoming messages are known by rank and
 * thread.
 */
static void pass_packed(const uint64_t *sizes)
{
    unsigned ranks = mpi_ranks();
    struct mpi_message *out = take_memory((size_t)ranks * mixed.own * sizeof *out);
    struct mpi_message *in = take_memory((size_t)ranks * mixed.most * sizeof *in);
    size_t n_out = 0;
    size_t n_in = 0;
    /* Each rank begins with a different partner, lest all ranks send to the same rank. */
    for (unsigned i = 1; i < ranks; i++) {
        unsigned to = (mpi_rank() + i) % ranks;
        unsigned from = (mpi_rank() + ranks - i) % ranks;
        for (unsigned t = 0; t < mixed.own; t++)
            if (mixed.seats[t].packed[to].n)
                out[n_out++] = (struct mpi_message){to, t, mixed.seats[t].packed[to]};
        for (unsigned t = 0; t < threads_of(from); t++)
            if (sizes[(size_t)from * mixed.most + t])
                in[n_in++] =
                    (struct mpi_message){from,
                                         t,
                                         {.n = (size_t)sizes[(size_t)from * mixed.most + t]}};
    }
    mpi_pass(out, n_out, in, n_in);
    for (size_t i = 0; i < n_in; i++)
        mixed.arrived[(size_t)in[i].rank * mixed.most + in[i].tag] = in[i].bytes;
    free(out);
    free(in);
}

static void exchange_rank(unsigned ignored)
{
    size_t n = (size_t)mpi_ranks() * mixed.most;
    uint64_t *sizes = take_memory(2 * n * sizeof *sizes);
    (void)ignored;
    for (unsigned i = 0; i < mpi_ranks(); i++)
        for (unsigned t = 0; t < mixed.own; t++)
            sizes[(size_t)i * mixed.most + t] = mixed.seats[t].packed[i].n;
    mpi_swap(sizes, sizes + n, mixed.most);
    memset(mixed.arrived, 0, n * sizeof *mixed.arrived);
    pass_packed(sizes + n);
    free(sizes);
}

static void exchange(struct worker *worker, const struct engine_bytes *out, struct engine_bytes *in)
{
    struct seat *seat = seat_of(worker);
    unsigned own = mpi_rank();
    unsigned turn = seat->turn;
    for (unsigned i = 0; i < mpi_ranks(); i++)
        if (i != own)
            seat->packed[i] = pack(out + mixed.first[i], threads_of(i));
    seat->out[turn] = out;
    seat->turn ^= 1;
    meet_for(worker, exchange_rank, 0);
    for (unsigned i = 0; i < mpi_ranks(); i++) {
        for (unsigned t = 0; t < threads_of(i); t++)
            in[mixed.first[i] + t] = i == own ? mixed.seats[t].out[turn][worker->rank]
                                              : unpack(&mixed.arrived[(size_t)i * mixed.most + t],
                                                       worker->rank - mixed.first[own]);
        free(seat->packed[i].at);
        seat->packed[i] = (struct engine_bytes){0};
    }
}

static void done_rank(unsigned ignored)
{
    (void)ignored;
    mpi_done();
}

static void done(struct worker *worker)
{
    meet_for(worker, done_rank, 0);
}

/* ---- the tree ---- */

/*
 * The messages of a step: between the workers of the present rank and the workers of remote ranks.
 */
static size_t messages_of(unsigned step, bool gives, struct mpi_message *to)
{
    size_t n = 0;
    for (unsigned t = 0; t < mixed.own; t++) {
        const struct worker *w = &mixed.seats[t].worker;
        if (!(gives ? worker_gives(w, step) : worker_takes(w, step)))
            continue;
        unsigned other = gives ? w->rank - step : w->rank + step;
        unsigned rank = rank_of(other);
        if (rank != mpi_rank()) /* a message is known by the giving worker */
            to[n++] = (struct mpi_message){rank, gives ? t : other - mixed.first[rank],
                                           gives ? *mixed.seats[t].mine : (struct engine_bytes){0}};
    }
    return n;
}

static void climb_rank(unsigned step)
{
    struct mpi_message *out = take_memory((size_t)4 * mixed.own * sizeof *out);
    struct mpi_message *in = out + mixed.own;
    struct mpi_message *out_sizes = in + mixed.own;
    struct mpi_message *in_sizes = out_sizes + mixed.own;
    size_t n_out = messages_of(step, true, out);
    size_t n_in = messages_of(step, false, in);
    uint64_t *sizes = take_memory(n_out * sizeof *sizes);
    for (size_t i = 0; i < n_out; i++) {
        sizes[i] = out[i].bytes.n;
        out_sizes[i] = (struct mpi_message){out[i].rank,
                                            out[i].tag,
                                            {.at = (char *)&sizes[i], .n = sizeof *sizes}};
    }
    for (size_t i = 0; i < n_in; i++)
        in_sizes[i] = (struct mpi_message){in[i].rank, in[i].tag, {.n = sizeof *sizes}};
    mpi_pass(out_sizes, n_out, in_sizes, n_in);
    for (size_t i = 0; i < n_in; i++) {
        uint64_t size;
        memcpy(&size, in_sizes[i].bytes.at, sizeof size);
        in[i].bytes.n = (size_t)size;
    }
    mpi_pass(out, n_out, in, n_in);
    for (size_t i = 0; i < n_in; i++)
        mixed.arrived[(size_t)in[i].rank * mixed.most + in[i].tag] = in[i].bytes;
    free(sizes);
    free(out);
}

static bool climb(struct worker *worker, unsigned step, const struct engine_bytes *mine,
                  struct engine_bytes *theirs)
{
    seat_of(worker)->mine = mine;
    meet_for(worker, climb_rank, step);
    if (!worker_takes(worker, step))
        return false;
    unsigned other = worker->rank + step;
    unsigned rank = rank_of(other);
    unsigned thread = other - mixed.first[rank];
    *theirs = rank == mpi_rank() ? *mixed.seats[thread].mine
                                 : mixed.arrived[(size_t)rank * mixed.most + thread];
    return true;
}

/* ---- start and end ---- */

static void *work(void *argument)
{
    mixed.work(argument, mixed.context);
    return NULL;
}

static void run(unsigned n, void (*work_on)(struct worker *worker, void *context), void *context)
{
    unsigned own = mixed.own;
    unsigned ranks = mpi_ranks();
    mixed.work = work_on;
    mixed.context = context;
    mixed.seats = there(aligned_alloc(_Alignof(struct seat), own * sizeof *mixed.seats));
    memset(mixed.seats, 0, own * sizeof *mixed.seats);
    mixed.arrived = take_memory((size_t)ranks * mixed.most * sizeof *mixed.arrived);
    mpi_run(true);
    if (pthread_barrier_init(&mixed.barrier, NULL, own))
        fail("no barrier for %u threads: try --threads 1", own);
    for (unsigned t = 0; t < own; t++) {
        struct seat *seat = &mixed.seats[t];
        seat->packed = take_memory(ranks * sizeof *seat->packed);
        seat->worker = (struct worker){&workers_mixed, mixed.first[mpi_rank()] + t, n, NULL, t};
    }
    for (unsigned t = 1; t < own; t++) {
        int error = pthread_create(&mixed.seats[t].thread, NULL, work, &mixed.seats[t].worker);
        if (error)
            fail("cannot start thread %u of %u: %s; try --threads 1", t + 1, own, strerror(error));
    }
    (void)work(&mixed.seats[0].worker);
    for (unsigned t = 1; t < own; t++)
        (void)pthread_join(mixed.seats[t].thread, NULL);
    mpi_run(false);
    (void)pthread_barrier_destroy(&mixed.barrier);
    for (unsigned t = 0; t < own; t++)
        free(mixed.seats[t].packed);
    free(mixed.seats);
    free(mixed.arrived);
}

const struct workers workers_mixed = {"MPI and threads", false, is_here, run, reduce,
                                      exchange,          done,  climb};
