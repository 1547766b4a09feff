# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_PYTHON in a program of mpi4py and h5py that counts its own calls, also of functions that HDF5 calls while
it visits a file; one of them raises. The archive has the same counts, and the calls of MPI and HDF5 are
within the functions that make them. SPUR_UNWIND in one that says where it calls, below functions in C of
numpy and h5py.
"""

import collections
import json
import os

from call_stacks import Paths, is_script, place

of = "wrappers/python"
SCRIPT = '''
import atexit
import collections
import os

import h5py
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
counts = collections.Counter()


def combine(a, b, _datatype):
    counts["combine"] += 1
    into = numpy.frombuffer(b, dtype="i4")
    into += numpy.frombuffer(a, dtype="i4")


def reduces(n):
    counts["reduces"] += 1
    operation = MPI.Op.Create(combine, commute=True)
    got = numpy.zeros(1, dtype="i4")
    for i in range(n):
        comm.Allreduce(numpy.full(1, i, dtype="i4"), got, operation)
        assert got[0] == i * comm.size
    operation.Free()


def visit(name):
    counts["visit"] += 1


def refuse(name):
    counts["refuse"] += 1
    raise KeyError(name)


def files():
    counts["files"] += 1
    with h5py.File(f"data.{comm.rank}.h5", "w") as file:
        for i in range(5):
            file.create_group(f"group{i}")["numbers"] = numpy.arange(10)
        file.visit(visit)
        try:
            file.visit(refuse)
        except KeyError:
            counts["visits"] = counts["visit"]


def say():
    with open(f"counts.{comm.rank}", "w") as file:
        for name in ("combine", "reduces", "visit", "refuse", "files"):
            print(name, counts[name], file=file)


reduces(20)
files()
assert counts["visits"] == 10 and counts["refuse"] == 1
say()
'''

RANKS = 2
mpi = ["openmpi"]  # Debian has mpi4py for Open MPI only
files = {"ranks.py": SCRIPT}

FILTER = """SCOREP_FILE_NAMES_BEGIN
  EXCLUDE */lib/python3*
  EXCLUDE <frozen*
SCOREP_FILE_NAMES_END
"""
files["filter"] = FILTER
CALLED = {"creat", "MPI_Barrier"}
# In which function a call is.
WITHIN = {"MPI_Allreduce": "reduces", "H5Fcreate": "files", "H5Dwrite": "files"}


def outside(trace):
    """Calls that are not within the function that makes them."""
    found = []
    for location in trace.archive.locations:
        is_open = []
        for name, _, values, _ in trace.archive.events(location):
            if name == "Enter":
                is_open.append(trace.archive.name_of("Region", values[0]))
                found += [is_open] if WITHIN.get(is_open[-1], is_open[0]) not in is_open else []
            elif name == "Leave":
                is_open.pop()
    return found


def layers(run):
    """The stacks of each rank's calls, with functions in C between those of Python."""
    programs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs")
    program = ["/usr/bin/python3", "-B", os.path.join(programs, "script_layers.py")]
    env = {"SPUR_UNWIND": "200", "SPUR_WRAP": "mpi,io", "SPUR_IO": "posix"}
    _, archive = run.record("layers", [*run.launcher(RANKS), *program], env)
    read = run.judge(archive).archive
    found, said = [], []
    for rank in range(RANKS):
        with open(os.path.join(run.scratch, "layers.run", f"truth.{rank}"), encoding="utf-8") as file:
            said.append([[place(*frame) for frame in stack] for stack in json.load(file)])
    for location in read.locations:
        stacks = [Paths(read).frames(values[0], str) for kind, _, values, _ in read.events(location)
                  if kind == "CallingContextEnter" and CALLED.intersection(
                      [read.name_of("Region", read.spaces["CallingContext"][values[0]][1]["region"])])]
        found.append([[frame for frame in stack if is_script(frame)] for stack in stacks])
    run.expect(len(said[0]) > 20, "layers: that the program says something")
    run.equal(sorted(found), sorted(said), "layers: functions of Python on the stacks")


def main(run):
    layers(run)
    program = ["/usr/bin/python3", "-B", "ranks.py"]
    env = {"SPUR_WRAP": "mpi,python,hdf5", "SPUR_IO": "hdf5", "SPUR_FILTER": "filter"}
    _, archive = run.record("ranks", ["--python", *run.launcher(RANKS), *program], env)
    said = collections.Counter()
    for rank in range(RANKS):
        with open(os.path.join(run.scratch, "ranks.run", f"counts.{rank}"), encoding="utf-8") as file:
            said.update({line.split()[0]: int(line.split()[1]) for line in file})
    run.expect(said["combine"] >= 20 and said["visit"] == 10 * RANKS, f"what the program says: {said}")
    said["combine"] = 0  # part of the call of MPI that it is made by, as every callback of MPI's
    trace = run.judge(archive)
    regions = trace.regions()
    for name, n in said.items():
        run.equal(regions.get(name, 0), n, f"calls of {name}")
    run.equal(regions["MPI_Allreduce"], 20 * RANKS, "calls of MPI_Allreduce")
    run.equal([regions["H5Fcreate"], regions["H5Dwrite"]], [RANKS, 5 * RANKS], "calls of HDF5")
    run.equal(outside(trace), [], "calls outside of their functions")
