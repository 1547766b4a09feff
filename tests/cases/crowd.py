# SPDX-License-Identifier: BSD-3-Clause
"""
24 ranks on two processors. All of them unify what they have in common, and what only half of them
have, over the depth of the tree. many_ranks asks the same of 64 ranks, which it runs with the agent alone.
"""

of = "wrappers/mpi finish/unify"
command = ["{programs}/crowd{mpi}"]
ranks = 24


def check(trace, run, ranks=ranks):
    run.equal(trace.processes(), list(range(ranks)), "processes")
    run.equal(trace.kinds()["MpiSend"], ranks, "MpiSend")
    run.equal(trace.kinds()["MpiRecv"], ranks, "MpiRecv")
    names = [trace.archive.string(values["name"]) for name, values in trace.archive.definitions
             if name == "Comm"]
    for name in ("MPI_COMM_WORLD", "half 0", "half 1"):
        run.equal(names.count(name), 1, f"communicators called {name}")
