# SPDX-License-Identifier: BSD-3-Clause
"""
Deadlocks of two locks of OpenMP, and of two critical sections, with both runtimes: the first finding names
both threads, the locks and the lines.
"""

import os
import re

of = "tools/report/topics tools/session"
COMPILERS, MODES = ("gcc", "clang"), ("lock", "nest", "critical")
THREADS = ("Master thread", "OMP thread 1")


def places(run, mode):
    """The lines that say they are of the mode."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "omp_stands.c")
    with open(source, encoding="utf-8") as file:
        return [f"omp_stands.c:{number}" for number, line in enumerate(file, 1) if f"/* {mode} */" in line]


def stands(run, compiler, mode):
    label = f"{mode}.{compiler}"
    words = ["--sites", *run.command([f"{{programs}}/omp_stands.{compiler}", mode])]
    _, archive = run.record(label, words, status=None)
    run.spur_check(archive, True)
    got = run.report(archive)
    rows = {row["thread"]: row for row in got["sections"]["stands"]}
    run.equal(sorted(rows), sorted(THREADS), f"{label}: who stands")
    names = []
    for one, other in zip(THREADS, reversed(THREADS)):
        found = re.fullmatch(r"lock (\S+), held by (.*)", rows[one]["waits_for"] or "")
        run.expect(found and found[2] == other, f"{label}: what {one} waits for: {rows[one]}")
        run.equal(rows[one]["circle"], 1, f"{label}: the circle of {one}")
        names.append(found[1])
    run.equal(len(set(names)), 2, f"{label}: two locks")
    first = got["findings"][0]
    run.equal((first["kind"], len(first["locations"])), ("deadlock", 2), f"{label}: the first: {first}")
    lines = sorted(set(re.findall(r"omp_stands\.c:\d+", first["text"])))
    run.equal(lines, places(run, mode), f"{label}: its lines")


def main(run):
    for compiler in COMPILERS:
        for mode in MODES:
            stands(run, compiler, mode)
