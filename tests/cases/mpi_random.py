# SPDX-License-Identifier: BSD-3-Clause
"""
Random legal MPI programs: each of their threads tells what must be recorded of it, in the order in
which it must be, and the archive holds exactly that. All commands tell the same of the archive.

Ten programs for each library. Others, and more ranks:
    MPI_RANDOM_SEEDS="$(seq -s ' ' 200)" MPI_RANDOM_RANKS=6 tests/run_case.py BUILD mpi_random --mpi MPI
"""

import glob
import os

from agree import agree

of = "wrappers/mpi"
SEEDS = os.environ.get("MPI_RANDOM_SEEDS", "1 2 3 4 5 6 7 8 9 10").split()

command = ["{programs}/mpi_random{mpi}"] + SEEDS
ranks = int(os.environ.get("MPI_RANDOM_RANKS", "4"))
OPERATIONS = 17  # from here on they make and free handles
ROOT_NONE = 0xffffffff
STARTS = {"RmaPut": "put", "RmaGet": "get", "RmaAtomic": "atomic"}
ENDS = ("RmaOpCompleteBlocking", "RmaOpCompleteNonBlocking")


def line_of(trace, name, values, has_failed):
    """A record as the program tells it; None for what it does not tell."""
    def in_comm(what, comm, *others):
        return " ".join([what, trace.archive.name_of("Comm", comm), *map(str, others)])

    if name in ("MpiSend", "MpiIsend"):
        return in_comm(name[3:].lower(), values[1], values[0], values[2], values[3])
    if name == "MpiRecv" and has_failed:
        return in_comm("too_long", values[1], values[0], values[2])
    if name in ("MpiRecv", "MpiIrecv"):
        return in_comm("recv" if name == "MpiRecv" else "received", values[1], values[0],
                       values[2], values[3])
    if name in ("MpiCollectiveEnd", "NonBlockingCollectiveComplete"):
        root = "none" if values[2] == ROOT_NONE else values[2]
        return None if values[0] >= OPERATIONS else in_comm(
            "failed" if has_failed else "collective", values[1], values[0], root, *values[3:5])
    if name == "CommCreate":
        return in_comm("made", values[0])
    if name in STARTS:
        return f"{STARTS[name]} {values[1]} {values[3 if name == 'RmaAtomic' else 2]}"
    return {"MpiIrecvRequest": "irecv", "MpiIsendComplete": "sent",
            "MpiRequestCancelled": "cancelled", "NonBlockingCollectiveRequest": "begun"}.get(name)


def recorded(trace, location, is_main):
    """The main thread tells of what was handed to it only."""
    lines, has_failed = [], False
    for name, _, values, _ in trace.events(location):
        line = line_of(trace, name, values, has_failed)
        if line and (not is_main or name in ("MpiIsendComplete", "MpiIrecv")):
            lines.append(line)
        has_failed = name == "ParameterUnsignedInt" and trace.archive.name_of(
            "Parameter", values[0]) == "MPI error class"
    return lines


def check_one_sided(trace, run, process):
    """What was started is complete once, by whatever thread."""
    started, ended = [], []
    for stream in trace.streams:
        for name, _, values, _ in trace.events(stream.location):
            if stream.process == process and name in STARTS:
                started.append(values[-1])
            elif stream.process == process and name in ENDS:
                ended.append(values[1])
    run.equal(sorted(ended), sorted(started), f"one-sided operations of process {process}")


def check(trace, run):
    told = {}
    for path in glob.glob(os.path.join(run.scratch, "outer", "calls.*")):
        _, rank, name = os.path.basename(path).split(".")
        with open(path, encoding="utf-8") as file:
            told[int(rank), name] = file.read().splitlines()
    for stream in trace.streams:
        is_main = stream.location & 0xffffffff == 0
        name = "main" if is_main else trace.archive.name_of("Location", stream.location)
        want = told.pop((stream.process, name), None)
        got = recorded(trace, stream.location, is_main)
        for number, (one, other) in enumerate(zip(got, want or [])):
            run.equal(one, other, f"rank {stream.process}, {name}, record {number} (seeds {SEEDS})")
        run.equal(len(got), len(want or []), f"records of rank {stream.process}, {name}")
    run.equal(list(told), [], "threads without a location")
    for process in trace.processes():
        check_one_sided(trace, run, process)
    agree(run, trace.archive.folder)
