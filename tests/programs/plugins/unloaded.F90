! SPDX-License-Identifier: BSD-3-Clause
! What a plug-in in Fortran does, for unloaded.c.
integer(c_int) function work() bind(C, name="work")
    use iso_c_binding
    use mpi
    implicit none
    logical :: is_begun
    integer :: ierr, total, provided
    call MPI_Initialized(is_begun, ierr)
    if (.not. is_begun) call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr)
    total = 0
#if ANSWER == 1
    call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, ierr)
#elif ANSWER == 2
    call MPI_Reduce(1, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_SELF, ierr)
#else
    call MPI_Comm_rank(MPI_COMM_SELF, total, ierr)
    total = total + 1
#endif
    work = merge(1, 0, total == 1)
end function work
