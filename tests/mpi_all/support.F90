! SPDX-License-Identifier: BSD-3-Clause
!
! What the generated Fortran programs need: the log of support.c, and the procedures that they pass
! to MPI, in the form of the binding: SPUR_MPIF, SPUR_MOD or SPUR_F08.
!
#ifdef SPUR_F08
#define HANDLE(name) type(name)
#define STATUS_OF(name) type(MPI_Status) :: name
#define USE_BINDING use mpi_f08
#define INCLUDE_BINDING
#else
#define HANDLE(name) integer
#define STATUS_OF(name) integer :: name(MPI_STATUS_SIZE)
#ifdef SPUR_MOD
#define USE_BINDING use mpi
#define INCLUDE_BINDING
#else
#define USE_BINDING
#define INCLUDE_BINDING include 'mpif.h'
#endif
#endif

module support
    use iso_c_binding
    implicit none
    integer(c_int), bind(c, name='rank') :: rank
    integer(c_int), bind(c, name='peer') :: peer
    integer :: error

    interface
        subroutine log_begin(act) bind(c)
            import c_char
            character(kind=c_char), intent(in) :: act(*)
        end subroutine log_begin
        subroutine log_call(key, name, failure) bind(c)
            import c_char, c_int
            character(kind=c_char), intent(in) :: key(*), name(*)
            integer(c_int), value :: failure
        end subroutine log_call
        subroutine log_ints(name, values, count) bind(c)
            import c_char, c_int
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), intent(in) :: values(*)
            integer(c_int), value :: count
        end subroutine log_ints
        subroutine log_longs(name, values, count) bind(c)
            import c_char, c_int, c_long_long
            character(kind=c_char), intent(in) :: name(*)
            integer(c_long_long), intent(in) :: values(*)
            integer(c_int), value :: count
        end subroutine log_longs
        subroutine log_doubles(name, values, count) bind(c)
            import c_char, c_int, c_double
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), intent(in) :: values(*)
            integer(c_int), value :: count
        end subroutine log_doubles
        subroutine log_text(name, text, room) bind(c)
            import c_char, c_size_t
            character(kind=c_char), intent(in) :: name(*), text(*)
            integer(c_size_t), value :: room
        end subroutine log_text
        subroutine log_status(name, source, tag) bind(c)
            import c_char, c_int
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: source, tag
        end subroutine log_status
        integer(c_int) function log_write() bind(c)
            import c_int
        end function log_write
        integer(c_int) function join_socket(own_rank) bind(c)
            import c_int
            integer(c_int), value :: own_rank
        end function join_socket
    end interface
contains
    subroutine log_act_f(act)
        character(len=*), intent(out) :: act
        character(len=32) :: word
        integer :: i
        act = 'main'
        do i = 1, command_argument_count() - 1
            call get_command_argument(i, word)
            if (word == '--act') call get_command_argument(i + 1, act)
        end do
        call log_begin(trim(act)//c_null_char)
    end subroutine log_act_f

    subroutine log_call_f(key, name, failure)
        character(len=*), intent(in) :: key, name
        integer, intent(in) :: failure
        call log_call(key//c_null_char, name//c_null_char, failure)
    end subroutine log_call_f

    subroutine log_ints_f(name, values, count)
        character(len=*), intent(in) :: name
        integer, intent(in) :: values(*), count
        call log_ints(name//c_null_char, values, count)
    end subroutine log_ints_f

    subroutine log_longs_f(name, values, count)
        character(len=*), intent(in) :: name
        integer(c_long_long), intent(in) :: values(*)
        integer, intent(in) :: count
        call log_longs(name//c_null_char, values, count)
    end subroutine log_longs_f

    subroutine log_doubles_f(name, values, count)
        character(len=*), intent(in) :: name
        real(c_double), intent(in) :: values(*)
        integer, intent(in) :: count
        call log_doubles(name//c_null_char, values, count)
    end subroutine log_doubles_f

    subroutine log_text_f(name, text)
        character(len=*), intent(in) :: name, text
        call log_text(name//c_null_char, text, len(text, c_size_t))
    end subroutine log_text_f

    subroutine log_status_f(name, source, tag)
        character(len=*), intent(in) :: name
        integer, intent(in) :: source, tag
        call log_status(name//c_null_char, source, tag)
    end subroutine log_status_f

    subroutine log_write_f
        if (log_write() /= 0) error stop
    end subroutine log_write_f

    ! Whom an error handler was called for is a result.
    subroutine failed(whose)
        character(len=*), intent(in) :: whose
        call log_text_f('handler', whose)
    end subroutine failed

    subroutine comm_failed(comm, code)
        USE_BINDING
        INCLUDE_BINDING
        HANDLE(MPI_Comm) :: comm
        integer :: code
        call failed('comm')
    end subroutine comm_failed

    subroutine win_failed(win, code)
        USE_BINDING
        INCLUDE_BINDING
        HANDLE(MPI_Win) :: win
        integer :: code
        call failed('win')
    end subroutine win_failed

    subroutine file_failed(file, code)
        USE_BINDING
        INCLUDE_BINDING
        HANDLE(MPI_File) :: file
        integer :: code
        call failed('file')
    end subroutine file_failed

#ifdef SPUR_SESSIONS
    subroutine session_failed(session, code)
        USE_BINDING
        INCLUDE_BINDING
        HANDLE(MPI_Session) :: session
        integer :: code
        call failed('session')
    end subroutine session_failed
#endif

#ifdef SPUR_F08
    subroutine sum_op(invec, inoutvec, len, datatype)
        use mpi_f08
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        integer, pointer :: from(:), to(:)
        call c_f_pointer(invec, from, [len])
        call c_f_pointer(inoutvec, to, [len])
        to = to + from
    end subroutine sum_op
#ifdef SPUR_MPICH
    subroutine sum_op_c(invec, inoutvec, len, datatype)
        use mpi_f08
        type(c_ptr), value :: invec, inoutvec
        integer(MPI_COUNT_KIND) :: len
        type(MPI_Datatype) :: datatype
        call sum_op(invec, inoutvec, int(len), datatype)
    end subroutine sum_op_c
#endif
#else
    subroutine sum_op(from, to, len, datatype)
        integer :: len, datatype
        integer :: from(len), to(len)
        to = to + from
    end subroutine sum_op
#endif

    subroutine grequest_query(state, status, ierror)
        USE_BINDING
        INCLUDE_BINDING
        integer(MPI_ADDRESS_KIND) :: state
        STATUS_OF(status)
        integer :: ierror
        call MPI_Status_set_elements(status, MPI_INTEGER, 0, ierror)
        call MPI_Status_set_cancelled(status, .false., ierror)
    end subroutine grequest_query

    subroutine grequest_free(state, ierror)
        USE_BINDING
        INCLUDE_BINDING
        integer(MPI_ADDRESS_KIND) :: state
        integer :: ierror
        ierror = MPI_SUCCESS
    end subroutine grequest_free

    subroutine grequest_cancel(state, complete, ierror)
        USE_BINDING
        INCLUDE_BINDING
        integer(MPI_ADDRESS_KIND) :: state
        logical :: complete
        integer :: ierror
        ierror = MPI_SUCCESS
    end subroutine grequest_cancel

    subroutine datarep_extent(datatype, extent, state, ierror)
        USE_BINDING
        INCLUDE_BINDING
        HANDLE(MPI_Datatype) :: datatype
        integer(MPI_ADDRESS_KIND) :: extent, state
        integer :: ierror
        extent = 4
        ierror = MPI_SUCCESS
    end subroutine datarep_extent
end module support
