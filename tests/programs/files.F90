! SPDX-License-Identifier: BSD-3-Clause
!
! MPI-IO from Fortran, by the binding that the build chooses as for eight.F90: together and alone,
! with a request, in two halves, by the shared pointer, and what fails.
!
#ifdef SPUR_USE_F08
#define FILE type(MPI_File)
#define REQUEST type(MPI_Request)
#define STATUS_OF(name) type(MPI_Status) :: name
#else
#define FILE integer
#define REQUEST integer
#define STATUS_OF(name) integer, dimension(MPI_STATUS_SIZE) :: name
#endif

#include "binding.h"

program files
    USE_BINDING
    implicit none
    INCLUDE_BINDING
    integer, parameter :: n = 10, block = 4 * n
    integer :: rank, size, error, i, count, out(n), in(n)
    integer(kind=MPI_OFFSET_KIND) :: place
    logical :: is_wrong = .false.
    FILE :: handle
    REQUEST :: pending
    STATUS_OF(status)

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    out = [(100 * rank + i, i=1, n)]
    place = rank * block

    call MPI_File_open(MPI_COMM_WORLD, 'fortran.bin', MPI_MODE_RDWR + MPI_MODE_CREATE, &
                       MPI_INFO_NULL, handle, error)
    call MPI_File_write_at_all(handle, place, out, n, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call MPI_File_seek(handle, place, MPI_SEEK_SET, error)
    call MPI_File_read(handle, in, n, MPI_INTEGER, status, error)
    call MPI_Get_count(status, MPI_INTEGER, count, error)
    call expect(all(in == out) .and. count == n, __LINE__)
    in = 0
    call MPI_File_iread_at(handle, place, in, n, MPI_INTEGER, pending, error)
    call MPI_Wait(pending, MPI_STATUS_IGNORE, error)
    call expect(all(in == out), __LINE__)
    in = 0
    call MPI_File_read_at_all_begin(handle, place, in, n, MPI_INTEGER, error)
    call MPI_File_read_at_all_end(handle, in, MPI_STATUS_IGNORE, error)
    call expect(all(in == out), __LINE__)
    in = 0
    call MPI_File_read_ordered(handle, in, n, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call expect(all(in == out), __LINE__)
    call MPI_File_sync(handle, error)
    call MPI_File_close(handle, error)

    ! Opening it fails as well, and crashes in the bindings of MPICH 4.0 without any tracer.
    call MPI_File_delete('no/such/file', MPI_INFO_NULL, error)
    call expect(error /= MPI_SUCCESS, __LINE__)
    if (rank == 0) call MPI_File_delete('fortran.bin', MPI_INFO_NULL, error)
    call MPI_Finalize(error)
    if (is_wrong) stop 1

contains
    subroutine expect(is_right, line)
        logical, intent(in) :: is_right
        integer, intent(in) :: line
        if (is_right) return
        is_wrong = .true.
        write (0, *) 'files.F90: unexpected value, line', line
    end subroutine expect
end program files
