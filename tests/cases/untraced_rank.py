# SPDX-License-Identifier: BSD-3-Clause
"""
`spur mpirun` of a script that starts one rank without spur: the others must not wait for what never
answers, in MPI_Init or in MPI_Finalize. Which rank that is makes a difference, since ranks that are
traced wait for the first one of their host. With all of them traced they meet as ever.
"""

import os

of = "wrappers/mpi finish/unify"
ranks = 3
SCRIPT = """#!/bin/sh
[ "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" != {rank} ] || unset LD_PRELOAD
exec {program} "$@"
"""


def script(run, rank):
    path = os.path.join(run.scratch, f"without-{rank}.sh")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SCRIPT.format(rank=rank, program=f"{run.programs}/ring.{run.mpi}"))
    os.chmod(path, 0o755)
    return path


def traced(run, rank, plain):
    """The archive of a run in which that rank is not traced."""
    from check_trace import Trace
    print(f"without rank {rank}:")
    _, archive = run.record(f"without-{rank}", run.launcher() + [script(run, rank)], plain=plain)
    trace = Trace(os.path.join(archive, "traces.otf2"), True)
    run.equal([fault for fault in trace.faults if "has no event" not in fault], [], "faults")
    return trace


def main(run):
    plain = run.execute(run.launcher() + [f"{run.programs}/ring.{run.mpi}"], "plain")
    for rank in (0, 1, ranks - 1, "none"):
        trace = traced(run, rank, plain)
        known = [at for at in range(ranks) if at != rank]
        events = [at for at in range(ranks) if len(list(trace.events(at << 32))) > 0]
        run.equal(events, known, "ranks with events")
