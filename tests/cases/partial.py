# SPDX-License-Identifier: BSD-3-Clause
"""One rank of a job is traced and the others are not: the archive is finished all the same."""

import os

of = "wrappers/mpi finish"
command = ["{programs}/ring{mpi}"]
ranks = 1


def main(run):
    program = run.command()
    inner = run.launcher() + [run.spur, "-o", "archive"] + program + [":", "-n", "2"] + program
    # Ranks that cannot be traced must not be waited for in MPI_Finalize either.
    untraced = ["env", "-u", "LD_PRELOAD"] + program
    outer = [run.spur, "-o", "archive"] + run.launcher() + program + [":", "-n", "2"] + untraced
    for name, words in ("inner", inner), ("outer", outer):
        judge(run, name, words)


def judge(run, name, words):
    result = run.execute(words, name)
    run.equal(result.status, 0, "exit status")
    run.equal(len(result.spur), 1, f"lines of spur ({result.spur})")
    run.expect("2 ranks left nothing" in result.spur[0], f"what is missing: {result.spur[0]}")
    archive = os.path.join(run.scratch, name, "archive")
    run.equal(sorted(os.listdir(archive)), ["traces", "traces.def", "traces.otf2"],
              "files of the archive")
