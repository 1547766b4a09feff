# SPDX-License-Identifier: BSD-3-Clause
"""Steps that end with a barrier; after each third step comes a call that communicates with nobody."""

import sys
import time

from mpi4py import MPI

STEP_US = 10000
steps = int(sys.argv[1])
comm = MPI.COMM_WORLD
rank = comm.Get_rank()
comm.Barrier()
times = [MPI.Wtime()]
for i in range(1, steps + 1):
    time.sleep(STEP_US / 1e6 if rank == 1 else 0)
    comm.Barrier()
    times.append(MPI.Wtime())
    if i % 3 == 0:
        comm.Get_size()
if rank == 0:
    for i in range(steps):
        print(round(1e6 * (times[i + 1] - times[i])))
