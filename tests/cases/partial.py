# SPDX-License-Identifier: BSD-3-Clause
"""One rank of a job is traced and the others are not: the archive is finished all the same."""

import os

of = "wrappers/mpi finish"
command = ["{programs}/ring{mpi}"]
ranks = 1


def main(run):
    first, others = run.command(), [":", "-n", "2"]
    check(run, *run.record("inner", first + others + first, before=run.launcher()))
    # Ranks that cannot be traced must not be waited for in MPI_Finalize either.
    untraced = ["env", "-u", "LD_PRELOAD"] + first
    check(run, *run.record("outer", run.launcher() + first + others + untraced))


def check(run, result, archive):
    run.equal(len(result.spur), 1, f"lines of spur ({result.spur})")
    run.expect("2 ranks left nothing" in result.spur[0], f"what is missing: {result.spur[0]}")
    run.equal(sorted(os.listdir(archive)), ["traces", "traces.def", "traces.otf2"],
              "files of the archive")
