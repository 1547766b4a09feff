# SPDX-License-Identifier: BSD-3-Clause
"""
What is known of processes that become another program, fork, are short, or are killed; and of teams
of more threads than processors.
"""

import os

of = "agent/process tools/report/topics"
KIB, MEGABYTES, SLEEPS = 1024, 160, 200


def placed(run, label, command, env=None, status=0):
    _, place = run.record(label, command, env, status=status)
    run.spur_check(place, status != 0)
    got = run.report(place)
    for row in got["sections"]["placement"]:
        print(f"  {label}: {row}")
    return got, got["sections"]["placement"]


def main(run):
    program = run.command(["{programs}/thread_placed"])[0]
    allowed = sorted(os.sched_getaffinity(0))

    _, rows = placed(run, "exec", [program, "large"])
    run.equal(len(rows), 3, "the program, its child, and what it becomes")
    large = [row for row in rows if (row["peak_bytes"] or 0) >= MEGABYTES << 20]
    run.equal(len(large), 1, f"processes of much memory: {rows}")
    small = next(row for row in rows if row["peak_bytes"] and row not in large and
                 row["migrations"] is not None)
    run.expect(small["peak_bytes"] < 40 << 20, f"memory of the program behind exec(): {small}")
    child = max(rows, key=lambda row: row["voluntary"])
    run.expect(child is not large[0] and SLEEPS <= child["voluntary"] < 2 * SLEEPS, f"sleeps: {child}")
    run.expect(child["minor_faults"] < large[0]["minor_faults"], "its own page faults")

    _, rows = placed(run, "killed", [program, "killed"], {"SPUR_PTHREAD": "all"}, status=-9)
    run.equal(len(rows), 1, "the killed process")
    spent = rows[0]["user"] + rows[0]["system"]
    run.expect(rows[0]["voluntary"] >= SLEEPS // 2 and spent > 0, f"its last flush: {rows[0]}")
    run.equal(rows[0]["n_cores"], len(allowed), "its processors")

    _, rows = placed(run, "short", ["taskset", "-c", str(allowed[-1]), program, "small"])
    run.equal([row["cores"] for row in rows if row["n_cores"] == 1], [str(allowed[-1])], f"taskset: {rows}")

    teams = run.command(["{programs}/omp_rounds.gcc", "3000"])
    got, rows = placed(run, "teams", ["taskset", "-c", str(allowed[0]), *teams])
    few = [one for one in got["findings"] if one["kind"] == "few_cores"]
    run.expect(len(few) == 1 and "teams of 2 threads on 1 processor:" in few[0]["text"], got["findings"])
    if len(allowed) > 1:
        got, rows = placed(run, "room", teams)
        run.equal([one for one in got["findings"] if one["kind"] == "few_cores"], [], "enough processors")
