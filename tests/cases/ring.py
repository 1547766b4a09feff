# SPDX-License-Identifier: BSD-3-Clause
"""Blocking point to point, by each way to start the agent."""

of = "wrappers/mpi"
command = ["{programs}/ring{mpi}"]
ranks = 4
mpi = ["mpich", "openmpi", "abi"]
forms = ["outer", "inner", "default", "preload"]


def check(trace, run):
    kinds, regions = trace.kinds(), trace.regions()
    run.equal(trace.processes(), list(range(ranks)), "processes")
    run.equal(kinds["MpiSend"], 15 * ranks, "MpiSend")
    run.equal(kinds["MpiRecv"], 13 * ranks, "MpiRecv")
    run.equal(kinds["MpiIrecvRequest"], 2 * ranks, "MpiIrecvRequest")
    run.equal(kinds["MpiIrecv"], 2 * ranks, "MpiIrecv")
    for name, count in (("MPI_Init", 1), ("MPI_Send", 10), ("MPI_Recv", 11), ("MPI_Sendrecv", 1),
                        ("MPI_Sendrecv_replace", 1), ("MPI_Bsend", 1), ("MPI_Rsend", 1),
                        ("MPI_Ssend", 1), ("MPI_Wait", 2), ("MPI_Finalize", 1)):
        run.equal(regions.get(name), count * ranks, name)
