# SPDX-License-Identifier: BSD-3-Clause
"""
Parallel programs under strace, as Debian ships them for Open MPI: LAMMPS with dumps of all and of each rank,
h5py over MPI, Quantum ESPRESSO. Every byte that the kernel moves from or to one of their files is in the
archive of the same run, and that of a dataset in each of its layers.
"""

import os
import re
import sys

import io_layers
import kernel_bytes
import matrix
from io_layers import HDF5, MPI

of = "wrappers/io"

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from io_programs import MELT  # noqa: E402

mpi = ["openmpi"]
ranks = 2
env = {"OMP_NUM_THREADS": "1", "SPUR_IO": "posix,isoc,hdf5", "SPUR_WRAP": "io,hdf5,mpi"}
LAMMPS = MELT + """
dump own all custom 10 dump.% id x y z
dump steps all custom 25 dump.*.step id x
thermo_modify format float %.3f
run 50
write_restart restart
write_restart restart.%
"""
H5PY = """
import sys
sys.path.insert(0, "/usr/lib/python3/dist-packages")
import numpy
from mpi4py import MPI
from h5py import _debian_h5py_mpi as h5py
rank, n = MPI.COMM_WORLD.rank, 1000
with h5py.File("data.h5", "w", driver="mpio", comm=MPI.COMM_WORLD) as file:
    numbers = file.create_dataset("numbers", (2 * n,), dtype="f8", track_times=False)
    numbers[rank * n:(rank + 1) * n] = numpy.arange(n) + rank
    with numbers.collective:
        numbers[rank * n:rank * n + 10] = numpy.arange(10)
with h5py.File("data.h5", "r", driver="mpio", comm=MPI.COMM_WORLD) as file:
    assert file["numbers"][(1 - rank) * n + 10] == 10 + 1 - rank
    assert len(file["numbers"][:]) == 2 * n
"""
N = 1000
PW = """&control
  calculation = 'scf', prefix = 'si', outdir = './out', pseudo_dir = '/usr/share/espresso/pseudo'
/
&system
  ibrav = 2, celldm(1) = 10.2, nat = 2, ntyp = 1, ecutwfc = 8.0
/
&electrons
  conv_thr = 1.0d-6
/
ATOMIC_SPECIES
 Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 2 2 2 0 0 0
"""
PROGRAMS = {"lammps": ["lmp", "-in", "in.melt", "-log", "none", "-screen", "none"],
            "h5py": ["/usr/bin/python3", "-B", "data.py"],
            "espresso": ["pw.x", "-ndiag", "1", "-in", "si.in"]}
files = {"in.melt": LAMMPS, "data.py": H5PY, "si.in": PW}


def stdout(text):
    """Of Quantum ESPRESSO the physics, not the times."""
    return [line for line in text.splitlines() if re.search(r"^!|highest|convergence has|JOB DONE", line)]


def names(folder):
    """There are times in the files of Quantum ESPRESSO."""
    return dict.fromkeys(matrix.contents(folder), b"")


def check_layers(run, trace, what):
    """What Python has moved is in both layers, the library's own descriptions below only."""
    written, read = (2 * N + 2 * 10) * 8, (2 * 1 + 2 * 2 * N) * 8
    run.equal(io_layers.sums(trace, HDF5), {"/numbers": (read, written)}, f"{what}: bytes of the dataset")
    below = kernel_bytes.recorded(trace, MPI, run.scratch)
    run.equal([os.path.basename(name) for name in below], ["data.h5"], f"{what}: files of MPI-IO")
    (got_read, got_written), = below.values()
    run.expect(read <= got_read < read + 20000 and written <= got_written < written + 20000,
               f"{what}: {got_read} and {got_written} bytes by MPI-IO")


def main(run):
    for label, words in PROGRAMS.items():
        left = names if label == "espresso" else matrix.contents
        trace, _, written = kernel_bytes.watch(run, label, run.launcher() + run.command(words), left)
        run.expect(written > 10000, f"{label} writes")
        if label == "h5py":
            check_layers(run, trace, label)
