# SPDX-License-Identifier: BSD-3-Clause
"""
Files that share blocks (FICLONE, FICLONERANGE): the bytes of both are those that the program knows, with
their places, by a library that stands in for a file system that can. On the file system that is there
the same calls may fail: then the operations have moved nothing and say why. Other requests have no record.
"""

import os
import subprocess

import io_events
import matrix

of = "wrappers/io"
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "clone")
PAGE, READ, WRITE = 4096, 0, 1
TARGETS = {"whole": {(WRITE, 0)}, "part": {(WRITE, 0)}, "rest": {(WRITE, PAGE)}, "vain": set()}
SOURCE = {(READ, 0), (READ, PAGE), (READ, 3 * PAGE)}
CALLS = 5  # of those that clone, with a descriptor that is recorded


def build(run):
    """The program alone, and with the library that stands in."""
    folder = os.path.join(run.scratch, "built")
    os.makedirs(folder)
    library, source = os.path.join(folder, "libstand_in.so"), os.path.join(SOURCES, "clone.c")
    stand_in = os.path.join(SOURCES, "stand_in.c")
    subprocess.run(["gcc", "-shared", "-fPIC", stand_in, "-o", library], check=True)
    for name, more in (("kernel", []), ("stand_in", ["-Wl,--no-as-needed", library])):
        program = os.path.join(folder, name)
        subprocess.run(["gcc", "-Wall", source, "-o", program] + more, check=True)
        yield name, program


def failures(trace):
    return [values[1] for stream in trace.streams
            for name, _, values, attributes in trace.events(stream.location)
            if name == "IoOperationComplete" and attributes]


def main(run):
    for name, program in build(run):
        for cell in matrix.cells(run, name, [program], ways=["launcher"], unfinished=False,
                                 settings={"SPUR_IO": "posix", "SPUR_WRAP": "io"}):
            trace, text = cell.trace(run, False), cell.plain.stdout
            run.equal(io_events.sums(trace), io_events.counted(text), f"{name}: bytes")
            run.equal(trace.regions()["ioctl"], CALLS, f"{name}: calls")
            places = {file: io_events.places(trace, file) for file in TARGETS}
            if name == "stand_in" or "whole: 0 " in text:
                run.expect("whole: 0 0 32768" in text, f"{name}: calls succeed: {text}")
                run.equal((places, io_events.places(trace, "source")), (TARGETS, SOURCE), f"{name}: places")
            else:
                run.expect(len(failures(trace)) >= 2 and not any(failures(trace)), f"{name}: calls that fail")
