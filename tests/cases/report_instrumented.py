# SPDX-License-Identifier: BSD-3-Clause
"""
Functions that are entered and left (-finstrument-functions) and seen on stacks as well: each is in the
report once, with its calls, and its share of the CPU time.
"""

from reported import Reported

of = "tools/report/topics"
PROGRAM = "{programs}/user_instrumented"
CALLS = {"main": 1, "outer": 8, "inner": 8}


def once(run, label, options):
    got = Reported(run, label, PROGRAM, options)
    sections = got.json["sections"]
    for name, calls in CALLS.items():
        rows = [row["calls"] for row in sections["regions"] if row["region"] == name]
        run.equal(rows, [calls], f"{label}: rows of {name}, by calls\n{got.text}")
    paths = [row["callpath"] for row in sections["callpaths"]]
    for name in CALLS:
        twice = [path for path in paths if path.split(" > ").count(name) > 1]
        run.equal(twice, [], f"{label}: {name} in itself")
    return got


def main(run):
    once(run, "stacked", ["--unwind", "10"])
    got = once(run, "sampled", ["--sample", "100"])
    samples = {row["callpath"].split(" > ")[-1] + str(row["depth"]): row["samples"] or 0
               for row in got.json["sections"]["callpaths"]}
    print(f"    {samples}")
    time = got.truth["inner"] + got.truth["outer"]
    got.near("samples", sum(row["samples"] or 0 for row in got.rows.values()) / 100, time, 0.1, 0.05)
