# SPDX-License-Identifier: BSD-3-Clause
"""Wildcards, probes, MPI_PROC_NULL and cancelled requests."""

of = "wrappers/mpi"
command = ["{programs}/any_source{mpi}"]
ranks = 4
mpi = ["mpich", "openmpi", "abi"]


def check(trace, run):
    kinds, senders = trace.kinds(), ranks - 1
    run.equal(kinds["MpiSend"], 5 * senders, "MpiSend")
    run.equal(kinds["MpiRecv"], 3 * senders, "MpiRecv")
    run.equal(kinds["MpiIrecv"], 2 * senders, "MpiIrecv")
    run.equal(kinds["MpiRequestCancelled"], ranks, "MpiRequestCancelled")
    run.equal(kinds["MpiIrecvRequest"], 2 * senders + ranks, "MpiIrecvRequest")
    run.equal(kinds.get("MpiIsend", 0), 0, "MpiIsend to MPI_PROC_NULL")
