! SPDX-License-Identifier: BSD-3-Clause
! Makes calls of MPI by a binding for Fortran, and says where: that of -DF08, -DMODULE, or mpif.h. Not
! of MPI_Init and MPI_Finalize, for which gfortran's debug information has the line of the program.
program calls
#if defined(F08)
    use mpi_f08
#elif defined(MODULE)
    use mpi
#endif
    implicit none
#if !defined(F08) && !defined(MODULE)
    include "mpif.h"
#endif
#if defined(F08)
    type(MPI_Request) :: request
    type(MPI_Status) :: status
#else
    integer :: request, status(MPI_STATUS_SIZE)
#endif
    integer :: rank, size, i, got, value, total, ierr
    value = 1
    call MPI_Init(ierr)
    call said("MPI_Comm_rank", __LINE__); call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call said("MPI_Comm_size", __LINE__); call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
    do i = 1, 3
        call said("MPI_Irecv", __LINE__); call MPI_Irecv(got, 1, MPI_INTEGER, mod(rank + 1, size), 1, MPI_COMM_WORLD, request, ierr)
        call said("MPI_Send", __LINE__); call MPI_Send(value, 1, MPI_INTEGER, mod(rank + size - 1, size), 1, MPI_COMM_WORLD, ierr)
        call said("MPI_Wait", __LINE__); call MPI_Wait(request, status, ierr)
    end do
    call said("MPI_Bcast", __LINE__); call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call said("MPI_Allreduce", __LINE__); call MPI_Allreduce(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Finalize(ierr)
contains
    subroutine said(name, line)
        character(*), intent(in) :: name
        integer, intent(in) :: line
        print '(a, " calls.F90:", i0)', name, line
    end subroutine said
end program calls
