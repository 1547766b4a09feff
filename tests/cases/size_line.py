# SPDX-License-Identifier: BSD-3-Clause
"""The last line says how many bytes the event files have, and how fast they grew in each process."""

import glob
import os
import re

of = "finish"
SIZE = r"(\d+(?:\.\d)?) (bytes|kB|MB)"
LINE = re.compile(rf" (\d+) events in {SIZE}(?: \({SIZE}/s per process\))?: ")
UNITS = {"bytes": 1, "kB": 1e3, "MB": 1e6}


def sizes(run, label, words):
    """(bytes, bytes a second or None) as the line has them, and the archive."""
    result, archive = run.record(label, words, status=None)
    said = LINE.search(result.spur[-1])
    run.expect(said, f"bytes in the line {result.spur[-1]}")
    files = sum(map(os.path.getsize, glob.glob(f"{archive}/traces/*.evt")))
    number, unit = float(said.group(2)), UNITS[said.group(3)]
    run.expect(0 <= files - number * unit < max(unit / 10, 1), f"{files} bytes as {said.group(0)}")
    rate = float(said.group(4)) * UNITS[said.group(5)] if said.group(4) else None
    return files, rate, archive


def main(run):
    program = run.command(["{programs}/serial"])[0]
    for label, words in (("short", [program]),
                         ("long", ["sh", "-c", f"{program}; sleep 0.5; {program}; true"])):
        files, rate, archive = sizes(run, label, words)
        trace = run.judge(archive)
        clock = next(values for name, values in trace.archive.definitions if name == "ClockProperties")
        seconds = clock["traceLength"] / clock["timerResolution"]
        run.equal(rate is not None, seconds >= 0.1, f"a rate of {seconds} s")
        if rate is not None:
            wanted = files / seconds / len(trace.processes())
            run.expect(abs(rate - wanted) <= 1 + 0.1 * wanted, f"{rate} bytes/s per process, not {wanted}")
    run.expect(rate is not None, "a rate of the run that sleeps")
