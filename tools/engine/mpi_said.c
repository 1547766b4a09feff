/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that ends all says why. Beside the first rank a process watches, which would say that a
 * rank was killed. Where no signal reaches that process, since it is on another host, the first
 * rank is asked before. It lets one rank speak.
 */
#include <stdatomic.h>
#include <time.h>

#include "tools/engine/mpi_team.h"

enum { TAG = 32767 }; /* the largest that each library has: no other message's */

static const struct timespec rest = {0, 1000000};
static atomic_flag is_taken = ATOMIC_FLAG_INIT;

void mpi_take(void)
{
    while (atomic_flag_test_and_set(&is_taken))
        (void)nanosleep(&rest, NULL); /* another thread ends the process */
}

void mpi_leave(void)
{
    atomic_flag_clear(&is_taken);
}

void mpi_ask_to_say(void)
{
    enum { MOST_MS = 2000 }; /* as long as the first rank may be busy with its own work */
    const struct mpi_door *d = &mpi_team.door;
    static char empty;
    static mpi_word request;
    int is_heard = 0;
    mpi_take(); /* for good */
    if (d->Issend(&empty, 0, d->layout.byte, 0, TAG, d->layout.comm_world, &request))
        return;
    for (int i = 0; i < MOST_MS && !is_heard; i++) {
        if (d->Testall(1, &request, &is_heard, d->layout.statuses_ignore))
            return;
        if (!is_heard)
            (void)nanosleep(&rest, NULL);
    }
}

void mpi_hear(void)
{
    const struct mpi_door *d = &mpi_team.door;
    static bool has_heard;
    char empty;
    mpi_word request;
    int is = 0;
    if (mpi_team.rank || has_heard || !mpi_team.is_running)
        return;
    if (d->Iprobe(d->layout.any_source, TAG, d->layout.comm_world, &is, d->layout.status_ignore) ||
        !is)
        return;
    has_heard = true;
    job_watch_said();
    if (d->Irecv(&empty, 0, d->layout.byte, d->layout.any_source, TAG, d->layout.comm_world,
                 &request))
        return;
    for (is = 0; !is;)
        if (d->Testall(1, &request, &is, d->layout.statuses_ignore))
            return;
}
