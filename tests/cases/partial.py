# SPDX-License-Identifier: BSD-3-Clause
"""One rank of a job is traced and the others are not: the archive is finished all the same."""

import os

command = ["{programs}/ring{mpi}"]
ranks = 1


def main(run):
    program = run.command()
    result = run.execute(run.launcher() + [run.spur, "-o", "archive"] + program +
                         [":", "-n", "2"] + program, "run")
    run.equal(result.status, 0, "exit status")
    run.equal(len(result.spur), 1, f"lines of spur ({result.spur})")
    run.expect("2 ranks left nothing" in result.spur[0], f"what is missing: {result.spur[0]}")
    archive = os.path.join(run.scratch, "run", "archive")
    run.equal(sorted(os.listdir(archive)), ["traces", "traces.def", "traces.otf2"],
              "files of the archive")
