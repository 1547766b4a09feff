# SPDX-License-Identifier: BSD-3-Clause
"""The path by which a cause of waiting is too much, in a run with a known one; for report_causes.py."""

import json
import os
import subprocess

from report_archives import FUNCTION, MPI, NONE, USER, Texts, head, region, visit, write_archive


def named(report, folder):
    """All ranks relax in their solver, one of them in preparing as well: the finding names that path."""
    names = ("main", "solve", "extra_io_prep", "relax", "MPI_Barrier")
    text, events = Texts(), {}
    for rank in range(3):
        inside, now = [], 0
        for _ in range(10):
            inside += visit(now, now + 10, 1, *visit(now + 1, now + 9, 3))
            if rank == 1:
                inside += visit(now + 10, now + 50, 2, *visit(now + 10, now + 49, 3))
            met = now + (50 if rank == 1 else 10)
            inside += visit(met, now + 51, 4, (met, "MpiCollectiveBegin"),
                            (now + 51, "MpiCollectiveEnd", 0, 0, NONE, 8, 8))
            now += 51
        events[rank << 32] = visit(0, now + 1, 0, *inside)
    made = head(text, 511, [f"MPI Rank {i}" for i in range(3)],
                [(i << 32, "Master thread", i) for i in range(3)], events)
    made += [region(text, i, name, MPI if name.startswith("MPI_") else USER, FUNCTION, "/src/prep.c", 10 + i)
             for i, name in enumerate(names)]
    made += [("Group", 0, text(""), 6, [(i << 32,) for i in range(3)], 4, MPI, 0),
             ("Group", 1, text(""), 4, [(i,) for i in range(3)], 5, MPI, 0),
             ("Comm", 0, text("MPI_COMM_WORLD"), 1, NONE, 0)]
    place, faults = os.path.join(folder, "named"), 0
    write_archive(place, text.records() + made, events)
    for threads in "1", "3":
        words = [report, "--json", "--by", "causes", "--threads", threads, place]
        told = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
        first = told["sections"]["causes"][0]
        finding = next(one for one in told["findings"] if one["kind"] == "collective")
        got = [first["process"], first["region"], first["path"], finding["cause"]["path"],
               "rank 1: `extra_io_prep > relax` (prep.c:12) after MPI_Barrier" in finding["text"]]
        if got != ["rank 1", "relax", "extra_io_prep > relax", "extra_io_prep > relax", True]:
            print(f"FAULT: a path that one rank takes: {got} {finding['text']}")
            faults += 1
    return faults
