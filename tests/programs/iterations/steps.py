# SPDX-License-Identifier: BSD-3-Clause
"""The same as steps.c."""

import sys
import time

from mpi4py import MPI

USUAL_US, SLOW_STEP = 5000, 12
steps, growth, slow = (int(word) for word in sys.argv[1:])
comm = MPI.COMM_WORLD
rank = comm.Get_rank()
one, total = bytearray(8), bytearray(8)
comm.Barrier()
times = [MPI.Wtime()]
for i in range(1, steps + 1):
    comm.Bcast(one, 0)  # before the growth
    time.sleep((USUAL_US + (i * growth if rank == 1 else 0)) / 1e6)
    for _ in range(1 + i % 2):
        comm.Allreduce(one, total, MPI.BOR)  # slow
    time.sleep(slow / 1e6 if rank == 0 and i == SLOW_STEP else 0)
    comm.Barrier()  # ends a step
    times.append(MPI.Wtime())
if rank == 0:
    for i in range(steps):
        print(round(1e6 * (times[i + 1] - times[i])))
