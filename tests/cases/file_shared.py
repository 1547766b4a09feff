# SPDX-License-Identifier: BSD-3-Clause
"""
Files that ranks write together: spur report says so where they do it in small pieces in turns, with the
numbers of the program, and not where each has a part of its own, or the pieces are whole blocks.
"""

import os
import re

of = "tools/report/files"
mpi = ["mpich"]
ranks = 4
SMALL = 64
SHARERS = {"woven": ranks, "apart": 0, "aligned": 0}


def main(run):
    words = run.launcher() + run.command(["{programs}/file_shared{mpi}"])
    traced, archive = run.record("traced", words, {"SPUR_IO": "posix"})
    lines = map(str.split, traced.stdout.splitlines())
    told = {name: tuple(map(int, numbers)) for name, *numbers in lines}
    report = run.report(archive, "--by", "files,file_accesses")
    rows = {os.path.basename(row["file"]): row for row in report["sections"]["files"]}
    run.equal({name: (row["writes"], row["written_bytes"]) for name, row in rows.items()}, told,
              "writes and bytes")
    run.equal({row["processes"] for row in rows.values()}, {ranks}, "processes")
    run.equal({name: row["sharers"] for name, row in rows.items()}, SHARERS, "small pieces in turns")
    run.equal(rows["aligned"]["unaligned_percent"], 0, "whole blocks")
    # The first of a rank is at 0 or nowhere, the second anywhere; all others are strided.
    n = told["woven"][0] // ranks
    run.expect(rows["woven"]["strided_percent"] >= 100 * (n - 2) / n, f"strided: {rows['woven']}")
    run.equal(rows["apart"]["strided_percent"], 0, "in a part of its own")
    found = {re.search(r"/(\w+) takes", one["text"])[1]: one["text"]
             for one in report["findings"] if one["kind"] == "file"}
    sentence = (f"in {told['woven'][0]:,} operations. {ranks} processes write it in pieces of {SMALL} B with "
                "gaps in between, so that several may share each block of 4 KiB.")
    run.expect(sentence in found["woven"], f"finding: {found}")
    others = [text for name, text in found.items() if name != "woven"]
    run.expect(not any(" share " in text for text in others), f"others: {others}")
    run.spur_check(archive, False)
