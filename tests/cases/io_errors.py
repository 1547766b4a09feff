# SPDX-License-Identifier: BSD-3-Clause
"""
Operations that fail: the attribute `errno` of each is what the program has seen, whichever way its call
tells of a failure (below 0, 0, NULL, EOF, WEOF). The end of a file and a part of what was asked for are no
failures. On a device that is full all fails as it does, and nothing of it is recorded. Locks are released as
what they were acquired as.
"""

import errno

import io_events
import matrix

of = "wrappers/io"


def told(trace):
    """(call, errno, 1), or (call, None, 0), of each operation."""
    found = []
    for stream in trace.streams:
        for region, name, _, attributes in io_events.within_regions(trace, stream.location):
            if name == "IoOperationComplete":
                error = attributes[0][2] if attributes else None
                found.append((region, error, int(error is not None)))
    return found


def locks(trace):
    """`Acquire`, `Release` or `Try` and the type of each lock."""
    return [f"{name[2:-4]} {values[1]}" for stream in trace.streams
            for name, _, values, _ in trace.events(stream.location)
            if name in ("IoAcquireLock", "IoReleaseLock", "IoTryLock")]


def main(run):
    for cell in matrix.cells(run, "errors", ["{programs}/serial_io_errors"], ways=["launcher"],
                             unfinished=False, settings={"SPUR_IO": "all", "SPUR_WRAP": "io"}):
        lines = [line.split() for line in cell.plain.stdout.splitlines()]
        wanted = [(call, int(error) if failed == "1" else None, int(failed))
                  for call, error, failed in (words for words in lines if len(words) == 3) if int(failed) < 2]
        full = [words for words in lines if words[2:] == ["2"]]
        run.equal([(call, int(error)) for call, error, _ in full],
                  [(call, errno.ENOSPC) for call in ("write", "dprintf", "fflush", "fclose")],
                  "a device that is full")
        run.expect(len(wanted) > 20, f"calls: {cell.plain.stdout}")
        run.expect(all(error not in (77, 0) for _, error, failed in wanted if failed), "these have failed")
        trace = cell.trace(run, False)
        run.equal(told(trace), wanted, "operations")
        run.equal(locks(trace), [" ".join(words) for words in lines if len(words) == 2], "locks")
