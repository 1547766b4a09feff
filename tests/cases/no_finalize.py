# SPDX-License-Identifier: BSD-3-Clause
"""MPI_Finalize is never called: nobody can unify over MPI, and all is there all the same."""

command = ["{programs}/no_finalize{mpi}"]
ranks = 4
forms = ["outer", "preload"]


def stderr(_text):
    """Which rank Open MPI complains about first is chance."""
    return ""


def check(trace, run):
    run.equal(trace.processes(), list(range(ranks)), "processes")
    run.equal(trace.kinds()["MpiSend"], 2 * ranks, "MpiSend")
    run.equal(trace.kinds()["MpiRecv"], 2 * ranks, "MpiRecv")
