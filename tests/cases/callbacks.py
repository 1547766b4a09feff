# SPDX-License-Identifier: BSD-3-Clause
"""What MPI and the program's callbacks call inside of a call is part of it: no regions, no messages."""

of = "wrappers/mpi"
command = ["{programs}/callbacks{mpi}"]
ranks = 3
mpi = ["mpich", "openmpi", "abi"]
forms = ["outer", "preload"]


def check(trace, run):
    kinds, regions = trace.kinds(), trace.regions()
    for name in ("MPI_Type_size", "MPI_Barrier", "MPI_Sendrecv", "MPI_Sendrecv_replace",
                 "MPI_Error_string"):
        run.equal(regions.get(name, 0), 0, name + ", which only callbacks call")
    begun = 0 if run.mpi == "abi" else 2 * ranks
    for kind, n in {"MpiSend": begun, "MpiRecv": 0, "MpiIsend": 0, "MpiIrecvRequest": begun,
                    "MpiIrecv": begun}.items():
        run.equal(kinds.get(kind, 0), n, kind)
    run.equal(regions["MPI_Comm_rank"], ranks, "MPI_Comm_rank")
    run.equal(regions["MPI_Allreduce"], ranks, "MPI_Allreduce")
    if run.mpi != "abi":
        run.equal(regions["MPI_Wait"], 2 * ranks, "MPI_Wait: one more is part of MPI_Comm_dup")
        run.equal(regions["MPI_Comm_dup"], 4 * ranks, "MPI_Comm_dup")
        run.equal(kinds["CommCreate"], 6 * ranks, "CommCreate")
        run.equal(kinds["CommDestroy"], 6 * ranks, "CommDestroy")
