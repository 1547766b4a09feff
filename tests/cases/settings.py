# SPDX-License-Identifier: BSD-3-Clause
"""Settings that spur does not know, or whose value is none: one line that names them."""

import os

of = "settings"


def main(run):
    program = run.command(["{programs}/serial"])
    for number, (name, value) in enumerate((("SPUR_NO_SUCH_THING", "1"), ("SPUR_BUFFER", "lots"))):
        archive = os.path.join(run.scratch, f"archive{number}")
        result = run.execute([run.spur, "-o", archive] + program, "run", {name: value})
        run.equal((result.status, result.stdout), (3, "sum 15\n"), "program")
        naming = [line for line in result.spur if name in line]
        run.equal(len(naming), 1, f"lines that name {name} ({result.spur})")
        run.judge(archive)
    program = run.command(["{programs}/ring." + "openmpi"])
    run.mpi = "openmpi"
    result = run.execute([run.spur, "-o", os.path.join(run.scratch, "job")] + run.launcher(4)
                         + program, "run", {"SPUR_NO_SUCH_THING": "1"})
    run.equal(result.status, 0, "exit status of the job")
    naming = [line for line in result.spur if "SPUR_NO_SUCH_THING" in line]
    run.equal(len(naming), 1, f"lines of the whole job that name it ({result.spur})")
