# SPDX-License-Identifier: BSD-3-Clause
"""
Locks have the names of their variables; of a lock that others wait for, the report says which thread holds
it, from which line, and in which call. Where only waits are recorded it says that it does not know. What
it says of times is computed again from the events.
"""

import os
import subprocess

from lock_model import faults_of, LockModel
from report_schema import report_faults

of = "wrappers/pthread tools/report/topics"
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "sites")
SOURCE, OMP_SOURCE = (os.path.join(SOURCES, name) for name in ("held.c", "held_omp.c"))
NS, SLACK = 1e9, 1000  # ticks

mpi = ["mpich", "openmpi"]


class Held:
    def __init__(self, run):
        self.run = run

    def build(self, name, source, compiler, *flags):
        path = os.path.join(self.run.scratch, name)
        command = [compiler, source, "-o", path, "-g", "-O2", "-fno-optimize-sibling-calls", "-pthread",
                   *flags]
        done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
        self.run.expect(done.returncode == 0, f"{command} to work: {done.stderr.decode()}")
        return path

    def trace(self, label, command, env=None):
        """(the trace, the report, {call: its line}, seconds that the program has measured)."""
        run = self.run
        result, archive = run.record(label, ["--sites", *command], env)
        said = dict(line.split() for line in result.stdout.splitlines() if len(line.split()) == 2)
        report = run.report(archive, "--top", "100")
        run.equal(report_faults(report), [], f"{label}: the schema")
        return run.judge(archive), report, said, int(said.pop("held")) / NS


def lock_of(report, name):
    rows = [row for row in report["sections"]["locks"] if row["name"] == name]
    return rows[0] if len(rows) == 1 else None


def finding_of(report):
    return next(found for found in report["findings"] if found["kind"] == "lock")


def expect_model(run, label, trace, report):
    """All that the report says of locks follows from the events."""
    groups = {trace.archive.name_of("LocationGroup", number): number
              for number in trace.archive.spaces["LocationGroup"]}

    def process_of(name):
        words = name.replace("rank", "MPI Rank")
        return next(number for known, number in groups.items() if f"{known} ".startswith(f"{words} "))
    found = faults_of(LockModel(trace.archive, SLACK), report["sections"]["locks"], process_of)
    run.equal(found, [], f"{label}: locks and a model of them")


def expect_holder(run, label, found, holder, line, call):
    """Name, line and call of what holds the lock, in JSON and in the finding; its times as in the events."""
    trace, report, said, most = found
    row = lock_of(report, "queue_lock")
    run.expect(row, f"{label}: queue_lock in {report['sections']['locks']}")
    run.equal((row["holder"], row["holder_site"], row["holder_call"], row["waiters"]),
              (holder, line, call, 3), f"{label}: who holds it")
    expect_model(run, label, trace, report)
    run.expect(0.2 <= row["holder_held"] <= most,
               f"{label}: {row['holder_held']} s held, the program says 0.2 to {most} s")
    text, site = finding_of(report)["text"], finding_of(report)["site"]
    run.equal(site, line, f"{label}: the line of the finding")
    in_call = [f"in {call}"] if call else []
    for words in ("for lock queue_lock", f"are for {holder}", f"(taken at {line})", *in_call):
        run.expect(words in text, f"{label}: {words!r} in {text!r}")
    return said


def names(run, report):
    """Variables, members, those of a function; not what is on the heap, which has a line."""
    rows = report["sections"]["locks"]
    run.equal(sorted(row["name"] for row in rows), ["", "inner", "pool+0x68", "queue_lock", "table_lock"],
              f"names of {rows}")


def of_threads(held):
    run = held.run
    program = held.build("held", SOURCE, "gcc")
    for mode in ("all", "auto"):
        found = held.trace(mode, [program], {"SPUR_PTHREAD": mode})
        expect_holder(run, mode, found, "thread keeper", found[2]["pthread_mutex_lock"], "")
        names(run, found[1])
    trace, report, _, _ = held.trace("contended", [program], {"SPUR_PTHREAD": "contended"})
    row = lock_of(report, "queue_lock")
    run.equal((row["holder"], row["holder_site"], row["holder_call"], row["holder_waiting"]), ("", "", "", 0),
              "nobody knows who holds it")
    text = finding_of(report)["text"]
    run.expect("Who holds it meanwhile is not recorded (SPUR_PTHREAD=all)." in text and
               "on average" not in text and "of its" not in text, text)
    run.equal(trace.kinds()["ThreadAcquireLock"], row["acquisitions"], "acquisitions")
    stripped = os.path.join(run.scratch, "stripped")
    subprocess.run(["strip", "-o", stripped, program], check=True)
    _, report, _, _ = held.trace("stripped", [stripped])
    unknown = [row["name"] for row in report["sections"]["locks"] if row["name"]]
    run.expect(len(unknown) == 4 and all(name.startswith("stripped+0x") for name in unknown), unknown)


def of_constructs(held):
    """Locks and critical sections of OpenMP, of both runtimes."""
    run = held.run
    for compiler in ("gcc", "clang"):
        program = held.build(compiler, OMP_SOURCE, compiler, "-fopenmp")
        archive = run.record(compiler, [program])[1]
        rows = {row["name"]: row for row in run.report(archive, "--by", "locks")["sections"]["locks"]
                if row["paradigm"] == "OPENMP"}
        run.expect("table_lock" in rows, f"{compiler}: {sorted(rows)}")
        if compiler == "gcc":
            run.expect("critical(queue)" in rows, f"{compiler}: {sorted(rows)}")


def of_mpi(held):
    run = held.run
    program = held.build("held_mpi", SOURCE, f"mpicc.{run.mpi}", "-DWITH_MPI")
    found = held.trace("mpi", [*run.launcher(2), program])
    said = found[2]
    expect_holder(run, "mpi", found, "thread keeper", said["pthread_mutex_lock"],
                  f"MPI_Recv at {said['MPI_Recv']}")


def main(run):
    held = Held(run)
    of_mpi(held)
    of_threads(held)
    of_constructs(held)
