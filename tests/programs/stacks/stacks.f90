! SPDX-License-Identifier: BSD-3-Clause
module solver
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function sem_post(semaphore) bind(c)
      import
      integer(c_long), intent(inout) :: semaphore(*)
    end function
  end interface
  integer(c_long), save :: semaphore(8) = 0
  integer, save :: calls = 0
contains
  subroutine step(n)
    integer, intent(in) :: n
    calls = calls + n + sem_post(semaphore)
  end subroutine

  recursive subroutine solve(n)
    integer, intent(in) :: n
    if (n > 0) call solve(n - 1)
    call step(n)
    calls = calls + 1
  end subroutine
end module

program stacks
  use solver
  implicit none
  call solve(2)
  call inner()
contains
  subroutine inner()
    call step(7)
    calls = calls + 1
  end subroutine
end program
