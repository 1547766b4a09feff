! SPDX-License-Identifier: BSD-3-Clause
! The same as relay.c.
program relay
    use, intrinsic :: iso_c_binding, only: c_int
    use mpi
    implicit none
    interface
        function usleep(us) bind(c)
            import :: c_int
            integer(c_int), value :: us
            integer(c_int) :: usleep
        end function
    end interface
    integer :: rank, size, ierror, i, us
    integer :: value(1)
    value = 0
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    do i = 1, 2
        call MPI_Barrier(MPI_COMM_WORLD, ierror) ! before the cause
        us = usleep(merge(500000, 20000, rank == 1))
        if (rank /= 1) then
            call MPI_Recv(value, 1, MPI_INTEGER, mod(rank + size - 1, size), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! waits
        end if
        if (rank /= 0) call MPI_Send(value, 1, MPI_INTEGER, mod(rank + 1, size), 0, MPI_COMM_WORLD, ierror)
    end do
    call MPI_Finalize(ierror)
end program
