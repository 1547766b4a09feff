# SPDX-License-Identifier: BSD-3-Clause
"""Makes calls of MPI by mpi4py, and says where."""

import os
import sys
import threading

SHORT = __file__.rsplit("/", 1)[-1]
os.write(1, f"MPI_Init_thread {SHORT}:{sys._getframe().f_lineno + 1}\n".encode())
from mpi4py import MPI  # noqa: E402


def said(call):
    """The line of the caller is that of the next call."""
    os.write(1, f"{call} {SHORT}:{sys._getframe(1).f_lineno}\n".encode())


def exchange(value, to):
    request = said("MPI_Irecv") or comm.Irecv(value[:4], rank ^ 1, to)
    said("MPI_Send") or comm.Send(value[4:], rank ^ 1, to)
    said("MPI_Wait") or request.Wait()


def steps(n):
    for i in range(n):
        said("MPI_Barrier") or comm.Barrier()
        yield i


comm = MPI.COMM_WORLD
rank = said("MPI_Comm_rank") or comm.Get_rank()
for step in steps(3):
    exchange(bytearray(8), step)
threads = [threading.Thread(target=exchange, args=(bytearray(8), 10 + i)) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
said("MPI_Finalize") or MPI.Finalize()
