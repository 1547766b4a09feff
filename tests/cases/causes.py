# SPDX-License-Identifier: BSD-3-Clause
"""
Planted causes: a rank is late by what it does three steps before the wait, in C, Fortran and Python.
The findings and the table of causes name it, with the line of the call behind which that is.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from report_schema import faults  # noqa: E402

with open(os.path.join(HERE, "../../docs/report.schema.json"), encoding="utf-8") as schema:
    SCHEMA = json.load(schema)
SOURCES = os.path.join(HERE, "..", "programs", "causes")
RANKS, CULPRIT = 4, "rank 1"

mpi = ["mpich", "openmpi"]


def line_of(source, mark):
    """solver.c:118, of the line that says so."""
    with open(os.path.join(SOURCES, source), encoding="utf-8") as file:
        number = next(i for i, line in enumerate(file, 1) if mark in line)
    return f"{source}:{number}"


def build(run, source, compiler, *flags):
    path = os.path.join(run.scratch, source + ".built")
    words = [compiler, "-g", "-O1", "-fno-optimize-sibling-calls", os.path.join(SOURCES, source), "-o", path,
             *flags]
    done = subprocess.run(words, stderr=subprocess.PIPE, check=False)
    run.expect(done.returncode == 0, f"{words} to work: {done.stderr.decode()}")
    return [path]


def report_of(run, name, archive):
    told = run.execute([run.spur, "report", "--json", archive], name + ".json").stdout
    text = run.execute([run.spur, "report", "--width", "1000", archive], name + ".text").stdout
    report = json.loads(told)
    run.equal(faults(SCHEMA, report), [], f"{name}: the schema")
    return report, text


def relay(run, name, command, has_lines):
    """All wait for what rank 1 does behind the barrier: the next one itself, the others for it."""
    archive = os.path.join(run.scratch, name + ".archive")
    run.execute([run.spur, "-o", archive, "--sites", *run.launcher(RANKS), *command], name + ".run",
                {"SPUR_WRAP": "mpi"})
    report, text = report_of(run, name, archive)
    late = [found for found in report["findings"] if found["kind"] == "late_sender"]
    run.equal(len(late), 1, f"{name}: late senders in {report['findings']}")
    cause = late[0]["cause"]
    run.equal((cause["process"], cause["region"], cause["after"]), (CULPRIT, "(program)", "MPI_Barrier"),
              f"{name}: the cause")
    run.expect(f"{CULPRIT}: its own code after MPI_Barrier" in text, f"{name}: the cause in\n{text}")
    rows = [row for row in report["sections"]["causes"] if row["process"] == CULPRIT]
    first = report["sections"]["causes"][0]
    run.expect(first in rows and first["propagated"] > first["direct"] > 0.0,
               f"{name}: what rank 1 costs those that do not wait for it itself: {first}")
    path = report["sections"]["critical_processes"]
    run.equal(path[0]["process"], CULPRIT, f"{name}: the critical path {path}")
    if has_lines:
        source = os.path.basename(command[0])[:-len(".built")]
        run.equal(cause["site"], line_of(source, "before the cause"), f"{name}: the line of the cause")
        run.equal(late[0]["site"], line_of(source, "waits"), f"{name}: the line of the wait")
        run.expect(cause["site"] in text and late[0]["site"] in text, f"{name}: lines in\n{text}")


def main(run):
    relay(run, "c", build(run, "relay.c", f"mpicc.{run.mpi}"), True)
    relay(run, "fortran", build(run, "relay.f90", f"mpif90.{run.mpi}", "-ffree-line-length-none"), True)
    if run.mpi == "openmpi":  # what mpi4py of Debian is built with
        relay(run, "python", ["/usr/bin/python3", "-B", os.path.join(SOURCES, "relay.py")], False)
