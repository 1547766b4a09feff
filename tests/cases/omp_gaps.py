# SPDX-License-Identifier: BSD-3-Clause
"""
Workers of a team have nothing open after the join of their region, whatever the runtime does with them until
they get new work: with both runtimes, code of gcc on libomp, nested teams, leagues, with workers that spin,
sleep at once, or get no new work in the next region. All commands tell the same, query's waits in barriers as
report's.
"""

import bisect

from agree import agree

of = "wrappers/openmp"
RUNS = {"gcc": ("omp_gaps.gcc", ""), "clang": ("omp_gaps.clang", ""),
        "both": ("omp_gaps.gcc", "libomp.so.5")}
MODES = ("plain", "nested", "teams")
BLOCKTIMES = ("0", "200", "infinite")  # milliseconds that idle workers of libomp spin


def parts(trace):
    """({team: (fork, join) of each region}, [(team, begin, end) of each part of a worker])."""
    regions, workers = {}, []
    for stream in trace.streams:
        forks, open_parts, is_primary = [], [], False
        for name, time, values, _ in trace.events(stream.location):
            if name == "ThreadFork":
                forks.append([time, None])
            elif name == "ThreadTeamBegin":
                open_parts.append((values[0], time, is_primary))
                if is_primary:
                    forks[-1][1] = values[0]
            elif name == "ThreadTeamEnd":
                team, begin, was_primary = open_parts.pop()
                if not was_primary:
                    workers.append((team, begin, time))
            elif name == "ThreadJoin":
                fork, team = forks.pop()
                regions.setdefault(team, []).append((fork, time))
            if name in ("ThreadFork", "ThreadTeamBegin"):
                is_primary = name == "ThreadFork"
    return {team: sorted(spans) for team, spans in regions.items()}, workers


def main(run):
    for label, (program, preload) in RUNS.items():
        for mode in MODES:
            for blocktime in BLOCKTIMES if (label, mode) == ("clang", "plain") else BLOCKTIMES[:1]:
                one_run(run, f"{label}.{mode}.{blocktime}", program, preload, mode, blocktime)


def one_run(run, label, program, preload, mode, blocktime):
    words = ["env", f"LD_PRELOAD={run.library}:{preload}", *run.command([f"{{programs}}/{program}", mode])]
    _, archive = run.record(label, words, {"KMP_BLOCKTIME": blocktime})
    regions, workers = parts(run.judge(archive))
    run.expect(workers or (label, mode) == ("gcc.teams.0", "teams"), f"{label}: parts of workers")
    late = []
    for team, begin, end in workers:
        spans = regions.get(team, [])
        at = bisect.bisect(spans, (begin, float("inf"))) - 1
        if at < 0 or end > spans[at][1]:
            late.append((team, begin, end, spans[at] if at >= 0 else None))
    run.equal(late, [], f"{label}: parts of workers (team, begin, end) that end after the join")
    if mode == "plain":
        busy_and_waits(run, label, archive)
    agree(run, archive)


def busy_and_waits(run, label, archive):
    """Together they are what the threads have from fork to join: nobody waits in the gaps."""
    rows = run.report(archive)["sections"]["parallel"]
    waited, = run.query(archive, "SELECT sum(wait_s) AS s, count(*) AS n FROM barrier_waits")
    room, busy = (sum(row[key] for row in rows) for key in ("room", "busy"))
    run.expect(waited["n"] > 0 and waited["s"] <= room - busy + 1e-6,
               f"{label}: at most {room - busy} s of waiting: {waited}")
