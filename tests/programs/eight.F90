! SPDX-License-Identifier: BSD-3-Clause
!
! The calls of eight.c, one for one, by the binding that the build chooses: SPUR_MPIF (mpif.h),
! SPUR_USE_MPI (use mpi) or SPUR_USE_F08 (use mpi_f08). Only types of handles and statuses differ.
!
#ifdef SPUR_USE_F08
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define STATUS_OF(name) type(MPI_Status) :: name
#define SOURCE_OF(name) name%MPI_SOURCE
#define TAG_OF(name) name%MPI_TAG
#else
#define COMM integer
#define REQUEST integer
#define STATUS_OF(name) integer, dimension(MPI_STATUS_SIZE) :: name
#define SOURCE_OF(name) name(MPI_SOURCE)
#define TAG_OF(name) name(MPI_TAG)
#endif

#include "binding.h"

module ring
    implicit none
    integer :: rank, size, next, last, error
    logical :: is_wrong = .false.
contains
    subroutine expect(is_right, line)
        logical, intent(in) :: is_right
        integer, intent(in) :: line
        if (is_right) return
        is_wrong = .true.
        write (0, *) 'eight.F90: unexpected value, line', line
    end subroutine expect
end module ring

subroutine messages
    USE_BINDING
    use ring
    implicit none
    INCLUDE_BINDING
    integer :: out(4), in(8), count, round
    double precision :: reals(3), got(3)
    logical :: done
    STATUS_OF(status)
    REQUEST :: requests(4)

    out = [rank, rank + 1, rank + 2, rank + 3]
    reals = rank
    if (mod(rank, 2) == 0) then
        call MPI_Send(out, 4, MPI_INTEGER, next, 1, MPI_COMM_WORLD, error)
        call MPI_Recv(in, 4, MPI_INTEGER, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    else
        call MPI_Recv(in, 4, MPI_INTEGER, last, 1, MPI_COMM_WORLD, status, error)
        call MPI_Ssend(out, 4, MPI_INTEGER, next, 1, MPI_COMM_WORLD, error)
        call expect(SOURCE_OF(status) == last, __LINE__)
    end if
    call expect(in(4) == last + 3, __LINE__)
    call MPI_Irecv(in, 4, MPI_INTEGER, last, 2, MPI_COMM_WORLD, requests(1), error)
    call MPI_Irecv(got, 3, MPI_DOUBLE_PRECISION, last, 3, MPI_COMM_WORLD, requests(2), error)
    call MPI_Isend(out, 4, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(3), error)
    call MPI_Issend(reals, 3, MPI_DOUBLE_PRECISION, next, 3, MPI_COMM_WORLD, requests(4), error)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call MPI_Waitall(3, requests(2:4), MPI_STATUSES_IGNORE, error)
    call expect(in(1) == last .and. nint(got(3)) == last, __LINE__)
    call MPI_Sendrecv(out, 2, MPI_INTEGER, next, 4, in, 2, MPI_INTEGER, last, 4, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call expect(in(2) == last + 1, __LINE__)
    call MPI_Send(out, 1, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_WORLD, error)
    call MPI_Recv(in, 1, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)

    call MPI_Recv_init(in, 4, MPI_INTEGER, last, 6, MPI_COMM_WORLD, requests(1), error)
    call MPI_Send_init(out, 4, MPI_INTEGER, next, 6, MPI_COMM_WORLD, requests(2), error)
    do round = 1, 2
        call MPI_Startall(2, requests, error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        call expect(in(3) == last + 2, __LINE__)
    end do
    call MPI_Start(requests(1), error)
    call MPI_Start(requests(2), error)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE, error)
    call MPI_Wait(requests(1), status, error)
    call MPI_Get_count(status, MPI_INTEGER, count, error)
    call expect(count == 4, __LINE__)
    call MPI_Test(requests(1), done, MPI_STATUS_IGNORE, error)
    call expect(done, __LINE__)
    call MPI_Request_free(requests(1), error)
    call MPI_Request_free(requests(2), error)

    if (mod(rank, 2) == 0) then
        call MPI_Send(out, 3, MPI_INTEGER, next, 7, MPI_COMM_WORLD, error)
    else
        call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
        call MPI_Get_count(status, MPI_INTEGER, count, error)
        call MPI_Recv(in, count, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                      status, error)
        call expect(count == 3 .and. SOURCE_OF(status) == last .and. TAG_OF(status) == 7, __LINE__)
    end if
end subroutine messages

subroutine collectives(comm_)
    USE_BINDING
    use ring
    implicit none
    INCLUDE_BINDING
    COMM :: comm_
    integer :: me, members, value, out(16), in(16), i
    REQUEST :: requests(3)

    call MPI_Comm_rank(comm_, me, error)
    call MPI_Comm_size(comm_, members, error)
    call MPI_Barrier(comm_, error)
    value = merge(42, 0, me == 0)
    call MPI_Bcast(value, 1, MPI_INTEGER, 0, comm_, error)
    call expect(value == 42, __LINE__)
    out = [(me + i - 1, i = 1, 16)]
    call MPI_Reduce(out, in, 2, MPI_INTEGER, MPI_SUM, 0, comm_, error)
    call expect(me /= 0 .or. in(2) == members * (members - 1) / 2 + members, __LINE__)
    in(1) = me
    call MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_INTEGER, MPI_MAX, comm_, error)
    call expect(in(1) == members - 1, __LINE__)
    in(1) = 0
    if (me == 0) then
        call MPI_Gather(MPI_IN_PLACE, 1, MPI_INTEGER, in, 1, MPI_INTEGER, 0, comm_, error)
    else
        call MPI_Gather(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, 0, comm_, error)
    end if
    call expect(me /= 0 .or. in(members) == members - 1, __LINE__)
    call MPI_Allgather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, comm_, error)
    call expect(in(2 * members) == members, __LINE__)
    call MPI_Alltoall(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, comm_, error)
    call expect(in(members) == members - 1 + me, __LINE__)
    call MPI_Scan(out, in, 1, MPI_INTEGER, MPI_SUM, comm_, error)
    call expect(in(1) == me * (me + 1) / 2, __LINE__)
    value = merge(43, 0, me == 0)
    in(1) = me
    call MPI_Ibcast(value, 1, MPI_INTEGER, 0, comm_, requests(1), error)
    call MPI_Iallreduce(MPI_IN_PLACE, in, 1, MPI_INTEGER, MPI_SUM, comm_, requests(2), error)
    call MPI_Ibarrier(comm_, requests(3), error)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, error)
    call expect(value == 43 .and. in(1) == members * (members - 1) / 2, __LINE__)
end subroutine collectives

program eight
    USE_BINDING
    use ring
    implicit none
    INCLUDE_BINDING
    COMM :: half, twin

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    next = mod(rank + 1, size)
    last = mod(rank + size - 1, size)
    call messages
    call collectives(MPI_COMM_WORLD)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
    call MPI_Comm_set_name(half, 'half', error)
    call MPI_Comm_dup(half, twin, error)
    call collectives(twin)
    call MPI_Comm_free(twin, error)
    call MPI_Comm_free(half, error)
    call MPI_Finalize(error)
    if (is_wrong) error stop
end program eight
