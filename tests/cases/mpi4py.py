# SPDX-License-Identifier: BSD-3-Clause
"""Python loads MPI late and out of the global scope."""

of = "wrappers/mpi"
SCRIPT = """
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
total = comm.allreduce(rank)
half = comm.Split(rank % 2, rank)
names = half.gather(f"rank {rank}", root=0)
request = comm.isend({"from": rank}, dest=(rank + 1) % size, tag=3)
got = comm.recv(source=(rank - 1) % size, tag=3)
request.wait()
assert got == {"from": (rank - 1) % size}
half.Free()
if rank == 0:
    print("total", total, "names", names)
"""

command = ["/usr/bin/python3", "-B", "script.py"]
ranks = 4
mpi = ["openmpi"]
forms = ["outer", "inner"]
files = {"script.py": SCRIPT}


def check(trace, run):
    regions = trace.regions()
    run.equal(trace.processes(), list(range(ranks)), "processes")
    run.expect(regions.get("MPI_Init_thread", 0) + regions.get("MPI_Init", 0) == ranks, "MPI_Init")
    run.expect(regions.get("MPI_Finalize") == ranks, "MPI_Finalize")
    run.expect(trace.kinds().get("MpiIsend", 0) >= ranks, "MpiIsend")
