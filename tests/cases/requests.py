# SPDX-License-Identifier: BSD-3-Clause
"""The corners of requests: see the program. What all parts have to record, per rank."""

of = "wrappers/mpi"
command = ["{programs}/requests{mpi}"]
ranks = 3
mpi = ["mpich", "openmpi", "abi"]

MANY = 2000
# Started sends and receives of the parts: nothing_much, some, persistent, generalised, threads,
# cancelled, many.
ISENDS = 1 + 8 + 2 + 0 + 0 + 0 + 3 * MANY
IRECVS = 1 + 8 + 1 + 1 + MANY + 2 + 3 * MANY
SENDS = 1 + MANY + 1
RECVS = 1


def check(trace, run):
    kinds, regions = trace.kinds(), trace.regions()
    for kind, count in (("MpiIsend", ISENDS), ("MpiIsendComplete", ISENDS),
                        ("MpiIrecvRequest", IRECVS), ("MpiIrecv", IRECVS - 1),
                        ("MpiSend", SENDS), ("MpiRecv", RECVS), ("MpiRequestCancelled", 1)):
        run.equal(kinds.get(kind, 0), count * ranks, kind)
    for name, count in (("MPI_Request_free", 2), ("MPI_Cancel", 2)):
        run.equal(regions.get(name), count * ranks, name)
