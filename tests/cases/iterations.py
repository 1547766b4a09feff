# SPDX-License-Identifier: BSD-3-Clause
"""
Iterations that get slower on rank 1, and one that rank 0 makes slow, in C, Fortran and Python. The
languages take turns (lib/turns.py). The programs know how long each took. The first findings name rank,
cause and line, in text and JSON.
"""

import os
import subprocess

from report_schema import report_faults
from turns import some

of = "tools/report/iterations"
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "iterations")
STEPS, GROWTH, SLOW, SLOW_STEP = 24, 8000, 1000000, 12  # as in steps.c; microseconds
SLOW_MARK = {".c": "/* slow */", ".f90": "! slow", ".py": "# slow"}

mpi = ["mpich", "openmpi"]


def line_of(source, mark):
    """steps.c:34, of the line that says so."""
    with open(os.path.join(SOURCES, source), encoding="utf-8") as file:
        number = next(i for i, line in enumerate(file, 1) if mark in line)
    return f"{source}:{number}"


def build(run, source, compiler, *flags):
    path = os.path.join(run.scratch, source + ".built")
    words = [compiler, "-g", "-O1", os.path.join(SOURCES, source), "-o", path, *flags]
    done = subprocess.run(words, stderr=subprocess.PIPE, check=False)
    run.equal(done.returncode, 0, f"{words}: {done.stderr.decode()}")
    return [path]


class Traced:
    """A traced run: `truth` is what its rank 0 says, the seconds of each step."""

    def __init__(self, run, name, command, growth, slow, record=("--sites",)):
        self.run, self.name = run, name
        command = [*run.launcher(2), *command, str(STEPS), str(growth), str(slow)]
        traced, archive = run.record(name, [*record, *command], {"SPUR_WRAP": "mpi"})
        told = traced.stdout
        self.truth = [int(line) / 1e6 for line in told.split()]
        run.equal(len(self.truth), STEPS, f"{name}: steps in {told}")
        self.json = run.report(archive)
        self.text = run.says("report", "--width", "1000", archive)
        run.equal(report_faults(self.json), [], f"{name}: the schema")

    def near(self, what, got, want):
        """The report looks from the end of one barrier to that of the next one."""
        self.run.expect(abs(got - want) <= 0.2 * want + 0.02,
                        f"{self.name}: {what} is {want}, reported {got}\n{self.truth}\n{self.text}")

    def row(self, source):
        """The outermost loop."""
        row = self.json["sections"]["iterations"][0]
        self.run.equal((row["iterations"], row["region"]), (STEPS, "MPI_Barrier"),
                       f"{self.name}: the loop in {row}")
        self.run.equal(row["site"], line_of(source, "ends a step"), f"{self.name}: the site of {row}")
        self.near("the median", row["median"], sorted(self.truth[1:])[(STEPS - 2) // 2])
        self.near("the slowest", row["slowest"], max(self.truth[1:]))
        return row

    def finding(self, kind, rank, after, site):
        found = [found for found in self.json["findings"] if found["kind"] == kind]
        self.run.equal(len(found), 1, f"{self.name}: {kind} in {self.json['findings']}")
        cause = found[0]["cause"]
        self.run.equal((cause["process"], cause["region"], cause["after"]), (rank, "(program)", after),
                       f"{self.name}: {kind}")
        self.run.equal(cause["site"], site, f"{self.name}: the site of {kind}")
        self.run.equal(found[0]["site"], cause["site"], f"{self.name}: the site of {found[0]}")
        self.run.expect(f"its own code after {after} at {cause['site']} on {rank}" in self.text,
                        f"{self.name}: {kind} in\n{self.text}")
        self.run.expect(found[0]["text"] in self.text, f"{self.name}: {found[0]['text']} in\n{self.text}")
        return found[0]


def drift(run, name, source, command):
    traced = Traced(run, name + ".drift", command, GROWTH, 0)
    row = traced.row(source)
    where = ("rank 1", "MPI_Bcast", line_of(source, "before the growth"))
    found = traced.finding("drift", *where)
    run.equal((row["grows_process"], row["grows_after"], row["grows_everywhere"]), (*where[:2], "no"),
              f"{name}: what grows in {row}")
    run.equal(row["grows_site"], found["site"], f"{name}: where that is in {row}")
    run.expect("Iterations get slower: " in found["text"], f"{name}: the sentence {found}")
    run.expect(row["at_end"] > 2 * row["at_first"] and row["drift_percent"] > 50,
               f"{name}: the drift of {row}")
    quarter = STEPS // 4
    traced.near("what grows", row["grows"], GROWTH / 1e6 * (STEPS - quarter))
    run.equal(row["slow_process"], "", f"{name}: a slow iteration in {row}")


def slow(run, name, source, command):
    traced = Traced(run, name + ".slow", command, 0, SLOW)
    row = traced.row(source)
    where = ("rank 0", "MPI_Allreduce", line_of(source, SLOW_MARK[os.path.splitext(source)[1]]))
    found = traced.finding("slow_iteration", *where)
    run.expect(f"Iteration {SLOW_STEP} of {STEPS} takes " in found["text"], f"{name}: the sentence {found}")
    run.equal((row["slowest_number"], row["slow_process"], row["slow_after"], row["slow_site"]),
              (SLOW_STEP, *where[:2], found["site"]), f"{name}: what is slow in {row}")
    traced.near("what is slow", row["slow"], SLOW / 1e6)
    begin = row["slowest_at"]
    run.expect(abs(found["from"] - begin) < 1e-6 and abs(found["to"] - begin - row["slowest"]) < 1e-6,
               f"{name}: the place of {found} in {row}")


def unwound(run, command):
    """With call stacks calls are other records."""
    traced = Traced(run, "unwound", command, GROWTH, 0, ("--unwind", "8"))
    row = traced.json["sections"]["iterations"][0]
    run.equal((row["iterations"], row["region"], row["grows_process"], row["grows_after"]),
              (STEPS, "MPI_Barrier", "rank 1", "MPI_Bcast"), f"iterations with call stacks: {row}")


def queries(run):
    """At a call that communicates with nobody no iteration ends; and who calls MPI is a script."""
    command = ["/usr/bin/python3", "-B", os.path.join(SOURCES, "queries.py")]
    traced = Traced(run, "queries", command, 0, 0, ())
    loops = [(row["iterations"], row["region"]) for row in traced.json["sections"]["iterations"]]
    run.equal(loops, [(STEPS + 1, "MPI_Barrier")], "loops")
    hints = [line for line in traced.text.splitlines() if line.startswith("To know")]
    run.equal(["spur --python" in line for line in hints], [True], f"hints: {hints}")


def main(run):
    programs = [("c", "steps.c", build(run, "steps.c", f"mpicc.{run.mpi}")),
                ("fortran", "steps.f90",
                 build(run, "steps.f90", f"mpif90.{run.mpi}", "-ffree-line-length-none"))]
    if run.mpi == "openmpi":  # what mpi4py of Debian is built with
        programs += [("python", "steps.py", ["/usr/bin/python3", "-B", os.path.join(SOURCES, "steps.py")])]
        queries(run)
    unwound(run, programs[0][2])
    for program in some(programs):
        drift(run, *program)
    for program in some(programs):
        slow(run, *program)
