# SPDX-License-Identifier: BSD-3-Clause
"""Quantum ESPRESSO as Debian ships it: silicon, its k-points in two pools of two ranks."""

import os
import re
import shutil

from call_places import check_places

of = "wrappers/mpi"
command = ["pw.x", "-nk", "2", "-ndiag", "1", "-in", "si.in"]
ranks = 4
mpi = ["openmpi"]
forms = ["outer", "inner"]
env = {"OMP_NUM_THREADS": "1", "SPUR_SITES": "on"}
files = {"si.in": """&control
  calculation = 'scf', prefix = 'si', outdir = './out'
  pseudo_dir = '/usr/share/espresso/pseudo', tprnfor = .true., tstress = .true.
/
&system
  ibrav = 2, celldm(1) = 10.2, nat = 2, ntyp = 1, ecutwfc = 12.0
/
&electrons
  conv_thr = 1.0d-8
/
ATOMIC_SPECIES
 Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.26 0.25 0.25
K_POINTS automatic
 2 2 2 1 1 1
"""}

# Energies, forces, stresses, eigenvalues and what they took; not the times, dates and the accuracy,
# whose last digits are noise.
PHYSICS = re.compile(r"total energy +=|contribution +=|Fermi|highest|atom +\d+ type|Total force"
                     r"|total +stress|convergence|k =|number of|Ry/bohr|^ +(-?\d+\.\d{4} *)+$|JOB DONE")


def stdout(text):
    return [line for line in text.splitlines() if PHYSICS.search(line)]


def check(trace, run):
    lines = stdout(run.plain.stdout)
    run.expect(any("convergence has been achieved" in line for line in lines), "convergence")
    run.expect(any("JOB DONE" in line for line in lines), "the end of the job")
    run.expect(len(lines) > 30, "more than 30 lines of results")
    run.equal(trace.processes(), list(range(ranks)), "processes")
    regions = trace.regions()
    for name in ("MPI_Allreduce", "MPI_Bcast", "MPI_Comm_split", "MPI_Alltoall"):
        run.expect(regions.get(name, 0) >= ranks, f"{name} by every rank")
    check_places(run, trace, "MPI_", module=os.path.realpath(shutil.which("pw.x")))
