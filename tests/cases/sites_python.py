# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_SITES: a call that an extension of Python makes has the line of the script, on both MPIs, and so has its
stack with SPUR_UNWIND; a call on a thread that runs no script has the place in the extension. Debian has
mpi4py for Open MPI only. SPUR_PYTHON: functions that call MPI, some of them called by numpy, are counted.
"""

import collections
import glob
import json
import os
import sysconfig

from call_sites import SOURCES, Sites
from call_stacks import Paths, is_script

of = "agent/stacks code"
PYTHON = "/usr/bin/python3"
WRAP = {"SPUR_WRAP": "mpi"}

mpi = ["mpich", "openmpi"]


def of_extension(sites):
    run = sites.run
    sites.build("extension" + sysconfig.get_config_var("EXT_SUFFIX"), "extension.c", f"mpicc.{run.mpi}",
                "-g", "-O2", "-fPIC", "-shared", "-fno-optimize-sibling-calls",
                "-I" + sysconfig.get_path("include"))
    env = {**WRAP, "PYTHONPATH": sites.folder}
    command = [*run.launcher(1), PYTHON, "-B", os.path.join(SOURCES, "calls.py")]
    sites.same("extension", command, env)
    trace, said = sites.trace("stacks", command, {**env, "SPUR_UNWIND": "100"})
    run.equal(sorted(of_stacks(trace.archive).items()), sorted(said.items()), "lines of stacks")
    _, told = sites.reported("stacks")
    run.equal(sorted(told.items()), sorted(said.items()), "sites of stacks in the report")
    sites.same("killed", [PYTHON, "-B", "-c", KILLED], env, status=-9)
    counted(run, sites, env)
    trace, _ = sites.trace("alone", [PYTHON, "-B", "-c", ALONE], env)
    places = [place for call, place in sites.found(trace.archive) if call == "MPI_Barrier"]
    run.equal(places, [f"extension.c:{line_in('call_alone(')}"], "a thread of the extension's own")


def counted(run, sites, env):
    """Functions of Python as regions, with calls of MPI in them: as often as the ranks say."""
    command = [*run.launcher(2), PYTHON, "-B", "-c", COUNTED]
    trace, _ = sites.trace("counted", command, {**env, "SPUR_WRAP": "mpi,python", "SPUR_PYTHON": "on"})
    said = collections.Counter()
    for path in glob.glob(os.path.join(run.scratch, "counted.run", "said.*")):
        with open(path, encoding="utf-8") as file:
            said.update(json.load(file))
    said["MPI_Barrier"] = said.total()
    run.expect(said["direct"] == 20 and said["by_numpy"] >= 20, f"what the ranks say: {said}")
    regions = trace.regions()
    run.equal({name: regions.get(name, 0) for name in said}, dict(said), "calls of Python and of MPI")


def of_stacks(archive):
    """The line of the innermost function of Python on each stack: {(call, place): how often}."""
    paths, found = Paths(archive), collections.Counter()
    for location in archive.locations:
        for kind, _, values, _ in archive.events(location):
            if kind == "CallingContextEnter":
                call = next(paths.nodes(values[0]))[1]
                frames = [frame.split("@")[-1] for frame in paths.frames(values[0], str) if is_script(frame)]
                found[(call, frames[0])] += 1
    return found


def line_in(function):
    """The line of the barrier in a function of extension.c."""
    with open(os.path.join(SOURCES, "extension.c"), encoding="utf-8") as source:
        before, behind = source.read().split(function, 1)
    return 1 + (before + behind[:behind.index("MPI_Barrier(")]).count("\n")


KILLED = """
import os, extension
print("MPI_Init_thread", "<string>:4", flush=True)
extension.begin()
for _ in range(3):
    print("MPI_Barrier", "<string>:7", flush=True)
    extension.barrier()
os.kill(os.getpid(), 9)
"""
# Each rank says in a file how often it has called: a launcher may mix what two ranks print. numpy's functions
# in C call one of its functions.
COUNTED = """
import collections, json, os, numpy, extension
calls = collections.Counter()

def direct(n):
    calls["direct"] += 1
    extension.barrier()

def by_numpy(n):
    calls["by_numpy"] += 1
    extension.barrier()
    return n

extension.begin()
for i in range(10):
    direct(i)
numpy.frompyfunc(by_numpy, 1, 1)(numpy.arange(6))
numpy.apply_along_axis(by_numpy, 0, numpy.zeros((3, 4)))
extension.end()
with open(f"said.{os.getpid()}", "w") as file:
    json.dump(calls, file)
"""
ALONE = """
import extension
extension.begin()
extension.alone()
extension.end()
"""


def main(run):
    sites = Sites(run)
    of_extension(sites)
    if run.mpi == "openmpi":
        script = os.path.join(SOURCES, "calls_mpi4py.py")
        sites.same("mpi4py", [*run.launcher(2), PYTHON, "-B", script], WRAP,
                   ("MPI_Irecv", "MPI_Send", "MPI_Wait", "MPI_Barrier", "MPI_Comm_rank", "MPI_Init_thread",
                    "MPI_Finalize"))
