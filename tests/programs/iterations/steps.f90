! SPDX-License-Identifier: BSD-3-Clause
! The same as steps.c.
program steps
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
    integer, parameter :: usual = 5000, slow_step = 12
    integer :: rank, ierror, i, k, us, n, growth, slow
    character(len=16) :: word
    double precision :: one(1), all(1)
    double precision, allocatable :: times(:)
    call get_command_argument(1, word)
    read (word, *) n
    call get_command_argument(2, word)
    read (word, *) growth
    call get_command_argument(3, word)
    read (word, *) slow
    allocate (times(0:n))
    one = 1
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    times(0) = MPI_Wtime()
    do i = 1, n
        call MPI_Bcast(one, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror) ! before the growth
        us = usleep(usual + merge(i * growth, 0, rank == 1))
        do k = 1, 1 + mod(i, 2)
            call MPI_Allreduce(one, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror) ! slow
        end do
        us = usleep(merge(slow, 0, rank == 0 .and. i == slow_step))
        call MPI_Barrier(MPI_COMM_WORLD, ierror) ! ends a step
        times(i) = MPI_Wtime()
    end do
    do i = 1, n
        if (rank == 0) print '(i0)', nint(1d6 * (times(i) - times(i - 1)))
    end do
    call MPI_Finalize(ierror)
end program
