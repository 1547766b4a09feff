# SPDX-License-Identifier: BSD-3-Clause
"""Parallel HDF5: the same file, and the bytes of its dataset are those of collective operations."""
import os

of = "wrappers/mpi"
command = ["{programs}/hdf5{mpi}"]
ranks = 2
# What HDF5 and the MPI libraries do with threads is not looked at.
env = {"SPUR_WRAP": "mpi"}

BAND = 64 * 100 * 8  # bytes that a rank writes, and reads
READ, WRITE = 0, 1
TOGETHER = 2


def output(folder):
    with open(os.path.join(folder, "data.h5"), "rb") as file:
        return file.read()


def check(trace, run):
    archive = trace.archive
    names = [archive.string(values["name"]) for name, values in archive.definitions
             if name == "IoRegularFile"]
    path = os.path.join(run.scratch, "outer", "data.h5")
    run.equal(names, [path], "files")
    handles = [values for name, values in archive.definitions if name == "IoHandle"]
    run.equal(len(handles), 2, "handles: the file is opened twice")
    written = 0
    for rank in range(ranks):
        begun, together = {}, []
        for name, _, values, _ in trace.events(rank << 32):
            if name == "IoOperationBegin":
                begun[values[4]] = values
            elif name == "IoOperationComplete":
                _, mode, flags, asked, _ = begun.pop(values[2])
                run.equal(values[1], asked, "bytes of a complete operation")
                written += values[1] if mode == WRITE else 0
                if flags & TOGETHER:
                    together.append((mode, values[1]))
        run.equal(together, [(WRITE, BAND), (READ, BAND)], f"collective operations of rank {rank}")
        run.equal(begun, {}, "operations under way")
    # The rest of the file describes the dataset, or is a hole.
    run.expect(ranks * BAND < written <= os.path.getsize(path) + 1000, f"{written} bytes written")
