# SPDX-License-Identifier: BSD-3-Clause
"""MPI_THREAD_MULTIPLE: four threads a rank, a request completed by another thread."""

command = ["{programs}/threads_multiple{mpi}"]
ranks = 4
mpi = ["mpich", "openmpi", "abi"]


def check(trace, run):
    kinds = trace.kinds()
    run.equal(len(trace.streams), 5 * ranks, "locations")
    run.equal(kinds["MpiIsend"], 4 * 20 * ranks, "MpiIsend")
    run.equal(kinds["MpiIrecv"], (4 * 20 + 1) * ranks, "MpiIrecv")
    run.equal(trace.regions()["MPI_Allreduce"], 4 * 20 * ranks, "MPI_Allreduce")
    for kind in ("ThreadCreate", "ThreadBegin", "ThreadEnd", "ThreadWait"):
        run.equal(kinds[kind], 4 * ranks, kind)
