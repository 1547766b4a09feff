/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between ranks: exchanges, and the passing of results up and down the tree. */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "tools/base/fail.h"
#include "tools/engine/mpi_team.h"

enum { TAG = 1, PIECE_BYTES = 1 << 30 /* of a message: their length is an int */ };

void mpi_check(int error, const char *what)
{
    if (error)
        fail("%s of %s has failed with error %d", what, mpi_team.door.file, error);
}

/* ---- waiting ---- */

void *mpi_next_request(struct mpi_requests *r)
{
    return r->at + (size_t)r->n++ * mpi_team.door.layout.handle_bytes;
}

/*
 * MPI libraries wait without rest. Busy waiting harms the awaited rank if the job has more ranks
 * than processors.
 */
void mpi_wait_for(struct mpi_requests *r)
{
    enum { QUICK = 200, PATIENT = 4000 };
    const struct timespec rest = {0, 50000};
    int is_done = 0;
    for (unsigned i = 0; !is_done; i++) {
        mpi_check(mpi_team.door.Testall(r->n, r->at, &is_done,
                                        mpi_team.door.layout.statuses_ignore),
                  "MPI_Testall");
        if (is_done || i < QUICK)
            continue;
        mpi_hear();
        if (i < PATIENT)
            (void)sched_yield();
        else
            (void)nanosleep(&rest, NULL);
    }
    r->n = 0;
}

/* ---- memory for incoming bytes ---- */

/* Incoming bytes, borrowed until done(). */
struct mpi_held {
    struct mpi_held *next;
    _Alignas(16) char bytes[];
};

