# SPDX-License-Identifier: BSD-3-Clause
"""
What benchmarks of parallel file systems do, as IOR does it: a file for each rank, one for all with
segments and strides, by POSIX calls and by MPI-IO, alone and together. Calls and bytes by file and layer are
those that the program counts, in the archive and in spur report; what MPI-IO leaves in a file has
been written by the POSIX calls below.
"""

import os

import io_events

of = "wrappers/io wrappers/mpi"
command = ["{programs}/file_patterns{mpi}"]
ranks = 4
env = {"SPUR_IO": "posix"}
LAYERS = {"MPI-IO": 0, "POSIX": 1}
READ, WRITE = 0, 1


def told(text):
    """{(layer, file): (reads, their bytes, writes, their bytes)}"""
    lines = (line.split() for line in text.splitlines())
    return {(layer, name): tuple(map(int, numbers)) for layer, name, *numbers in lines}


def file_of(path):
    """Those of the ranks are one here."""
    name = os.path.basename(path)
    return "each" if name.startswith("each.") else name


def counted(trace):
    """The same from the archive."""
    found, paths = {}, io_events.files(trace.archive)
    layers = {values["self"]: values["ioParadigm"]
              for name, values in trace.archive.definitions if name == "IoHandle"}
    for stream in trace.streams:
        for handle, mode, _, done, _ in io_events.operations(trace, stream.location):
            key = layers[handle], file_of(paths[handle])
            row = found.setdefault(key, [0, 0, 0, 0])
            if mode in (READ, WRITE):
                row[2 * mode] += 1
                row[2 * mode + 1] += done
    return {key: tuple(row) for key, row in found.items()}


def reported(run, archive):
    """{(layer as spur report names it, file): (bytes read, bytes written)}"""
    found = {}
    for row in run.report(archive, "--by", "files", "--top", "100")["sections"]["files"]:
        key = row["layer"].split()[0], file_of(row["file"])
        read, written = found.get(key, (0, 0))
        found[key] = read + row["read_bytes"], written + row["written_bytes"]
    return found


def check(trace, run):
    want = told(run.plain.stdout)
    run.equal(len(want), 7, "patterns")
    got = counted(trace)
    run.equal({key: got.get((LAYERS[key[0]], key[1])) for key in want}, want, "calls and bytes")
    rows = reported(run, os.path.join(run.scratch, "outer.archive"))
    run.equal({key: rows.get(key) for key in want},
              {key: (numbers[1], numbers[3]) for key, numbers in want.items()}, "bytes by spur report")
    for layer, name in want:
        if layer == "MPI-IO":
            size = os.path.getsize(os.path.join(run.scratch, "outer", name))
            run.equal((want[layer, name][3], got[LAYERS["POSIX"], name][3]), (size, size),
                      f"{name}: bytes written, and below MPI-IO")
