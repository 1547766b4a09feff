# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_FLUSH=ring where more than calls is open at its beginning: messages and collectives of ranks, teams
and forks of OpenMP. Balanced at both ends, by the judge and by `spur check --strict`.
"""

of = "agent/segment finish/events"
RING = {"SPUR_FLUSH": "ring", "SPUR_BUFFER": "512K"}


def record(run, name, words, rounds, status=0, is_judged=True, env=None):
    """The archive is looked at closely only if that is wanted, which takes its time."""
    result, archive = run.record(name, words, dict(RING, **(env or {})), status=status)
    if not is_judged:
        run.spur_check(archive, status != 0)
        run.expect("older events dropped" in result.spur[-1], f"{name}: {result.spur}")
        return None
    trace = run.judge(archive)
    dropped = trace.archive.said("SPUR::DROPPED_EVENTS", "Location")
    run.equal(len(dropped), 2, f"{name}: locations that say how many events they dropped")
    kinds = trace.kinds()
    entered = sum(kinds.get(kind, 0) for kind in ("Enter", "CallingContextEnter"))
    run.expect(entered > rounds / 4, f"{name}: the newest events")
    return trace


def main(run):
    words = ["mpirun.mpich", "-n", "2"] + run.command(["{programs}/left.mpich", "7000"])
    record(run, "killed", words, 7000, status=9, is_judged=False)
    kinds = record(run, "ranks", words + ["end"], 7000).kinds()
    for kind in ("MpiSend", "MpiRecv", "MpiCollectiveEnd"):
        run.expect(kinds[kind] > 1000, f"{kind}: {kinds[kind]}")
    record(run, "clang", run.command(["{programs}/omp_rounds.clang", "6000"]), 6000, is_judged=False)
    kinds = record(run, "gcc", run.command(["{programs}/omp_rounds.gcc", "6000"]), 6000).kinds()
    # Regions that are open at the beginning are entered in their calling contexts.
    stacks = run.command(["{programs}/omp_rounds.gcc", "6000"])
    record(run, "stacks", stacks, 6000, env={"SPUR_UNWIND": "4"})
    for kind in ("ThreadFork", "ThreadTeamBegin"):
        run.expect(kinds[kind] > 500, f"{kind}: {kinds[kind]}")
