# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_FLUSH=ring where more than calls is open at its beginning: messages and collectives of ranks, teams
and forks of OpenMP. Balanced at both ends, by the judge and by `spur check --strict`.
"""

import os

RING = {"SPUR_FLUSH": "ring", "SPUR_BUFFER": "512K"}


def record(run, name, words, rounds, streams, unfinished=False):
    archive = os.path.join(run.scratch, name)
    result = run.execute([run.spur, "-o", archive] + words, "run", RING)
    run.equal(result.status != 0, unfinished, f"{name}: whether it was killed")
    trace = run.judge(archive, unfinished=unfinished)
    dropped = [values for kind, values in trace.archive.definitions if kind == "LocationProperty"
               and trace.archive.string(values["name"]) == "SPUR::DROPPED_EVENTS"]
    run.equal(len(dropped), streams, f"{name}: locations that say how many events they dropped")
    run.expect(trace.kinds()["Enter"] > rounds / 4, f"{name}: the newest events")
    return trace


def main(run):
    for end in ("end", None):
        words = ["mpirun.mpich", "-n", "2"] + run.command(["{programs}/left.mpich", "7000"])
        trace = record(run, f"ranks.{end}", words + ([end] if end else []), 7000, 2, end is None)
        kinds = trace.kinds()
        for kind in ("MpiSend", "MpiRecv", "MpiCollectiveEnd"):
            run.expect(kinds[kind] > 1000, f"{kind}: {kinds[kind]}")
    for compiler in ("gcc", "clang"):
        words = run.command(["{programs}/omp_rounds." + compiler, "6000"])
        kinds = record(run, compiler, words, 6000, 2).kinds()
        for kind in ("ThreadFork", "ThreadTeamBegin"):
            run.expect(kinds[kind] > 500, f"{kind}: {kinds[kind]} ({compiler})")
