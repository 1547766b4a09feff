# SPDX-License-Identifier: BSD-3-Clause
"""Persistent requests: every start has an id of its own."""

of = "wrappers/mpi"
command = ["{programs}/persistent{mpi}"]
ranks = 4
mpi = ["mpich", "openmpi", "abi"]


def check(trace, run):
    kinds = trace.kinds()
    run.equal(kinds["MpiIsend"], 31 * ranks, "MpiIsend")
    run.equal(kinds["MpiIsendComplete"], 31 * ranks, "MpiIsendComplete")
    run.equal(kinds["MpiIrecvRequest"], 30 * ranks, "MpiIrecvRequest")
    run.equal(kinds["MpiIrecv"], 30 * ranks, "MpiIrecv")
    run.equal(kinds["MpiRecv"], ranks, "MpiRecv")
