# SPDX-License-Identifier: BSD-3-Clause
"""Call sites as a program says them, one line `CALL FILE:LINE` each, and as its archive has them."""

import collections
import os
import subprocess

from call_stacks import Paths
from judge.otf2_read import UNDEFINED32 as UNDEFINED
from report_schema import report_faults

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "sites")
NAME = "spur::call_site"


class Sites:
    """Programs, built in the folder of the run, and the sites in their archives."""

    def __init__(self, run):
        self.run = run
        self.folder = os.path.join(run.scratch, "built")
        os.makedirs(self.folder)

    def build(self, name, source, compiler, *flags):
        path = os.path.join(self.folder, name)
        command = [compiler, os.path.join(SOURCES, source), "-o", path, *flags]
        done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
        self.run.expect(done.returncode == 0, f"{command} to work: {done.stderr.decode()}")
        return path

    def trace(self, label, command, env=None, status=0):
        """(the trace, {(call, place): how often} as the program says)."""
        result, archive = self.run.record(label, ["--sites", *command], env, status=None)
        if status is not None:
            self.run.equal(result.status, status, f"{label}: exit status, {result.stderr}")
        lines = [line.split() for line in result.stdout.splitlines()]
        said = collections.Counter((line[0], line[1]) for line in lines if len(line) == 2)
        return self.run.judge(archive, unfinished=status != 0), said

    def found(self, archive):
        """The same as the archive says; None for a call without a place."""
        paths = Paths(archive)
        found = collections.Counter()
        for location in archive.locations:
            for kind, _, values, attributes in archive.events(location):
                if kind == "Enter":
                    call = archive.name_of("Region", values[0])
                    found[(call, self.place(paths, attributes))] += 1
        return found

    @staticmethod
    def place(paths, attributes):
        """The innermost line that is none of a header of the system."""
        for number, _, value in attributes or ():
            name = paths.archive.string(paths.values("Attribute", number)["name"])
            if name != NAME or value == UNDEFINED:
                continue
            lines = [(file, line) for _, _, file, line in paths.nodes(value)]
            file, line = next((one for one in lines if not one[0].startswith("/usr/")), lines[0])
            return f"{os.path.basename(file)}:{line}"
        return None

    def reported(self, label):
        """The same as `spur report` says."""
        run = self.run
        report = run.report(os.path.join(run.scratch, f"{label}.archive"), "--by", "sites", "--top", "1000")
        run.equal(report_faults(report), [], f"{label}: the schema")
        return report, collections.Counter({(row["region"], row["site"]): row["calls"]
                                            for row in report["sections"]["sites"]})

    def of_stacks(self, label, command, env, call):
        """The innermost frames of the stacks, which the report takes for the sites of a call."""
        _, said = self.trace(label, command, env)
        _, told = self.reported(label)
        self.run.equal(sorted(key for key in told if key[0] == call),
                       sorted(key for key in said if key[0] == call), f"{label}: where {call} is called")

    def same(self, label, command, env=None, only=None, status=0):
        trace, said = self.trace(label, command, env, status)
        found = self.found(trace.archive)
        if only:
            found = collections.Counter({key: n for key, n in found.items() if key[0] in only})
        self.run.expect(said, f"{label}: that the program says something")
        self.run.equal(sorted(found.items(), key=str), sorted(said.items(), key=str), label)
        _, told = self.reported(label)
        told = {key: n for key, n in told.items() if not only or key[0] in only}
        self.run.equal(sorted(told.items()), sorted(said.items()), f"{label}: the report")
        return trace
