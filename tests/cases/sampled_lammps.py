# SPDX-License-Identifier: BSD-3-Clause
"""LAMMPS with counters, call stacks and samples at once: all three are there, and fit together."""

import os
import sys

of = "agent/sampling"

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import lammps  # noqa: E402
from sampled_paths import SETTINGS, combined, with_chain  # noqa: E402

command = lammps.command
ranks = 2
mpi = ["openmpi"]
env = {"OMP_NUM_THREADS": "1", **SETTINGS}
files = lammps.files
stdout = lammps.stdout

STEPS = 250
RUN = ("LAMMPS_NS::Verlet::run(int)", "LAMMPS_NS::Run::command(int, char**)",
       "LAMMPS_NS::Input::file()")


def check(trace, run):
    run.equal(len(stdout(run.plain.stdout)), 11, "thermo lines")
    run.equal(trace.processes(), list(range(ranks)), "processes")
    paths = combined(trace, run, "outer.archive")
    exchange = ("LAMMPS_NS::CommBrick::reverse_comm()",) + RUN
    # Forces go back to the neighbours in each step.
    for call in ("MPI_Irecv", "MPI_Send", "MPI_Wait"):
        run.expect(with_chain(paths["Enter"], call, *exchange) >= STEPS * ranks, f"{call} of steps")
    # Nearly all of its own time goes into the forces.
    forces = with_chain(paths["Sample"], "LAMMPS_NS::PairLJCut::compute(int, int)", *RUN)
    run.expect(forces > 0, f"samples in the forces, of {len(paths['Sample'])}")
