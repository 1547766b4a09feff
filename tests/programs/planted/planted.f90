! SPDX-License-Identifier: BSD-3-Clause
! The same as planted.c; its threads are those of OpenMP.
module outside
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_size_t
    use omp_lib, only: omp_lock_kind
    implicit none
    integer(omp_lock_kind) :: queue_lock, pair(0:1)
    interface
        function usleep(us) bind(c)
            import :: c_int
            integer(c_int), value :: us
            integer(c_int) :: usleep
        end function
        function alarm(seconds) bind(c)
            import :: c_int
            integer(c_int), value :: seconds
            integer(c_int) :: alarm
        end function
        function sched_getaffinity(process, bytes, mask) bind(c)
            import :: c_int, c_int64_t, c_size_t
            integer(c_int), value :: process
            integer(c_size_t), value :: bytes
            integer(c_int64_t) :: mask(*)
            integer(c_int) :: sched_getaffinity
        end function
        function sched_setaffinity(process, bytes, mask) bind(c)
            import :: c_int, c_int64_t, c_size_t
            integer(c_int), value :: process
            integer(c_size_t), value :: bytes
            integer(c_int64_t) :: mask(*)
            integer(c_int) :: sched_setaffinity
        end function
    end interface
end module

program planted
    use mpi
    use omp_lib
    use outside
    implicit none
    integer, parameter :: rounds = 2, slow_us = 400000, usual_us = 20000, waiters = 2
    real, parameter :: busy_s = 0.2
    integer :: rank, size, ierror, level, done
    integer :: value(1)
    character(len=16) :: word
    value = 0
    call get_command_argument(1, word)
    call MPI_Init_thread(MPI_THREAD_FUNNELED, level, ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    call omp_init_lock(queue_lock)
    call omp_init_lock(pair(0))
    call omp_init_lock(pair(1))
    select case (word)
    case ("late")
        call late()
    case ("imbalance")
        call imbalance()
    case ("lock")
        call lock()
    case ("pinned")
        call pinned()
    case ("ranks")
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        done = alarm(3)
        call MPI_Recv(value, 1, MPI_INTEGER, mod(rank + 1, size), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! ranks: waits
    case ("locks")
        if (rank == 1) call locks()
    end select
    call MPI_Finalize(ierror)

contains

    subroutine late()
        integer :: i
        do i = 1, rounds
            call MPI_Barrier(MPI_COMM_WORLD, ierror) ! late: cause
            done = usleep(merge(slow_us, usual_us, rank == 1))
            if (rank /= 1) then
                call MPI_Recv(value, 1, MPI_INTEGER, mod(rank + size - 1, size), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! late: waits
            end if
            if (rank /= 0) call MPI_Send(value, 1, MPI_INTEGER, mod(rank + 1, size), 0, MPI_COMM_WORLD, ierror)
        end do
    end subroutine

    subroutine imbalance()
        integer :: i, sum(1)
        do i = 1, rounds
            call MPI_Barrier(MPI_COMM_WORLD, ierror) ! imbalance: cause
            done = usleep(merge(slow_us, usual_us, rank == 1))
            call MPI_Allreduce(value, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror) ! imbalance: waits
        end do
    end subroutine

    subroutine lock()
        integer :: us
        if (rank /= 1) then
            done = usleep(slow_us)
            return
        end if
        !$omp parallel num_threads(waiters + 1) private(us)
        if (omp_get_thread_num() == 0) call omp_set_lock(queue_lock) ! lock: cause
        !$omp barrier
        if (omp_get_thread_num() == 0) then
            us = usleep(slow_us)
        else
            call omp_set_lock(queue_lock) ! lock: waits
        end if
        call omp_unset_lock(queue_lock)
        !$omp end parallel
    end subroutine

    subroutine pinned()
        integer(c_int64_t) :: mask(16)
        integer :: i
        real :: now
        mask = 0
        done = sched_getaffinity(0, 128_c_size_t, mask)
        i = findloc(mask /= 0, .true., 1)
        mask(i) = iand(mask(i), -mask(i))
        mask(:i - 1) = 0
        mask(i + 1:) = 0
        done = sched_setaffinity(0, 128_c_size_t, mask)
        now = 0
        do while (now < busy_s)
            call cpu_time(now)
        end do
    end subroutine

    subroutine locks()
        done = alarm(3)
        !$omp parallel num_threads(2)
        call omp_set_lock(pair(omp_get_thread_num()))
        !$omp barrier
        call omp_set_lock(pair(1 - omp_get_thread_num())) ! locks: waits
        !$omp end parallel
    end subroutine
end program
