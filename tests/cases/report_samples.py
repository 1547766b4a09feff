# SPDX-License-Identifier: BSD-3-Clause
"""
Samples in the report: the CPU time that they stand for, and the time without, of a program that times
itself. Its phases are long against a tick of the kernel.
"""

from reported import Reported

RATE = 100


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
