# SPDX-License-Identifier: BSD-3-Clause
"""One-sided communication: windows are one definition each, every operation completes once."""

of = "wrappers/mpi"
command = ["{programs}/rma{mpi}"]
ranks = 3
# The osc component "rdma" of Open MPI 4.1 crashes in MPI_Compare_and_swap without any tracer. Open MPI 5
# has no other one for these windows, and refuses the name of a component that is gone: so rdma comes last.
env = {"OMPI_MCA_osc": "^ucx", "OMPI_MCA_osc_rdma_priority": "1"}

# Of each rank, as the program's text says.
COUNTS = {
    "RmaWinCreate": 6, "RmaWinDestroy": 6, "RmaCollectiveBegin": 15, "RmaCollectiveEnd": 15,
    "RmaPut": 3, "RmaGet": 4, "RmaAtomic": 4, "RmaOpCompleteBlocking": 6,
    "RmaOpCompleteNonBlocking": 5, "RmaOpCompleteRemote": 3, "RmaRequestLock": 4,
    "RmaAcquireLock": 4, "RmaReleaseLock": 4, "RmaGroupSync": 4, "RmaSync": 1,
}
PUTS = [400, 8, 4]
GETS = [40, 8, 8, 8]
ATOMICS = [(0, 8, 0), (7, 8, 8), (3, 16, 8), (7, 8, 8)]  # type, sent, received


def check(trace, run):
    wins = [values for name, values in trace.archive.definitions if name == "RmaWin"]
    run.equal(len(wins), 6, "windows")
    names = [trace.archive.string(values["name"]) for values in wins]
    run.equal(names.count("fenced"), 1, f"windows called fenced of {names}")
    for rank in range(ranks):
        events = [(name, values) for name, _, values, _ in trace.events(rank << 32)
                  if name.startswith("Rma")]
        for name, count in COUNTS.items():
            run.equal(sum(name == n for n, _ in events), count, f"{name} of rank {rank}")
        of = {kind: [values for name, values in events if name == kind] for kind in COUNTS}
        run.equal([values[2] for values in of["RmaPut"]], PUTS, "bytes of puts")
        run.equal([values[2] for values in of["RmaGet"]], GETS, "bytes of gets")
        run.equal([tuple(values[2:5]) for values in of["RmaAtomic"]], ATOMICS, "atomic operations")
        right = (rank + 1) % ranks
        run.equal({values[1] for values in of["RmaPut"]}, {right}, "targets of puts")
        run.equal([values[1] for values in of["RmaGet"]], [right, 0, right, right],
                  "targets of gets")
        started = sorted((values[0], values[-1]) for kind in ("RmaPut", "RmaGet", "RmaAtomic")
                         for values in of[kind])
        completed = sorted(tuple(values) for kind in ("RmaOpCompleteBlocking",
                                                      "RmaOpCompleteNonBlocking")
                           for values in of[kind])
        run.equal(completed, started, f"operations that complete on rank {rank}")
        run.equal({values[0] for values in of["RmaWinCreate"]}, set(range(6)),
                  f"windows that rank {rank} is in")
