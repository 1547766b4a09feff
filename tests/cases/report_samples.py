# SPDX-License-Identifier: BSD-3-Clause
"""
Samples in the report: the CPU time that they stand for, and the time without, of a program that times
itself. Its phases are long against a tick of the kernel.
"""

import os
import subprocess

from reported import Reported

of = "tools/report/topics"
RATE = 100


def stripped(run):
    """A function without a name is one row, and called by where it begins."""
    program = run.command(["{programs}/thread_phases"])[0]
    bare = os.path.join(run.scratch, "bare")
    subprocess.run(["strip", "-o", bare, program], check=True)
    table = subprocess.run(["nm", program], stdout=subprocess.PIPE, check=True, text=True).stdout
    begins = {words[2]: int(words[0], 16) for words in map(str.split, table.splitlines()) if len(words) == 3}
    got = Reported(run, "stripped", bare, ["--sample", str(RATE)])
    for name in ("first", "second"):
        got.near(f"stripped: {name}", got.total(f"bare+{begins[name]:#x}"), got.truth[name], 0.15, 0.04)
    rows = [name for name in got.rows if name.startswith("bare+")]
    run.expect(len(rows) <= 4, f"stripped: functions of the program: {rows}")


def main(run):
    got = Reported(run, "phases", "{programs}/thread_phases", ["--sample", str(RATE)])
    first, second, wall = (got.truth[name] for name in ("first", "second", "wall"))
    # A tick at each end of each of ten phases.
    got.near("first", got.total("first"), first, 0.15, 0.04)
    got.near("second", got.total("second"), second, 0.15, 0.04)
    got.near("CPU time", got.total("first") + got.total("second"), first + second, 0.05, 0.03)
    got.near("time without", got.self_of("(blocked)"), wall - first - second, 0.1, 0.1)
    run.expect("blocked" in got.json["portions"], f"a portion of its own: {got.json['portions']}")
    samples = sum(row["samples"] or 0 for row in got.rows.values())
    got.near("samples", samples / RATE, first + second, 0.05, 0.03)
    for name in ("first", "second", "main"):
        row = got.rows[name]
        run.equal([row[key] for key in ("calls", "min", "avg", "max")], [None] * 4,
                  f"calls of {name}, which was only sampled")
    for row in got.rows.values():
        if row["samples"] and row["paradigm"] == "SAMPLING":
            run.equal(round(row["self"] * RATE), row["samples"], f"samples x period of {row}")
            got.near("error", row["error"], 1.96 * row["samples"] ** 0.5 / RATE, 0.01)
    few = Reported(run, "few", "{programs}/thread_phases", ["--sample", "10"])
    run.equal([f["text"] for f in few.json["findings"] if "sample" in f["text"]], [],
              "findings that rest on some ten samples")
    stripped(run)
