# SPDX-License-Identifier: BSD-3-Clause
"""
Random operations on descriptors, with children of fork() and vfork(), against a model
(lib/io_model.py): every record is there, with the right handle, in the right order, and no other.
"""

import os
import random

import io_events
import io_model
import matrix
import process_tree

RUNS, STEPS = 6, 300
SETTINGS = {"SPUR_IO": "posix", "SPUR_WRAP": "io"}


def told(trace, location):
    """The records of a location, as the model has them; operations as one."""
    begun = {}
    for name, _, values, attributes in trace.events(location):
        if name == "IoOperationBegin":
            offset = list(attributes or [])
            begun[values[0], values[4]] = values[1], values[3], offset[0][-1] if offset else None
        elif name == "IoOperationComplete":
            mode, asked, offset = begun.pop((values[0], values[2]))
            yield "operation", values[0], (mode, asked, offset, values[1]), attributes
        elif name.startswith("Io"):
            yield name, values[0], tuple(values[1:]), attributes


def bind(handle, number, handles, used, what, run):
    """The handle of the model is this one of the trace: the same as before, and nobody else's."""
    if handle.number is None:
        run.expect(number not in used, f"{what}: a new handle, not {number}")
        used.add(number)
        handle.number = number
        path, flags = handles[number]
        run.equal((os.path.basename(path), flags & 1), (handle.path, int(handle.is_found)), what)
    run.equal(number, handle.number, f"{what}: handle")


def compare(run, process, records, handles, files, what):
    used = set()
    for i, ((name, handle, other, values), got) in enumerate(zip(process.expected, records)):
        place = f"{what}, record {i}: {name} {values}"
        got_name, number, rest, _ = got
        run.equal(got_name, name, f"{place}: {got}")
        if handle is None:
            run.equal(os.path.basename(files[rest[0]]), values["path"], place)
            continue
        bind(handle, number, handles, used, place, run)
        if name == "IoDuplicateHandle":
            bind(other, rest[0], handles, used, place, run)
        elif name == "operation":
            mode, asked, offset, done = rest
            run.equal((mode, asked, done, offset),
                      (values["mode"], values["asked"], values["done"], values["offset"]), place)
        elif values:
            run.equal(rest, tuple(values.values()), place)
    run.equal(len(records), len(process.expected), f"{what}: records")


def check(run, cell, what):
    trace = cell.trace(run, False)
    archive = trace.archive
    files = {values["self"]: archive.string(values["name"])
             for name, values in archive.definitions if name == "IoRegularFile"}
    paths = io_events.files(archive)
    handles = {values["self"]: (paths[values["self"]], values["ioHandleFlags"])
               for name, values in archive.definitions if name == "IoHandle"}
    model = io_model.processes(cell.traced.stdout)
    pids = [int(group.pid) for group in process_tree.groups(trace)]
    locations = {archive.spaces["Location"][stream.location][1]["locationGroup"]: stream.location
                 for stream in trace.streams}
    seen = {pid: list(told(trace, locations[i])) for i, pid in enumerate(pids)}
    for pid, process in model.items():
        compare(run, process, seen.pop(pid, []), handles, files, f"{what}, process {pid}")
    run.equal(seen, {}, f"{what}: other processes")


def pids_aside(text):
    """What is printed but for the numbers of processes: each in the order of its appearance."""
    order = {}
    words = [line.split(" ", 1) for line in text.splitlines()]
    return [(order.setdefault(pid, len(order)), rest if not rest.startswith("fork") else "fork")
            for pid, rest in words]


stdout = pids_aside


def main(run):
    for _ in range(RUNS):
        seed = random.SystemRandom().randrange(1 << 31)
        print(f"  seed {seed}", flush=True)
        for cell in matrix.cells(run, f"seed{seed}", ["{programs}/io_random", str(seed), str(STEPS)],
                                 ways=["launcher"], settings=SETTINGS, unfinished=False):
            check(run, cell, f"seed {seed}")
