# SPDX-License-Identifier: BSD-3-Clause
"""
Rings of io_uring that a program makes by system calls: what it does is as without spur, the archive says that
something is missing, and so does spur report. Nothing of the kind where a file is mapped at such a place.
"""

import os

import io_events
import matrix
import process_tree

of = "wrappers/io"
SETTINGS = {"SPUR_IO": "posix,aio", "SPUR_WRAP": "io,process"}


def remarks(run, archive):
    return [line for line in run.report(archive)["remarks"] if "io_uring" in line]


def main(run):
    for label, words, has_ring in (("ring", ["written"], True), ("file", [], False)):
        for cell in matrix.cells(run, label, ["{programs}/serial_uring_raw"] + words, ways=["launcher"],
                                 settings=SETTINGS, unfinished=False):
            trace = cell.trace(run, False)
            if "not permitted" in cell.plain.stdout:
                print("io_uring is not permitted here")
                continue
            group, = process_tree.groups(trace)
            run.equal(group.properties.get("IO_URING"), "not recorded" if has_ring else None, label)
            run.equal(len(remarks(run, cell.archives[0])), int(has_ring), f"{label}: remarks")
            if has_ring:
                run.equal(cell.plain.stdout, "5\n", "written by the ring")
                run.equal(io_events.sums(trace), {"written": (0, 3)}, "bytes, without those of the ring")
                path = os.path.join(run.scratch, cell.folder, "written")
                run.equal(os.path.getsize(path), 5 + 3, "size of the file")
