! SPDX-License-Identifier: BSD-3-Clause
!
! Files of Fortran of all kinds: records with and without a format, by number, and a stream.
!
program serial_fortran
    implicit none
    integer, parameter :: n = 1000, part = 10, lines = 2000
    integer :: i
    real(8) :: out(n), in(n)

    out = [(dble(i), i=1, n)]

    open (10, file='unformatted', form='unformatted')
    write (10) out
    rewind (10)
    read (10) in
    backspace (10)
    read (10) in
    close (10)
    if (any(in /= out)) error stop 'unformatted'

    open (11, file='direct', form='unformatted', access='direct', recl=8*part)
    do i = 1, n/part
        write (11, rec=n/part + 1 - i) out(i:i + part - 1)
    end do
    read (11, rec=7) in(1:part)
    close (11)
    if (in(1) /= n/part + 1 - 7) error stop 'direct'

    open (12, file='stream', access='stream', form='unformatted')
    write (12) out
    read (12, pos=9) in(1:5)
    close (12)
    if (in(1) /= out(2)) error stop 'stream'

    open (13, file='text')
    do i = 1, lines
        write (13, '(i6, f12.3)') i, out(1)
    end do
    rewind (13)
    do i = 1, lines
        read (13, *) in(1), in(2)
    end do
    close (13)
    if (in(1) /= lines) error stop 'text'

    open (14, file='text', position='append')
    write (14, *) 'more'
    flush (14)
    close (14)
    open (15, file='gone')
    write (15, *) 1
    close (15, status='delete')
    print *, 'done'
end program serial_fortran
