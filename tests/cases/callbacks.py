# SPDX-License-Identifier: BSD-3-Clause
"""What MPI and the program's callbacks call inside of a call is part of it: no regions, no messages."""

command = ["{programs}/callbacks{mpi}"]
ranks = 3
mpi = ["mpich", "openmpi", "abi"]
forms = ["outer", "preload"]


def check(trace, run):
    kinds, regions = trace.kinds(), trace.regions()
    for name in ("MPI_Type_size", "MPI_Barrier", "MPI_Sendrecv", "MPI_Sendrecv_replace",
                 "MPI_Error_string"):
        run.equal(regions.get(name, 0), 0, name + ", which only callbacks call")
    for kind in ("MpiSend", "MpiRecv", "MpiIsend", "MpiIrecv"):
        run.equal(kinds.get(kind, 0), 0, kind)
    run.equal(regions["MPI_Comm_rank"], ranks, "MPI_Comm_rank")
    run.equal(regions["MPI_Allreduce"], ranks, "MPI_Allreduce")
    if run.mpi != "abi":
        run.equal(regions["MPI_Comm_dup"], 3 * ranks, "MPI_Comm_dup")
        run.equal(kinds["CommCreate"], 5 * ranks, "CommCreate")
        run.equal(kinds["CommDestroy"], 5 * ranks, "CommDestroy")
