# SPDX-License-Identifier: BSD-3-Clause
"""MPI_Abort: the other ranks are killed in the middle of a call, and their records are kept."""

of = "wrappers/mpi finish/events"
command = ["{programs}/abort{mpi}"]
ranks = 4
unfinished = True


def stderr(_text):
    """How far the libraries get with their messages before they are killed is chance."""
    return ""


def check(trace, run):
    run.equal(trace.processes(), list(range(ranks)), "processes")
    for rank in range(ranks):
        stream = trace.streams[rank]
        run.equal(stream.kinds.get("MpiSend"), 1, f"MpiSend of rank {rank}")
        run.equal(stream.kinds.get("MpiRecv"), 1, f"MpiRecv of rank {rank}")
    run.equal(trace.regions().get("MPI_Abort"), 1, "MPI_Abort")
