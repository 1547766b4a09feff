# SPDX-License-Identifier: BSD-3-Clause
"""The same as relay.c."""

import time

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
value = bytearray(4)
for _ in range(2):
    comm.Barrier()
    time.sleep(0.5 if rank == 1 else 0.02)
    if rank != 1:
        comm.Recv(value, (rank + size - 1) % size, 0)
    if rank != 0:
        comm.Send(value, (rank + 1) % size, 0)
