# SPDX-License-Identifier: BSD-3-Clause
"""
`spur report` takes time in proportion to the processes that share a file: four times as many take about four
times the instructions.
"""

import os
import shutil

from instructions import instructions
from judge.otf2_write import write_archive

of = "tools/report/files"
PROCESSES, SIZES, MOST = (100, 200, 800), 20, 1.3
NONE = 0xffffffff
NO_PARADIGM, FILE_IO, WRITE, WRITE_ONLY = 22, 27, 1, 2


def shared_file(n):
    """Each process writes pieces of all sizes to one file."""
    events = {}
    for process in range(n):
        made = [(0, "Enter", 0)]
        for i in range(SIZES):
            made += [(100 * i, "IoOperationBegin", 0, WRITE, 0, 1 << i, i),
                     (100 * i + 90, "IoOperationComplete", 0, 1 << i, i)]
        events[process << 32] = made + [(100 * SIZES, "Leave", 0)]
    made = [("ClockProperties", 1000000000, 0, 10 ** 7, 5)]
    made += [("String", i, text) for i, text in enumerate(("", "write", "/data/shared", "POSIX I/O"))]
    made += [("SystemTreeNode", 0, 0, 0, NONE)]
    made += [("LocationGroup", i, 0, 1, 0, NONE) for i in range(n)]
    made += [("Location", where, 0, 1, len(events[where]), where >> 32) for where in events]
    made += [("Region", 0, 1, 1, 0, NONE, 0, 0, 1, FILE_IO, NO_PARADIGM, 0),
             ("IoParadigm", 0, 3, 3, 0, 0, []), ("IoRegularFile", 0, 2, NONE),
             ("IoHandle", 0, 0, 0, 0, 1, NONE, NONE),
             ("IoPreCreatedHandleState", 0, WRITE_ONLY, 0)]
    return {"definitions": made, "events": events}


def main(run):
    run.expect(shutil.which("valgrind"), "valgrind is installed")
    archives = [write_archive(os.path.join(run.scratch, str(n)), **shared_file(n)) for n in PROCESSES]
    few, some, many = (instructions(run, "spur-report", "--threads", "1", "--json", "--by", "files", archive)
                       for archive in archives)
    ratio = (many - few) / (some - few) * (PROCESSES[1] - PROCESSES[0]) / (PROCESSES[2] - PROCESSES[0])
    print(f"{few}, {some}, {many} instructions, ratio {ratio:.2f}")
    run.expect(ratio < MOST, f"instructions for each process grow with their number: {ratio:.2f}")
