# SPDX-License-Identifier: BSD-3-Clause
"""
Plug-ins of one process that each bring an MPI library of their own, out of sight of each other: each
call goes to the caller's library; the communication of the first one that is initialised is
recorded, and of the others the calls.
"""

of = "wrappers/mpi wrappers/mpi/library"
ranks = 2
mpi = ["mpich", "openmpi"]

ROUNDS = 3


def stdout(text):
    return sorted(text.splitlines())


def trace_of(run, launcher, libraries):
    """Run the host with plug-ins of these libraries, without and with the agent."""
    label = "-".join(libraries)
    words = launcher + [f"{run.programs}/plugins_host"]
    words += [f"{run.programs}/plugin.{library}.so" for library in libraries]
    traced, trace = run.standard(label, words)
    run.equal(traced.status, 0, f"exit status ({label})")
    return trace


def check(run, trace, processes, libraries):
    regions, kinds, n = trace.regions(), trace.kinds(), len(libraries)
    # The i-th plug-in talks when itself and every later one is started.
    talks = [ROUNDS * (n - i) * processes for i in range(n)]
    run.equal(regions["MPI_Init"], n * processes, "MPI_Init")
    run.equal(regions["MPI_Finalize"], n * processes, "MPI_Finalize")
    for name in ("MPI_Send", "MPI_Irecv", "MPI_Wait", "MPI_Allreduce"):
        run.equal(regions[name], sum(talks), name)
    for name in ("MpiSend", "MpiIrecvRequest", "MpiIrecv"):
        run.equal(kinds[name], talks[0], f"{name} of {libraries[0]}")
    # Of the first: Init, dup, the talks, free and Finalize.
    run.equal(kinds["MpiCollectiveEnd"], talks[0] + 4 * processes, "MpiCollectiveEnd")


def main(run):
    for libraries in ([run.mpi, "abi"], ["abi", run.mpi]):
        trace = trace_of(run, run.launcher(), libraries)
        check(run, trace, ranks, libraries)
    libraries = ["openmpi", "mpich"] if run.mpi == "openmpi" else ["mpich", "openmpi", "abi"]
    check(run, trace_of(run, [], libraries), 1, libraries)
