# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_SITES: each recorded call says the line that makes it, as programs say it themselves: in C,
inlined, in Fortran by all bindings, in C++; in threads, plugins at the same addresses, a child of
fork(), and together with a ring, a filter, metrics, and a death by SIGKILL.
"""

import collections
import json
import os
import subprocess
import sys

from call_stacks import Paths
from judge.otf2_read import UNDEFINED32 as UNDEFINED

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from report_schema import faults  # noqa: E402

with open(os.path.join(HERE, "../../docs/report.schema.json"), encoding="utf-8") as schema:
    SCHEMA = json.load(schema)
SOURCES = os.path.join(HERE, "..", "programs", "sites")
# A function whose last action is a call would give its place to that.
FAST = ("-g", "-O2", "-fno-optimize-sibling-calls")
NAME = "spur::call_site"
THREADS = {"SPUR_WRAP": "pthread"}

mpi = ["mpich", "openmpi"]


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
        archive = os.path.join(self.run.scratch, f"{label}.archive")
        result = self.run.execute([self.run.spur, "-o", archive, "--sites", *command], f"{label}.run",
                                  env)
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
        result = run.execute([run.spur, "report", "--json", "--by", "sites", "--top", "1000",
                              os.path.join(run.scratch, f"{label}.archive")], f"{label}.report")
        report = json.loads(result.stdout)
        run.equal(faults(SCHEMA, report), [], f"{label}: the schema")
        return report, collections.Counter({(row["region"], row["site"]): row["calls"]
                                            for row in report["sections"]["sites"]})

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


def of_mpi(sites):
    run = sites.run
    ranks = run.launcher(2)
    program = sites.build("calls", "calls.c", f"mpicc.{run.mpi}", *FAST)
    env = {"SPUR_WRAP": "mpi"}
    sites.same("calls", [*ranks, program], env)
    for label, flags in (("f08", ["-DF08"]), ("module", ["-DMODULE"]), ("mpif", [])):
        fortran = sites.build(label, "calls.F90", f"mpif90.{run.mpi}", "-g", "-O1",
                              "-ffree-line-length-none", *flags)
        sites.same(label, [*ranks, fortran], env, ("MPI_Comm_rank", "MPI_Comm_size", "MPI_Irecv", "MPI_Send",
                                                   "MPI_Wait", "MPI_Bcast", "MPI_Allreduce"))
    sites.same("killed", [*ranks, program, "kill"], env, status=None)


def of_findings(sites):
    """A planted cause: rank 1 sleeps before each send that rank 0 waits for."""
    run = sites.run
    program = sites.build("late", "late.c", f"mpicc.{run.mpi}", *FAST)
    _, said = sites.trace("late", [*run.launcher(2), program], {"SPUR_WRAP": "mpi"})
    want = next(place for call, place in said if call == "MPI_Recv")
    report, _ = sites.reported("late")
    late = [found for found in report["findings"] if found["kind"] == "late_sender"]
    run.equal([found["site"] for found in late], [want], f"where rank 0 waits: {report['findings']}")
    run.expect(f"mostly at {want}" in late[0]["text"], late[0]["text"])


def of_threads(sites):
    one, two = (sites.build(f"plugin{line}.so", "plugin.c", "gcc", *FAST, "-shared", "-fPIC",
                            f"-DLINE={line}") for line in (100, 200))
    program = sites.build("locks", "locks.c", "gcc", *FAST, "-pthread")
    command = [program, one, two, one]
    sites.same("locks", command, THREADS)
    sites.same("locks-metrics", command, {**THREADS, "SPUR_METRICS": "rusage"})
    sites.same("locks-ring", command, {**THREADS, "SPUR_FLUSH": "ring"})
    sites.same("locks-short", command, {**THREADS, "SPUR_MIN_DURATION": "1ns"})
    trace, said = sites.trace("locks-contended", command, {**THREADS, "SPUR_PTHREAD": "contended"})
    places = {place for _, place in said}
    odd = [key for key in sites.found(trace.archive) if key[1] not in places]
    sites.run.equal(odd, [], "calls elsewhere, of those that waited")
    rules = os.path.join(sites.folder, "rules")
    with open(rules, "w", encoding="utf-8") as file:
        file.write("SPUR_REGION_NAMES_BEGIN\n  EXCLUDE pthread_mutex_*\nSPUR_REGION_NAMES_END\n"
                   .replace("SPUR_", "SCOREP_"))
    trace, said = sites.trace("locks-filter", command, {**THREADS, "SPUR_FILTER": rules})
    want = {key: n for key, n in said.items() if not key[0].startswith("pthread_mutex_")}
    sites.run.equal(dict(sites.found(trace.archive)), want, "with a filter")
    guards = sites.build("guards", "guards.cpp", "g++", *FAST, "-pthread")
    sites.same("guards", [guards], THREADS, ("pthread_mutex_lock", "pthread_rwlock_wrlock"))
    trace, _ = sites.trace("locks-unwind", command, {**THREADS, "SPUR_UNWIND": "3"})
    sites.run.equal([kind for kind in trace.kinds() if kind == "Enter"], [], "stacks say it")


def main(run):
    sites = Sites(run)
    of_mpi(sites)
    of_findings(sites)
    of_threads(sites)
