# SPDX-License-Identifier: BSD-3-Clause
"""
What benchmarks of metadata do, as mdtest does it: each rank makes, asks for, reads and removes files in many
directories, and fails at some. Each call is in the archive once, also in spur report, with the files that
were made, opened, closed and deleted, and their bytes.
"""

import collections
import os

import io_events

of = "wrappers/io"
command = ["{programs}/file_storm{mpi}"]
ranks = 4
env = {"SPUR_IO": "posix,meta"}
FILES = 4 * 7 * 5  # ranks, directories of a tree, files in each


def told(text):
    rows = [line.split() for line in text.splitlines()]
    calls = {name: int(rest[0]) for name, *rest in rows if name != "bytes"}
    return calls, tuple(int(word) for word in rows[-1][1:])


def reported(run, names):
    """{function: its calls} as spur report counts them."""
    archive, found = os.path.join(run.scratch, "outer.archive"), collections.Counter()
    sections = run.report(archive, "--top", "1000", "--by", "region")["sections"]
    for row in sections["regions"]:
        if row["region"] in names:
            found[row["region"]] += row["calls"]
    return dict(found)


def check(trace, run):
    calls, (read, written) = told(run.plain.stdout)
    regions = trace.regions()
    run.equal({name: regions.get(name, 0) for name in calls}, calls, "calls")
    run.equal(reported(run, calls), calls, "calls by spur report")
    sums = io_events.sums(trace)
    run.equal(tuple(map(sum, zip(*sums.values()))), (read, written), "bytes")
    kinds = trace.kinds()
    run.equal([kinds.get(name) for name in ("IoCreateHandle", "IoDestroyHandle", "IoDeleteFile")],
              [2 * FILES, 2 * FILES, FILES], "files made and read, closed, and deleted")
