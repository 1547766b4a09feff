! SPDX-License-Identifier: BSD-3-Clause
! Regions of a Fortran program by spur/spur.h: the example of docs/control.md.
module user_regions
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    function user_region_new(name) bind(c) result(region)
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: region
    end function
    subroutine user_region_enter(region) bind(c)
      import
      type(c_ptr), value :: region
    end subroutine
    subroutine user_region_leave(region) bind(c)
      import
      type(c_ptr), value :: region
    end subroutine
    subroutine user_record(on) bind(c)
      import
      integer(c_int), value :: on
    end subroutine
  end interface
end module

program user_fortran
  use user_regions
  implicit none
  type(c_ptr) :: step
  integer :: i
  step = user_region_new("step" // c_null_char)
  do i = 1, 20
    if (i == 11) call user_record(0)
    call user_region_enter(step)
    call user_region_leave(step)
  end do
  print *, "done"
end program
