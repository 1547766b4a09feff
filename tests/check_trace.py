#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Judge an OTF2 archive: exit status 0 and no word when it is true and complete, else 1 and a line per
fault. Runs under the system's /usr/bin/python3, for which Debian builds python3-otf2.

The rules work on a reader of their own (judge/); otf2-print and the Python bindings of the
reference library then give a second and a third opinion.
"""

import argparse
import json
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))

from judge.definitions import check_definitions  # noqa: E402
from judge.opinions import check_otf2_print, check_python_reader  # noqa: E402
from judge.otf2_read import Archive, FormatError  # noqa: E402
from judge.sequence import sequence_lines  # noqa: E402
from judge.streams import Streams  # noqa: E402
from judge.verdict import Verdict  # noqa: E402


class Trace:
    """A judged archive: what was found wrong, and what it holds, for the asserts of a case."""

    def __init__(self, path, allow_unfinished=False, with_opinions=True):
        self.verdict = Verdict()
        self.archive = None
        self.streams = []
        try:
            self.archive = Archive(path)
        except (FormatError, OSError) as error:
            self.verdict.fault("format", str(error))
        except (IndexError, struct.error):
            self.verdict.fault("format", "anchor or definitions end inside a record")
        if self.archive:
            self.verdict.declare(self.archive)
            check_definitions(self.archive, self.verdict)
            judge = Streams(self.archive, self.verdict, allow_unfinished)
            judge.check()
            self.streams = judge.streams
        if with_opinions:
            check_otf2_print(path, self.verdict)
            if self.archive and not self.verdict.faults:
                check_python_reader(self.archive, self.kinds(), self.verdict)

    @property
    def faults(self):
        return self.verdict.lines()

    def _sum(self, of, streams=None):
        total = {}
        for stream in self.streams if streams is None else streams:
            for name, count in of(stream).items():
                total[name] = total.get(name, 0) + count
        return total

    def region_counts(self, stream):
        return {self.archive.name_of("Region", number): count
                for number, count in stream.regions.items()}

    def kinds(self, streams=None):
        """Number of records by kind, of all locations or of some."""
        return self._sum(lambda stream: stream.kinds, streams)

    def regions(self, streams=None):
        """Number of visits by region name, of all locations or of some."""
        return self._sum(self.region_counts, streams)

    def processes(self):
        return sorted({stream.process for stream in self.streams})

    def streams_of(self, program):
        """The locations of the processes that run `program`, by its name in the name of the group."""
        groups = {stream: self.archive.spaces["Location"][stream.location][1]["locationGroup"]
                  for stream in self.streams}
        return [stream for stream, group in groups.items()
                if f"({program})" in self.archive.name_of("LocationGroup", group)]

    def events(self, location):
        return self.archive.events(location)

    def sequence(self):
        return sequence_lines(self.archive)

    def summary(self):
        return {"kinds": self.kinds(), "regions": self.regions(), "faults": self.faults,
                "locations": {str(stream.location): {
                    "name": self.archive.name_of("Location", stream.location),
                    "process": stream.process, "events": stream.index, "kinds": stream.kinds,
                    "regions": self.region_counts(stream)} for stream in self.streams}}


def main():
    parser = argparse.ArgumentParser(description="Judge an OTF2 archive.")
    parser.add_argument("archive", help="the anchor file, or the directory that holds traces.otf2")
    parser.add_argument("--json", action="store_true", help="print a summary as JSON")
    parser.add_argument("--sequence", action="store_true",
                        help="print the records without times and ids, for comparisons")
    parser.add_argument("--allow-unfinished", action="store_true",
                        help="the run was cut short: pending requests and messages are fine")
    options = parser.parse_args()
    path = options.archive
    if os.path.isdir(path):
        path = os.path.join(path, "traces.otf2")
    trace = Trace(path, options.allow_unfinished)
    if options.json:
        print(json.dumps(trace.summary(), indent=1, sort_keys=True))
    if options.sequence and trace.archive:
        print("\n".join(trace.sequence()))
    for line in trace.faults:
        print(line, file=sys.stderr)
    return 1 if trace.faults else 0


if __name__ == "__main__":
    sys.exit(main())