void *mpi_hold(size_t bytes)
{
    struct mpi_held *held = grow_memory(NULL, sizeof *held + bytes);
    held->next = mpi_team.held;
    mpi_team.held = held;
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

/* Begins to pass the bytes; `bytes` has the room for receiving. */
static void begin_tagged(struct mpi_requests *requests, enum way way, int partner, int tag,
                         const struct engine_bytes *bytes)
{
    const struct mpi_door *d = &mpi_team.door;
    for (size_t at = 0; at < bytes->n; at += PIECE_BYTES) {
        int n = piece_at(bytes->n, at);
        void *request = mpi_next_request(requests);
        if (way == SEND)
            mpi_check(d->Isend(bytes->at + at, n, d->layout.byte, partner, tag,
                               d->layout.comm_world, request),
                      "MPI_Isend");
        else
            mpi_check(d->Irecv(bytes->at + at, n, d->layout.byte, partner, tag,
                               d->layout.comm_world, request),
                      "MPI_Irecv");
    }
}

static void begin_pass(struct mpi_requests *requests, enum way way, int partner,
                       const struct engine_bytes *bytes)
{
    begin_tagged(requests, way, partner, TAG, bytes);
}

void mpi_swap(const uint64_t *mine, uint64_t *theirs, unsigned n)
{
    const struct mpi_door *d = &mpi_team.door;
    int bytes = (int)(n * sizeof *mine);
    mpi_word cell;
    struct mpi_requests request = {.at = (char *)&cell};
    mpi_check(d->Ialltoall(mine, bytes, d->layout.byte, theirs, bytes, d->layout.byte,
                           d->layout.comm_world, mpi_next_request(&request)),
              "MPI_Ialltoall");
    mpi_wait_for(&request);
}

/* How much comes from whom. */
static void exchange_sizes(const struct engine_bytes *out, struct engine_bytes *in)
{
    size_t n = (size_t)mpi_team.size;
    uint64_t *sizes = take_memory(2 * n * sizeof *sizes);
    for (size_t i = 0; i < n; i++)
        sizes[i] = out[i].n;
    mpi_swap(sizes, sizes + n, 1);
    for (size_t i = 0; i < n; i++)
        in[i] = (struct engine_bytes){.n = (size_t)sizes[n + i]};
    free(sizes);
}

void mpi_exchange(struct worker *worker, const struct engine_bytes *out, struct engine_bytes *in)
{
    int n = mpi_team.size;
    size_t n_requests = 0;
    (void)worker;
    exchange_sizes(out, in);
    in[mpi_team.rank] = out[mpi_team.rank];
    for (int i = 0; i < n; i++)
        n_requests += i == mpi_team.rank ? 0 : pieces_of(in[i].n) + pieces_of(out[i].n);
    struct mpi_requests requests = {.at = take_memory((n_requests + 1) * sizeof(mpi_word))};
    /* Each rank begins with a different partner, lest all ranks send to the same rank. */
    for (int k = 1; k < n; k++) {
        int i = (mpi_team.rank + n - k) % n;
        in[i].at = in[i].n ? mpi_hold(in[i].n) : NULL;
        begin_pass(&requests, RECEIVE, i, &in[i]);
    }
    for (int k = 1; k < n; k++)
        begin_pass(&requests, SEND, (mpi_team.rank + k) % n, &out[(mpi_team.rank + k) % n]);
    mpi_wait_for(&requests);
    free(requests.at);
}

void mpi_done(void)
{
    while (mpi_team.held) {
        struct mpi_held *next = mpi_team.held->next;
        free(mpi_team.held);
        mpi_team.held = next;
    }
}

void mpi_pass(struct mpi_message *out, size_t n_out, struct mpi_message *in, size_t n_in)
{
    size_t n = 1;
    for (size_t i = 0; i < n_in + n_out; i++)
        n += pieces_of((i < n_in ? &in[i] : &out[i - n_in])->bytes.n);
    struct mpi_requests requests = {.at = take_memory(n * sizeof(mpi_word))};
    for (size_t i = 0; i < n_in + n_out; i++) {
        struct mpi_message *m = i < n_in ? &in[i] : &out[i - n_in];
        enum way way = i < n_in ? RECEIVE : SEND;
        if (way == RECEIVE)
            m->bytes.at = mpi_hold(m->bytes.n);
        begin_tagged(&requests, way, (int)m->rank, TAG + 1 + (int)m->tag, &m->bytes);
    }
    mpi_wait_for(&requests);
    free(requests.at);
}

/* First the size, and then the bytes: by then the receiver has made room for the bytes. */
static void pass(enum way way, int partner, struct engine_bytes *bytes)
{
    mpi_word cell;
    uint64_t size = bytes->n;
    struct engine_bytes head = {.at = (char *)&size, .n = sizeof size};
    struct mpi_requests requests = {.at = (char *)&cell};
    begin_pass(&requests, way, partner, &head);
    mpi_wait_for(&requests);
    bytes->n = (size_t)size;
    if (way == RECEIVE)
        bytes->at = mpi_hold(bytes->n);
    requests.at = take_memory((pieces_of(bytes->n) + 1) * sizeof(mpi_word));
    begin_pass(&requests, way, partner, bytes);
    mpi_wait_for(&requests);
    free(requests.at);
}

/*
 * The tree of results, downwards: a rank with the results passes the results to the farthest ranks
 * first.
 */
void engine_told_bytes(struct engine_bytes *bytes)
{
    int step = 1;
    if (!engine_has_ranks())
        return;
    (void)engine_told(0); /* a failing rank tells all ranks */
    while (step < mpi_team.size)
        step *= 2;
    for (; step; step /= 2) {
        if (mpi_team.rank % step)
            continue;
        if (mpi_team.rank / step % 2) {
            struct engine_bytes theirs = {0};
            pass(RECEIVE, mpi_team.rank - step, &theirs);
            engine_add(bytes, theirs.at, theirs.n);
            mpi_done();
        } else if (mpi_team.rank + step < mpi_team.size) {
            pass(SEND, mpi_team.rank + step, bytes);
        }
    }
}

bool mpi_climb(struct worker *worker, unsigned step, const struct engine_bytes *mine,
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
