# SPDX-License-Identifier: BSD-3-Clause
"""
Memory that grows with each iteration: a program that leaves blocks of a size that is drawn in each of
its iterations, one that does so in the first half of them only, and one that leaves nothing.
"""

import os
import random
import re
import subprocess

of = "wrappers/memory tools/report/iterations"
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "memory")
ROUNDS = 120  # as in rounds.c


def record(run, program, mode, size):
    """The bytes that an iteration leaves, the row of the process, and the findings about growth."""
    traced, archive = run.record(mode, ["--memory", program, mode, str(size)])
    run.equal(traced.spur[:-1], [], mode)
    run.judge(archive)
    report = run.report(archive, "--by", "memory,iterations")
    loop = report["sections"]["iterations"][0]
    run.expect(ROUNDS - 2 <= loop["iterations"] <= ROUNDS, f"{mode}: the loop {loop}")
    row, = report["sections"]["memory"]
    found = [found["text"] for found in report["findings"] if found["kind"] == "memory_growth"]
    return int(traced.stdout), row, loop, found


def main(run):
    program = os.path.join(run.scratch, "rounds")
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", os.path.join(SOURCES, "rounds.c"), "-o", program],
                   check=True)
    size = random.randrange(128 << 10, 512 << 10)
    print(f"  {size} bytes", flush=True)
    left, row, loop, found = record(run, program, "leak", size)
    # The tenths of the run are not those of the iterations.
    run.expect(abs(row["each"] - left) <= left / 8, f"an iteration leaves {left}: {row}")
    run.expect(row["growth"] > left * ROUNDS / 4, f"growth: {row}")
    run.equal(len(found), 1, "findings")
    said = re.search(r"It grows by about ([0-9.]+) (KiB|MiB) with each of ([0-9]+) iterations "
                     r"\(each ends with (.*)\)\.$", found[0])
    run.expect(said, f"the finding: {found}")
    run.equal(int(said[3]), loop["iterations"], "iterations of the finding")
    scale = {"KiB": 1 << 10, "MiB": 1 << 20}[said[2]]
    run.expect(abs(float(said[1]) * scale - row["each"]) <= row["each"] / 1000, f"of {row}: {found}")
    for mode in ("cache", "none"):
        left, row, _, found = record(run, program, mode, size)
        run.equal((left > 0, row["each"], found), (mode == "cache", 0, []), f"{mode}: {row}")
