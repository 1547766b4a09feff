! SPDX-License-Identifier: BSD-3-Clause
module solver
contains
    subroutine solve(n, total)
        integer, intent(in) :: n
        integer, intent(out) :: total
        integer :: i
        total = 0
        !$omp parallel do num_threads(2) reduction(+ : total) ! place: fortran parallel
        do i = 1, n
            total = total + i
        end do
        !$omp end parallel do
    end subroutine
end module

program places
    use solver
    integer :: total
    call solve(100, total)
    print *, total
end program
