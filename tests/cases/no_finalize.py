# SPDX-License-Identifier: BSD-3-Clause
"""
MPI_Finalize is never called: nobody can unify over MPI, and all is there all the same. Both
libraries take the first rank that leaves for a crash and kill the others, so how far these get on
their way out is chance: what they did before must be in the archive anyway.
"""

of = "wrappers/mpi finish/unify"
command = ["{programs}/no_finalize{mpi}"]
ranks = 4


def main(run):
    plain = run.untraced()
    result, archive = run.traced("outer")
    if run.mpi == "openmpi":
        run.equal(result.status, plain.status, "exit status")
    trace = run.judge(archive)
    run.equal(trace.processes(), list(range(ranks)), "processes")
    run.equal(trace.kinds()["MpiSend"], 2 * ranks, "MpiSend")
    run.equal(trace.kinds()["MpiRecv"], 2 * ranks, "MpiRecv")
    run.equal(trace.regions()["MPI_Barrier"], ranks, "MPI_Barrier")
