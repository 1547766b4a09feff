# SPDX-License-Identifier: BSD-3-Clause
"""LAMMPS with two threads in each of two ranks: molten salt, whose FFTs are FFTW's with OpenMP."""

import os
import sys

of = "wrappers/openmp"

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import lammps  # noqa: E402

command = ["lmp", "-in", "in.salt", "-log", "none"]
ranks = 2
mpi = ["openmpi"]
# Two times two threads on two processors: who waits must not spin.
env = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
files = {"in.salt": """units lj
atom_style charge
lattice fcc 0.6
region box block 0 6 0 6 0 6
create_box 2 box
create_atoms 1 box
set type 1 type/fraction 2 0.5 12393
set type 1 charge 1.0
set type 2 charge -1.0
mass * 1.0
velocity all create 1.0 87287 loop geom
pair_style lj/cut/coul/long 2.5 3.0
pair_coeff * * 1.0 1.0
kspace_style pppm 1.0e-4
neighbor 0.3 bin
fix 1 all nve
thermo 2
run 10
"""}
stdout = lammps.stdout


def check(trace, run):
    run.expect("using 2 OpenMP thread(s) per MPI task" in run.plain.stdout, "two threads")
    run.equal(len(stdout(run.plain.stdout)), 6, "thermo lines")
    run.equal(trace.processes(), list(range(ranks)), "processes")
    run.equal(len(trace.streams), 2 * ranks, "threads")
    kinds, regions = trace.kinds(), trace.regions()
    # Four FFTs a step, each in three directions, in both ranks; each thread has the region.
    fft, charge = (f"!$omp parallel @{name}" for name in
                   ("fftw_spawn_loop", "LAMMPS_NS::KSpace::qsum_qsq(int)"))
    run.equal(regions[fft], 11 * 4 * 3 * 2 * ranks, fft)
    run.equal(regions[charge], 2 * ranks, charge)
    forks = (regions[fft] + regions[charge]) // 2
    for kind, count in (("ThreadFork", forks), ("ThreadJoin", forks),
                        ("ThreadTeamBegin", 2 * forks), ("ThreadTeamEnd", 2 * forks)):
        run.equal(kinds[kind], count, kind)
    run.expect(regions.get("MPI_Waitany", 0) > 0, "MPI beside it")
