# SPDX-License-Identifier: BSD-3-Clause
"""
The bytes of each file are those that a program counts: built as it is, for large files, and
fortified; with calls that fail, and calls of signal handlers. Together they are those that the kernel counts
for the process. What is excluded leaves no record.
"""

import os

import io_events
import matrix

of = "wrappers/io"
FORMS = {"plain": set(), "large": {"pread64", "lseek64"}, "fortified": {"__read_chk", "__pread64_chk"}}
SETTINGS = {"SPUR_IO": "posix", "SPUR_WRAP": "io"}


def reported(run, archive):
    """The same by `spur report`."""
    text = run.says("report", "--csv", "--by", "files", archive)
    head, *rows = [line.split(",") for line in text.splitlines() if line]
    at = {name: i for i, name in enumerate(head)}
    return {os.path.basename(row[at["file"]].strip('"')):
            (int(row[at["read_bytes"]]), int(row[at["written_bytes"]]))
            for row in rows if row[at["layer"]] == "POSIX I/O"}


def check_kernel(run, form, trace):
    """By a run without spur, which reads files itself."""
    told = run.execute(run.command([f"{{programs}}/io_bytes.{form}", "kernel"]), f"{form}.kernel")
    counted = io_events.counted(told.stdout)["kernel"]
    run.expect(min(counted) > 10000, f"{form}: the kernel has counted {counted}")
    sums = io_events.sums(trace).values()
    run.equal(tuple(map(sum, zip(*sums))), counted, f"{form}: bytes that the kernel counts")


def main(run):
    for form, names in FORMS.items():
        for cell in matrix.cells(run, form, [f"{{programs}}/io_bytes.{form}"], ways=["launcher"],
                                 settings=SETTINGS, unfinished=False):
            trace = cell.trace(run, False)
            run.equal(io_events.sums(trace), io_events.counted(cell.traced.stdout), f"{form}: bytes")
            check_kernel(run, form, trace)
            run.equal(reported(run, cell.archives[0]), io_events.counted(cell.traced.stdout),
                      f"{form}: bytes in the report")
            run.equal(names - set(trace.regions()), set(), f"{form}: called under these names")
            failed = [values for stream in trace.streams
                      for name, _, values, attributes in trace.events(stream.location)
                      if name == "IoOperationComplete" and attributes]
            run.equal([values[1] for values in failed], [0], f"{form}: operations that fail")
    excluded = {**SETTINGS, "SPUR_IO_PATHS": run.scratch}
    for _ in matrix.cells(run, "excluded", ["{programs}/io_bytes.plain"], ways=["launcher"],
                          settings=excluded, unfinished=False):
        pass
    inside = {**SETTINGS, "SPUR_IO_PATHS": f"{run.scratch},+{run.scratch}/inside.launcher/handler"}
    for cell in matrix.cells(run, "inside", ["{programs}/io_bytes.plain"], ways=["launcher"],
                             settings=inside, unfinished=False):
        run.equal(set(io_events.sums(cell.trace(run, False))), {"handler"}, "the one that is not")
