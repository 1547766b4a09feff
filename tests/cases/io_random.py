# SPDX-License-Identifier: BSD-3-Clause
"""
2,500 sequences (10,000 with ALL=1) of random operations on descriptors and streams, with children of fork()
and vfork(), images after exec and descriptors that come over sockets, against a model (lib/io_model.py).
Each call returns what the model says, so that it is true; every record is there, with the right handle, state
and position, in the right order, and no other.
"""

import os
import random

import io_events
import io_model
import matrix
import process_tree
from turns import ALL

of = "wrappers/io"
LEAST_STEPS = 4  # of a sequence, as in io_random.c
SHARE = 1 if ALL else 4
SEQUENCES = {"posix": 4000 // SHARE, "posix,isoc": 4000 // SHARE, "isoc": 2000 // SHARE}
LAYERS = {"posix": {io_model.POSIX}, "isoc": {io_model.ISOC}, "posix,isoc": {io_model.POSIX, io_model.ISOC}}
PRE_CREATED = 1
UNDEFINED = 0xffffffff
AFTER_EXEC = 4  # words of the command line


def told(trace, location):
    """The records of a location, as the model has them; operations as one."""
    begun = {}
    for name, _, values, attributes in trace.events(location):
        if name == "IoOperationBegin":
            offset = list(attributes or [])
            begun[values[0], values[4]] = values[1], values[3], offset[0][-1] if offset else None
        elif name == "IoOperationComplete":
            mode, asked, offset = begun.pop((values[0], values[2]))
            yield "operation", values[0], (mode, asked, values[1], offset)
        elif name.startswith("Io"):
            yield name, values[0], tuple(values[1:])


class Judge:
    """Compares the records of one process with the model; the handles that it has met."""

    def __init__(self, run, definitions, what):
        self.run, self.definitions, self.what, self.used = run, definitions, what, set()

    def bind(self, handle, number, place):
        """The handle of the model is this one of the trace: the same as before, and nobody else's."""
        if handle.number is None:
            self.run.expect(number not in self.used, f"{place}: a new handle, not {number}")
            self.used.add(number)
            handle.number = number
            self.is_defined(handle, self.definitions.handles[number], place)
        self.run.equal(number, handle.number, f"{place}: handle")

    def is_defined(self, handle, values, place):
        path = self.definitions.files[values["file"]]
        flags = PRE_CREATED if handle.state else 0
        self.run.equal((os.path.basename(path), values["ioParadigm"], values["ioHandleFlags"]),
                       (handle.path, handle.layer, flags), place)
        self.run.equal(self.definitions.states.get(values["self"]), handle.state, f"{place}: state")
        if handle.parent:
            self.bind(handle.parent, values["parent"], f"{place}: parent")
        else:
            self.run.equal(values["parent"], UNDEFINED, f"{place}: parent")

    def compare(self, expected, records):
        for (name, handle, other, values, line), got in zip(expected, records):
            place = f"{self.what}, {line}: {name} {values}"
            got_name, number, rest = got
            self.run.equal(got_name, name, f"{place}: {got}")
            if handle is None:
                rest = number, os.path.basename(self.definitions.files[rest[0]])
            else:
                self.bind(handle, number, place)
            if other is not None:
                self.bind(other, rest[0], place)
                rest = rest[1:]
            self.run.equal(rest, tuple(values.values()), place)
        left = [f"{line}: {name}" for name, _, _, _, line in expected[len(records):]]
        self.run.equal((left, records[len(expected):]), ([], []), f"{self.what}: no more records")


class Definitions:
    """Files by name, handles, and the states of those that were found."""

    def __init__(self, archive):
        self.files = io_events.names(archive)
        self.handles = {values["self"]: values for name, values in archive.definitions
                        if name == "IoHandle"}
        self.states = {values["ioHandle"]: (values["mode"], values["statusFlags"])
                       for name, values in archive.definitions if name == "IoPreCreatedHandleState"}


def by_process(trace):
    """{process as the program names it: its records}."""
    found = {}
    for group, stream in zip(process_tree.groups(trace), trace.streams):
        words = group.properties["COMMAND_LINE"].split()
        image = words[2] if len(words) == AFTER_EXEC else 0
        found[f"{group.pid}:{image}"] = list(told(trace, stream.location))
    return found


def check(run, cell, layer, sequences, what):
    trace = cell.trace(run, False)
    definitions = Definitions(trace.archive)
    model, wrong = io_model.processes(cell.traced.stdout, LAYERS[layer])
    run.equal(wrong[:1], [], f"{what}: what calls return")
    untraced, wrong = io_model.processes(cell.plain.stdout, LAYERS[layer])
    run.equal(wrong[:1], [], f"{what}: what calls return untraced")
    run.equal(len(model), len(untraced), f"{what}: processes")
    run.expect(cell.traced.stdout.count("\n") >= LEAST_STEPS * sequences, f"{what}: all sequences")
    seen = by_process(trace)
    for name, process in model.items():
        Judge(run, definitions, f"{what}, process {name}").compare(process.expected,
                                                                   seen.pop(name, []))
    run.equal(seen, {}, f"{what}: other processes")


def stdout(_text):
    """Both runs are compared with the model, which names the first line that differs."""


def main(run):
    for layer, sequences in SEQUENCES.items():
        seed = random.SystemRandom().randrange(1 << 31)
        print(f"  {layer}: seed {seed}", flush=True)
        words = ["{programs}/io_random", str(seed), str(sequences)]
        settings = {"SPUR_IO": layer, "SPUR_WRAP": "io,process"}
        for cell in matrix.cells(run, layer, words, ways=["launcher"], settings=settings,
                                 unfinished=False):
            check(run, cell, layer, sequences, f"{layer}, seed {seed}")
