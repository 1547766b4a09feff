# SPDX-License-Identifier: BSD-3-Clause
"""The same as planted.c, but for locks: those of Python have no owner."""

import os
import signal
import sys
import time

from mpi4py import MPI

ROUNDS, SLOW_S, USUAL_S, BUSY_S = 2, 0.4, 0.02, 0.2
comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
value, total = bytearray(4), bytearray(4)


def late():
    for _ in range(ROUNDS):
        comm.Barrier()  # late: cause
        time.sleep(SLOW_S if rank == 1 else USUAL_S)
        if rank != 1:
            comm.Recv(value, (rank + size - 1) % size, 0)  # late: waits
        if rank != 0:
            comm.Send(value, (rank + 1) % size, 0)


def imbalance():
    for _ in range(ROUNDS):
        comm.Barrier()  # imbalance: cause
        time.sleep(SLOW_S if rank == 1 else USUAL_S)
        comm.Allreduce(value, total, MPI.BOR)  # imbalance: waits


def pinned():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    while time.process_time() < BUSY_S:
        pass


def ranks():
    comm.Barrier()
    signal.alarm(3)
    comm.Recv(value, (rank + 1) % size, 0)  # ranks: waits


{"late": late, "imbalance": imbalance, "pinned": pinned, "ranks": ranks}[sys.argv[1]]()
