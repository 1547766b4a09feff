! SPDX-License-Identifier: BSD-3-Clause
! Of two arrays that are allocated ten times one is left each time, 80,000 bytes.
program leaks
  implicit none
  real(8), pointer :: lost(:)
  real(8), allocatable :: kept(:)
  integer :: i
  do i = 1, 10
    allocate (lost(10000))
    allocate (kept(5000))
    lost = i
    kept = lost(1:5000)
    if (sum(kept) < 0) print *, 'never'
    deallocate (kept)
  end do
  print *, 'done'
end program leaks
