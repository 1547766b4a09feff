# SPDX-License-Identifier: BSD-3-Clause
"""LAMMPS as Debian ships it: the melt example."""

import glob
import os
import shutil

from call_places import check_places

of = "wrappers/mpi"
command = ["lmp", "-in", "in.melt", "-log", "none"]
ranks = 4
mpi = ["openmpi"]
env = {"OMP_NUM_THREADS": "1", "SPUR_SITES": "on"}
files = {"in.melt": """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 50
run 500
"""}
STEPS = 500


def stdout(text):
    """The physics, not the times."""
    return [line for line in text.splitlines()
            if line.split() and all(word.lstrip("-").replace(".", "").isdigit()
                                    for word in line.split())]


def check(trace, run):
    run.equal(len(stdout(run.plain.stdout)), 11, "thermo lines")
    run.equal(trace.processes(), list(range(ranks)), "processes")
    run.expect(trace.kinds()["Enter"] > 5000, "more than 5000 calls")
    run.expect(trace.regions().get("MPI_Wait", 0) > 0, "MPI_Wait")
    # Time steps, but for those that sort atoms anew; not the swaps with neighbours, several in each.
    told = run.report(os.path.join(run.scratch, "outer.archive"), "--by", "iterations")
    loops = [loop["iterations"] for loop in told["sections"]["iterations"]]
    run.expect(any(0.9 * STEPS <= n <= 1.1 * STEPS for n in loops), f"time steps in loops of {loops}")
    library, = glob.glob("/usr/lib/*/liblammps.so.0")
    check_places(run, trace, "MPI_", os.path.realpath(shutil.which("lmp")), library)
