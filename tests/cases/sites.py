# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_SITES: each recorded call says the line that makes it, as programs say it themselves: in C,
inlined, in Fortran by all bindings, in C++; in threads, plugins and programs at the same addresses, a child
of fork(), and together with a ring, a filter, metrics, and a death by SIGKILL. The bindings of Fortran are
tried with stacks, and without ranks, in turns (lib/turns.py).
"""

import collections
import os

from call_sites import Sites
from turns import some

of = "agent/stacks code"
# A function whose last action is a call would give its place to that.
FAST = ("-g", "-O2", "-fno-optimize-sibling-calls")
THREADS = {"SPUR_WRAP": "pthread"}
EMPTY = tuple(f"MPI_{name}" for name in ("Waitall", "Waitany", "Waitsome", "Testall", "Testany", "Testsome"))

STACKS = ({"SPUR_UNWIND": "20"}, {"SPUR_UNWIND": "20", "SPUR_SAMPLE": "100"})

mpi = ["mpich", "openmpi"]


def of_mpi(sites):
    run = sites.run
    ranks = run.launcher(2)
    program = sites.build("calls", "calls.c", f"mpicc.{run.mpi}", *FAST)
    env = {"SPUR_WRAP": "mpi"}
    sites.same("calls", [*ranks, program], env)
    bindings = {"f08": ["-DF08"], "module": ["-DMODULE"], "mpif": []}
    with_stacks, with_empty = some(bindings), some(bindings, 2)
    for label, flags in bindings.items():
        fortran = sites.build(label, "calls.F90", f"mpif90.{run.mpi}", "-g", "-O1",
                              "-ffree-line-length-none", *flags)
        sites.same(label, [*ranks, fortran], env, ("MPI_Comm_rank", "MPI_Comm_size", "MPI_Irecv", "MPI_Send",
                                                   "MPI_Wait", "MPI_Bcast", "MPI_Allreduce"))
        for mode in STACKS if label in with_stacks else ():
            sites.of_stacks(f"{label}{len(mode)}", [*ranks, fortran], {**env, **mode}, "MPI_Allreduce")
        if label not in with_empty:
            continue
        empty = sites.build(f"{label}-empty", "empty.F90", f"mpif90.{run.mpi}", "-g", "-O0",
                            "-ffree-line-length-none", *flags)
        if label == "module":  # gfortran gives these calls the line of a later statement
            trace, said = sites.trace(f"{label}-empty", [empty], env)
            want = collections.Counter(call for call, _ in said.elements())
            run.equal({call: trace.regions()[call] for call in want}, dict(want), f"{label}: calls")
        else:
            trace = sites.same(f"{label}-empty", [empty], env, EMPTY)
            sites.of_stacks(f"{label}-empty-stacks", [empty], {**env, "SPUR_UNWIND": "20"}, "MPI_Waitall")
        run.equal(trace.regions()["MPI_Request_get_status"], 10, f"{label}: without a status")
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


def of_programs(sites):
    """A process becomes another program, which has other lines at the same addresses; its child does too."""
    one, two = (sites.build(f"becomes{line}", "becomes.c", "gcc", *FAST, "-no-pie", f"-DLINE={line}")
                for line in (100, 200))
    trace = sites.same("becomes", [one, two, one], only=("pthread_mutex_lock", "pthread_mutex_unlock"))
    sites.run.equal(trace.regions()["pthread_mutex_lock"], 7, "one, its child and itself twice, and so on")


def main(run):
    sites = Sites(run)
    of_mpi(sites)
    of_findings(sites)
    if run.mpi == mpi[0]:  # of no MPI
        of_programs(sites)
        of_threads(sites)
