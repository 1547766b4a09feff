! SPDX-License-Identifier: BSD-3-Clause
! Completes no requests, and one that is null, and says where: what a binding for Fortran may answer by
! itself is a call as well. The binding is that of -DF08, -DMODULE, or mpif.h.
program empty
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
    type(MPI_Request) :: requests(1), request
#else
    integer :: requests(1), request
#endif
    integer :: i, n, done, indices(1), ierr
    logical :: flag
    call MPI_Init(ierr)
    requests(1) = MPI_REQUEST_NULL
    request = MPI_REQUEST_NULL
    ! Not of MPI_Request_get_status, to which gfortran gives the line of the statement after it.
    do i = 1, 10
        n = mod(i, 2)
        call said("MPI_Waitall", __LINE__); call MPI_Waitall(n, requests, MPI_STATUSES_IGNORE, ierr)
        call said("MPI_Waitany", __LINE__); call MPI_Waitany(n, requests, indices(1), MPI_STATUS_IGNORE, ierr)
        call said("MPI_Waitsome", __LINE__); call MPI_Waitsome(n, requests, done, indices, MPI_STATUSES_IGNORE, ierr)
        call said("MPI_Testall", __LINE__); call MPI_Testall(n, requests, flag, MPI_STATUSES_IGNORE, ierr)
        call said("MPI_Testany", __LINE__); call MPI_Testany(n, requests, indices(1), flag, MPI_STATUS_IGNORE, ierr)
        call said("MPI_Testsome", __LINE__); call MPI_Testsome(n, requests, done, indices, MPI_STATUSES_IGNORE, ierr)
        call MPI_Request_get_status(request, flag, MPI_STATUS_IGNORE, ierr)
        call said("MPI_Waitall", __LINE__); call PMPI_Waitall(n, requests, MPI_STATUSES_IGNORE, ierr)
    end do
    call MPI_Finalize(ierr)
contains
    subroutine said(name, line)
        character(*), intent(in) :: name
        integer, intent(in) :: line
        print '(a, " empty.F90:", i0)', name, line
    end subroutine said
end program empty
