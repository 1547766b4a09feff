# SPDX-License-Identifier: BSD-3-Clause
"""
The POSIX calls of an MPI library: they are within the call of MPI-IO, and nothing else is. What they
open are children of the file's handle. The bytes of a file are the same in both layers. Calls of the
program itself have no parent. An operation of MPI-IO lasts from the Enter of its call to the Leave.
"""
import collections

import io_events

of = "wrappers/io wrappers/mpi"
command = ["{programs}/file_layers{mpi}"]
ranks = 3
env = {"SPUR_IO": "posix"}

MPI, POSIX = 0, 1
UNDEFINED = 0xffffffff
BLOCK = 4000


def stdout(text):
    """The ranks print in any order."""
    return sorted(text.splitlines())


def layers(archive):
    """{handle: (its path, its layer, the path and the layer of its parent or None)}."""
    handles = {values["self"]: values for name, values in archive.definitions if name == "IoHandle"}
    paths = io_events.files(archive)
    return {self: (paths[self], values["ioParadigm"],
                   None if values["parent"] == UNDEFINED else
                   (paths[values["parent"]], handles[values["parent"]]["ioParadigm"]))
            for self, values in handles.items()}


def walk(trace, location):
    """({region: those that it encloses}, [(handle, record, the regions that enclose it)])."""
    names, enclosed, at = [], collections.defaultdict(set), []
    for name, _, values, _ in trace.events(location):
        if name == "Enter":
            if names:
                enclosed[names[-1]].add(trace.archive.name_of("Region", values[0]))
            names.append(trace.archive.name_of("Region", values[0]))
        elif name == "Leave":
            names.pop()
        elif name in ("IoCreateHandle", "IoDestroyHandle"):
            at.append((values[0], name, tuple(names)))
    return enclosed, at


def check_bytes(trace, run):
    """Each layer has moved what the program has, and what it has written by itself."""
    told = io_events.counted(run.plain.stdout)
    mpi = io_events.sums(trace, MPI)
    run.equal(mpi, told, "bytes by MPI-IO")
    posix = io_events.sums(trace, POSIX)
    for rank in range(ranks):
        read, written = told[f"own.{rank}"]
        told[f"own.{rank}"] = read, written + BLOCK
        told[f"plain.{rank}"] = 0, 10
    run.equal({name: posix.get(name) for name in told}, told, "bytes by POSIX calls")


def check_handles(trace, run, location, handles):
    enclosed, at = walk(trace, location)
    for outer, inner in enclosed.items():
        run.expect(outer.startswith("MPI_File_"), f"nothing within {outer}: {inner}")
        run.expect(not any(name.startswith(("MPI_", "pthread_")) for name in inner),
                   f"only POSIX calls within {outer}: {inner}")
    run.expect("ftruncate" in enclosed["MPI_File_set_size"], "the call that sets the size")
    children, alone = 0, []
    for handle, record, around in at:
        path, layer, parent = handles[handle]
        if layer == MPI:
            run.equal((len(around), parent), (1, None), f"{record} of {path}")
            continue
        run.equal(parent is None, len(around) == 1, f"{record} of {path} within {around}")
        if parent is None:
            alone.append((path.rsplit("/", 1)[-1].split(".")[0], record))
        else:
            children += parent == (path, MPI)
    # Both are opened and closed; a library may open them more often.
    run.expect(children >= 4, f"children of the files' handles: {children}")
    run.equal(alone, [("own", "IoCreateHandle"), ("own", "IoDestroyHandle"),
                      ("plain", "IoCreateHandle"), ("plain", "IoDestroyHandle")], "by the program")


def check_times(trace, run, location, handles):
    """Begin and end of each operation of MPI-IO, in front of the POSIX calls and behind them."""
    open_calls, operations, inner = [], [], 0.0
    for name, time, values, _ in trace.events(location):
        if name == "Enter":
            open_calls.append(time)
        elif name == "Leave":
            entered = open_calls.pop()
            if len(open_calls) == 1 and operations:
                inner += time - entered
            for begun, ended in operations if not open_calls else ():
                run.equal((begun - entered, ended - time), (0, 0), "times of an operation and its call")
            operations = operations if open_calls else []
        elif name == "IoOperationBegin" and handles[values[0]][1] == MPI:
            operations.append([time, None])
        elif name == "IoOperationComplete" and handles[values[0]][1] == MPI:
            operations[-1][1] = time
    run.expect(inner > 0, "POSIX calls within operations")


def check(trace, run):
    check_bytes(trace, run)
    for rank in range(ranks):
        check_handles(trace, run, rank << 32, layers(trace.archive))
        check_times(trace, run, rank << 32, layers(trace.archive))
