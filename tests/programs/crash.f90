! SPDX-License-Identifier: BSD-3-Clause
! The last rank writes to where nothing is, while the others wait for it.
module solving
    implicit none
contains
    subroutine solve(values)
        real, pointer, intent(in) :: values(:)
        values(1) = 1.0
    end subroutine solve
end module solving

program crash
    use mpi
    use solving
    implicit none
    integer :: ierror, rank, size
    real, pointer :: values(:)
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    nullify(values)
    if (rank == size - 1) call solve(values)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Finalize(ierror)
end program crash
