/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers that are threads: they see each other's memory, so what they exchange is a pointer, and
 * meeting is a barrier. What one publishes stands in one of two places in turn: who is still
 * reading the last one's is at most one barrier behind.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"
#include "tools/engine/workers.h"

enum { SUMS_MAX = 8 };

struct shown {
    uint64_t least, sums[SUMS_MAX];
    const struct engine_bytes *out;
};

struct seat {
    _Alignas(64) struct shown shown[2];
    unsigned turn; /* which one is next */
    struct worker worker;
    pthread_t thread;
};

struct team {
    pthread_barrier_t barrier;
    struct seat *seats;
    void (*work)(struct worker *worker, void *context);
    void *context;
};

static void meet(struct team *team)
{
    (void)pthread_barrier_wait(&team->barrier);
}

/* Where this worker shows something, and then where all show the same. */
static struct shown *own_place(struct worker *worker)
{
    struct seat *seat = &((struct team *)worker->team)->seats[worker->rank];
    return &seat->shown[seat->turn];
}

static unsigned show(struct worker *worker)
{
    struct team *team = worker->team;
    struct seat *seat = &team->seats[worker->rank];
    unsigned turn = seat->turn;
    seat->turn ^= 1;
    meet(team);
    return turn;
}

static void reduce(struct worker *worker, uint64_t *least, uint64_t *sums, unsigned n)
{
    const struct team *team = worker->team;
    struct shown *mine = own_place(worker);
    mine->least = *least;
    memcpy(mine->sums, sums, n * sizeof *sums);
    unsigned turn = show(worker);
    memset(sums, 0, n * sizeof *sums);
    for (unsigned i = 0; i < worker->size; i++) {
        const struct shown *one = &team->seats[i].shown[turn];
        *least = one->least < *least ? one->least : *least;
        for (unsigned k = 0; k < n; k++)
            sums[k] += one->sums[k];
    }
}

static void exchange(struct worker *worker, const struct engine_bytes *out, struct engine_bytes *in)
{
    const struct team *team = worker->team;
    own_place(worker)->out = out;
    unsigned turn = show(worker);
    for (unsigned i = 0; i < worker->size; i++)
        in[i] = team->seats[i].shown[turn].out[worker->rank];
}

static void done(struct worker *worker)
{
    meet(worker->team);
}

static bool climb(struct worker *worker, unsigned step, const struct engine_bytes *mine,
                  struct engine_bytes *theirs)
{
    const struct team *team = worker->team;
    own_place(worker)->out = mine;
    unsigned turn = show(worker);
    if (!worker_takes(worker, step))
        return false;
    *theirs = *team->seats[worker->rank + step].shown[turn].out;
    return true;
}

/* ---- start and end ---- */

/* NOLINTNEXTLINE(readability-non-const-parameter): other rows set it */
static bool is_here(unsigned *n)
{
    return *n > 1;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    const struct team *team = worker->team;
    team->work(worker, team->context);
    return NULL;
}

static void run(unsigned n, void (*work_on)(struct worker *worker, void *context), void *context)
{
    struct team team = {.work = work_on, .context = context};
    team.seats = there(aligned_alloc(_Alignof(struct seat), n * sizeof *team.seats));
    memset(team.seats, 0, n * sizeof *team.seats);
    if (pthread_barrier_init(&team.barrier, NULL, n))
        fail("no barrier for %u threads: try --threads 1", n);
    for (unsigned i = 0; i < n; i++)
        team.seats[i].worker = (struct worker){&workers_threads, i, n, &team, i};
    for (unsigned i = 1; i < n; i++) {
        int error = pthread_create(&team.seats[i].thread, NULL, work, &team.seats[i].worker);
        if (error)
            fail("cannot start thread %u of %u: %s; try --threads 1", i + 1, n, strerror(error));
    }
    (void)work(&team.seats[0].worker);
    for (unsigned i = 1; i < n; i++)
        (void)pthread_join(team.seats[i].thread, NULL);
    (void)pthread_barrier_destroy(&team.barrier);
    free(team.seats);
}

const struct workers workers_threads = {"threads", true,     is_here, run,
                                        reduce,    exchange, done,    climb};
