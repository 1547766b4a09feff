# SPDX-License-Identifier: BSD-3-Clause
"""
MPI_THREAD_MULTIPLE: four threads a rank, a request completed by another thread. Both libraries give
out one handle for all sends that are complete at once: each thread completes its own.
"""

of = "wrappers/mpi"
command = ["{programs}/threads_multiple{mpi}"]
ranks = 4
mpi = ["mpich", "openmpi", "abi"]


def check_own_sends(trace, run, stream):
    """What the location completes is what it has started, in that order or another."""
    started, completed = [], []
    for name, _, values, _ in trace.events(stream.location):
        if name == "MpiIsend":
            started.append(values[4])
        elif name == "MpiIsendComplete":
            completed.append(values[0])
    run.equal(sorted(completed), sorted(started), f"sends completed by {stream.label}")


def check(trace, run):
    kinds = trace.kinds()
    run.equal(len(trace.streams), 5 * ranks, "locations")
    run.equal(kinds["MpiIsend"], 4 * 200 * ranks, "MpiIsend")
    run.equal(kinds["MpiIrecv"], (4 * 200 + 1) * ranks, "MpiIrecv")
    run.equal(trace.regions()["MPI_Allreduce"], 4 * 20 * ranks, "MPI_Allreduce")
    for kind in ("ThreadCreate", "ThreadBegin", "ThreadEnd", "ThreadWait"):
        run.equal(kinds[kind], 4 * ranks, kind)
    for stream in trace.streams:
        check_own_sends(trace, run, stream)
