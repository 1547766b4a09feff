# SPDX-License-Identifier: BSD-3-Clause
"""
Planted causes in C, Fortran and Python, on both MPIs: the first findings name the rank, the line and the
cause, in text and in JSON. The languages of a cause take turns (lib/turns.py). Iterations that drift are in
iterations.py; deadlocks of other calls in stands.py and omp_stands.py.
"""

import collections
import os
import subprocess

from report_schema import report_faults
from turns import some

of = "tools/report tools/report/causes"
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "planted")
CULPRIT = "rank 1"
LATE_S = 0.8  # twice 0.4: what rank 1 does behind the barriers

mpi = ["mpich", "openmpi"]

# A finding must be among the first `within`: the start of MPI may take longer than all that a short
# program does, and uneven load is another side of the same cause. `words` are in its text, {cause} and
# {waits} the lines that say so; `site` is the one of the finding. `process` and `after` are of its cause.
Cause = collections.namedtuple("Cause", "ranks kind within site words after languages")
ALL, WITH_LOCKS = ("c", "fortran", "python"), ("c", "fortran")
CAUSES = {
    "late": Cause(4, "late_sender", 3, "waits",
                  ["MPI_Recv on rank ", "for late sends of rank ", "mostly at {waits}",
                   "is rank 1: its own code after MPI_Barrier at {cause}"], "MPI_Barrier", ALL),
    "imbalance": Cause(3, "collective", 3, "waits",
                       ["in 6 calls of MPI_Allreduce on MPI_COMM_WORLD",
                        "of that for rank 1, mostly at {waits}",
                        "is rank 1: its own code after MPI_Barrier at {cause}"], "MPI_Barrier", ALL),
    "lock": Cause(2, "lock", 3, "cause",
                  ["2 threads of rank 1 wait", "queue_lock in 2 of its 3 acquisitions",
                   "are for Master thread, which holds it", "(taken at {cause})"], None, WITH_LOCKS),
    "pinned": Cause(2, "shared_core", 2, None,
                    ["2 ranks are bound to the same processor, {core} of ", ": rank 0, rank 1."], None, ALL),
    "ranks": Cause(3, "deadlock", 1, "waits",
                   ["Deadlock: ", "rank 0 (MPI_Recv at {waits})", "rank 1 (MPI_Recv at {waits})",
                    "rank 2 (MPI_Recv at {waits})"], None, ALL),
    "locks": Cause(2, "deadlock", 1, "waits",
                   ["Deadlock: rank 1", "at {waits}), which waits for ", "thread"], None, WITH_LOCKS),
}


class Language:
    """How its program is started, and which lines say `mark`."""

    def __init__(self, run, name, source, *compiler):
        self.run, self.name, self.source = run, name, os.path.join(SOURCES, source)
        self.command = ["/usr/bin/python3", "-B", self.source]
        if compiler:
            path = os.path.join(run.scratch, name + ".built")
            words = [*compiler, "-g", "-O1", "-fno-optimize-sibling-calls", self.source, "-o", path]
            done = subprocess.run(words, stderr=subprocess.PIPE, cwd=run.scratch, check=False)
            run.equal(done.returncode, 0, f"{words}: {done.stderr.decode()}")
            self.command = [path]

    def place(self, mark):
        with open(self.source, encoding="utf-8") as file:
            number = next((i for i, line in enumerate(file, 1) if f" {mark}" in line), None)
        return f"{os.path.basename(self.source)}:{number}"


class Cell:
    def __init__(self, run, language, name):
        self.run, self.name, self.cause = run, f"{name} in {language.name}", CAUSES[name]
        self.places = {mark: language.place(f"{name}: {mark}") for mark in ("cause", "waits")}
        label = f"{name}.{language.name}"
        command = [*run.launcher(self.cause.ranks), *language.command, name]
        _, archive = run.record(label, ["--sites", *command], status=None)
        self.text = run.says("report", "--width", "1000", archive)
        self.report = run.report(archive)
        run.equal(report_faults(self.report), [], f"{self.name}: the schema")
        self.check()

    def check(self):
        run, cause = self.run, self.cause
        found = [one for one in self.report["findings"][:cause.within] if one["kind"] == cause.kind]
        run.equal(len(found), 1, f"{self.name}: {cause.kind} in {self.report['findings']}")
        words = [word.format(core=min(os.sched_getaffinity(0)), **self.places) for word in cause.words]
        text = found[0]["text"]
        run.expect(all(word in text for word in words), f"{self.name}: {words} in {text!r}")
        run.expect(f". {text}" in self.text, f"{self.name}: {text!r} in\n{self.text}")
        if cause.site:
            run.equal(found[0]["site"], self.places[cause.site], f"{self.name}: the site")
        if cause.after:
            told = found[0]["cause"]
            run.equal((told["process"], told["region"], told["after"]), (CULPRIT, "(program)", cause.after),
                      f"{self.name}: the cause")
            run.equal(told["site"], self.places["cause"], f"{self.name}: the site of the cause")


def late(run, cell):
    """
    Most of the cost is of ranks that do not wait for rank 1 itself; all of it is on the critical path.
    Another rank may be longer on that, since the start of MPI may take longer.
    """
    first = cell.report["sections"]["causes"][0]
    run.expect(first["process"] == CULPRIT and first["propagated"] > first["direct"] > 0.0,
               f"{cell.name}: what rank 1 costs those that do not wait for it itself: {first}")
    path = cell.report["sections"]["critical_processes"]
    own = [one for one in path if one["process"] == CULPRIT]
    run.expect(own and own[0]["critical"] >= LATE_S, f"{cell.name}: the critical path {path}")


def main(run):
    languages = [Language(run, "c", "planted.c", f"mpicc.{run.mpi}", "-pthread"),
                 Language(run, "fortran", "planted.f90", f"mpif90.{run.mpi}", "-fopenmp",
                          "-ffree-line-length-none")]
    if run.mpi == "openmpi":  # what mpi4py of Debian is built with
        languages.append(Language(run, "python", "planted.py"))
    for name, cause in CAUSES.items():
        for language in some(one for one in languages if one.name in cause.languages):
            cell = Cell(run, language, name)
            if name == "late":
                late(run, cell)
