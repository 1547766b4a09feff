/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_frame.h"

#include "wrappers/mpi/library/mpi_library.h"
#include "wrappers/mpi/mpi_init.h"
#include "wrappers/mpi/mpi_ordinal.h"

void mpi_frame_unwound(struct spur_loc *loc, struct spur_call *call)
{
    spur_waits_over(loc);
    if (call)
        spur_leave_now(loc, call);
}

/* The call is not recorded; its meaning for later calls may have to be known all the same. */
static struct spur_loc *follow(struct spur_call *call, enum mpi_keeps keeps)
{
    if (mpi_is_off || !mpi_library())
        return NULL;
    if (keeps == MPI_KEEPS_NOTHING)
        return spur_stand(call);
    if (spur_is_paused())
        mpi_ordinal_paused();
    else if (keeps == MPI_KEEPS_COUNTS)
        return NULL;
    return spur_follow(call, keeps >= MPI_KEEPS_RECORDS);
}

struct mpi_followed mpi_frame_follow(struct spur_call *call, enum mpi_keeps keeps)
{
    struct spur_loc *const loc = follow(call, keeps);
    const bool is_nested = !loc && keeps == MPI_KEEPS_ENDS && !mpi_is_off && mpi_library();
    return (struct mpi_followed){is_nested ? spur_within() : loc, is_nested};
}

struct mpi_passed mpi_passed_begin(struct spur_loc *loc, struct spur_call *call)
{
    spur_inside_begin();
    return (struct mpi_passed){loc, call};
}

void mpi_passed_end(const struct mpi_passed *passed)
{
    spur_inside_end();
    if (passed->loc)
        mpi_frame_unwound(passed->loc, passed->call);
}
