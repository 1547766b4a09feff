# SPDX-License-Identifier: BSD-3-Clause
"""One-sided operations that one thread starts and another one completes: each once, by its id."""

of = "wrappers/mpi"
command = ["{programs}/rma_threads{mpi}"]
ranks = 3
STARTS = ("RmaPut", "RmaGet", "RmaAtomic")
ENDS = ("RmaOpCompleteBlocking", "RmaOpCompleteNonBlocking", "RmaOpCompleteRemote")


def check(trace, run):
    for process in trace.processes():
        started, ended, crossed = {}, {}, 0
        for stream in trace.streams:
            for name, _, values, _ in trace.events(stream.location):
                if stream.process == process and name in STARTS:
                    started[values[-1]] = stream.location
                elif stream.process == process and name in ENDS:
                    ended.setdefault(values[1], []).append((name, stream.location))
        run.equal(sorted(ended), sorted(started), "operations that are complete")
        for number, ends in ended.items():
            names = sorted(name for name, _ in ends)
            run.expect(names in (["RmaOpCompleteBlocking"], ["RmaOpCompleteNonBlocking"],
                                 ["RmaOpCompleteNonBlocking", "RmaOpCompleteRemote"]), names)
            crossed += any(location != started[number] for _, location in ends)
        run.expect(crossed >= 3 * 3 * 5, f"{crossed} are completed by another thread")
