# SPDX-License-Identifier: BSD-3-Clause
"""
Streams of ISO C: the bytes of each file are those that a program counts, as it is and fortified, with
threads that share a stream, children of fork(), closed and reopened standard streams. Alone (isoc)
and with the POSIX calls below; the bytes that the program leaves in a file are those that it wrote.
"""

import os

import io_events
import matrix

of = "wrappers/io"
FORMS = {"plain": {"fprintf", "fgets", "__isoc99_fscanf"}, "fortified": {"__fprintf_chk", "__fgets_chk"}}
LAYERS = {"isoc": {"SPUR_IO": "isoc"}, "both": {"SPUR_IO": "isoc,posix"}}
STREAM_LAYER = 2  # of session/io_paradigms.def


def parents(archive):
    """(layer of a handle, layer of its parent) of all handles that have one."""
    handles = {values["self"]: values for name, values in archive.definitions if name == "IoHandle"}
    return {(values["ioParadigm"], handles[values["parent"]]["ioParadigm"])
            for values in handles.values() if values["parent"] in handles}


def main(run):
    for form, names in FORMS.items():
        for label, layers in LAYERS.items():
            for cell in matrix.cells(run, f"{form}.{label}", [f"{{programs}}/io_streams.{form}"],
                                     ways=["launcher"], unfinished=False,
                                     settings={**layers, "SPUR_WRAP": "io,process,pthread"}):
                trace = cell.trace(run, False)
                sums = io_events.sums(trace, STREAM_LAYER)
                told = io_events.counted(cell.traced.stderr)
                run.equal({name: sums.get(name, (0, 0)) for name in told}, told, f"{form}: bytes")
                run.equal(set(sums) - set(told), set(), f"{form}: no other file")
                folder = os.path.join(run.scratch, cell.folder)
                sizes = {name: os.path.getsize(os.path.join(folder, name)) for name in told}
                run.equal({name: written for name, (_, written) in told.items()}, sizes, f"{form}: sizes")
                run.equal(names - set(trace.regions()), set(), f"{form}: called under these names")
                run.equal("dup" in trace.regions(), label == "both", f"{form}: POSIX calls")
                run.expect(parents(trace.archive) <= {(1, STREAM_LAYER)}, f"{form}: parents")
