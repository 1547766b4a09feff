/* SPDX-License-Identifier: BSD-3-Clause */
/* How far the ranks are: each sends its number to the first one, when the one before has arrived.
 */
#include <stdlib.h>
#include <time.h>

#include "tools/base/fail.h"
#include "tools/engine/mpi_team.h"

enum { TAG = 0 }; /* other messages have others */
#define LAST (UINT64_C(1) << 63)

/* A message under way; on the first rank, one from each of the others. */
struct count {
    mpi_word request;
    uint64_t on_way, value;
    bool is_begun;
};

static struct count *counts; /* by rank; of another one than the first: its own */

static void begin_receive(struct count *c)
{
    const struct mpi_door *d = &mpi_team.door;
    mpi_take();
    int error = d->Irecv(&c->on_way, (int)sizeof c->on_way, d->layout.byte, (int)(c - counts), TAG,
                         d->layout.comm_world, &c->request);
    mpi_leave();
    mpi_check(error, "MPI_Irecv");
}

static void begin_send(struct count *c, uint64_t value)
{
    const struct mpi_door *d = &mpi_team.door;
    c->on_way = value;
    c->is_begun = true;
    mpi_take();
    int error = d->Isend(&c->on_way, (int)sizeof c->on_way, d->layout.byte, 0, TAG,
                         d->layout.comm_world, &c->request);
    mpi_leave();
    mpi_check(error, "MPI_Isend");
}

static bool has_arrived(struct count *c)
{
    int is = 0;
    mpi_take();
    int error = mpi_team.door.Testall(1, &c->request, &is, mpi_team.door.layout.statuses_ignore);
    mpi_leave();
    mpi_check(error, "MPI_Testall");
    return is;
}

void engine_count_begin(void)
{
    if (!engine_has_ranks())
        return;
    counts = take_memory((size_t)mpi_team.size * sizeof *counts);
    for (int i = 1; i < mpi_team.size && !mpi_team.rank; i++)
        begin_receive(&counts[i]);
}

/* What has come from the others; *are_over: each has sent its last number. */
static uint64_t receive_all(bool *are_over)
{
    uint64_t sum = 0;
    *are_over = true;
    mpi_hear();
    for (int i = 1; i < mpi_team.size; i++) {
        struct count *c = &counts[i];
        while (!(c->value & LAST) && has_arrived(c)) {
            c->value = c->on_way;
            if (!(c->value & LAST))
                begin_receive(c);
        }
        sum += c->value & ~LAST;
        *are_over = *are_over && c->value & LAST;
    }
    return sum;
}

uint64_t engine_count(uint64_t own)
{
    bool are_over;
    if (!counts)
        return own;
    if (!mpi_team.rank)
        return own + receive_all(&are_over);
    if (!counts->is_begun || has_arrived(counts))
        begin_send(counts, own);
    return own;
}

void engine_count_end(uint64_t own, void (*show)(uint64_t all))
{
    const struct timespec rest = {0, 1000000};
    bool are_over = false;
    if (!counts)
        return;
    while (mpi_team.rank && counts->is_begun && !has_arrived(counts))
        (void)nanosleep(&rest, NULL);
    if (mpi_team.rank)
        begin_send(counts, own | LAST);
    while (!are_over) {
        if (mpi_team.rank)
            are_over = has_arrived(counts);
        else
            show(own + receive_all(&are_over));
        if (!are_over)
            (void)nanosleep(&rest, NULL);
    }
    free(counts);
    counts = NULL;
}
