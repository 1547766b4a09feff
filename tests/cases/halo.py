# SPDX-License-Identifier: BSD-3-Clause
"""Non-blocking point to point, completed in seven ways."""

of = "wrappers/mpi"
command = ["{programs}/halo{mpi}"]
ranks = 4
mpi = ["mpich", "openmpi", "abi"]


def check(trace, run):
    kinds = trace.kinds()
    for kind in ("MpiIsend", "MpiIsendComplete", "MpiIrecvRequest", "MpiIrecv"):
        run.equal(kinds[kind], 4 * 14 * ranks, kind)
    for name in ("MPI_Waitall", "MPI_Waitany", "MPI_Test", "MPI_Waitsome", "MPI_Testany",
                 "MPI_Testall", "MPI_Testsome"):
        run.expect(trace.regions().get(name, 0) >= 2 * ranks, name + " to be recorded")
