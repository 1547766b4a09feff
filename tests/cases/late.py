# SPDX-License-Identifier: BSD-3-Clause
"""
Recording that is switched on late, up to shortly before MPI_Finalize: what was created before has no
life in the archive, and no end either.
"""

import os

of = "wrappers/mpi agent/record"
mpi = ["mpich", "openmpi"]


def main(run):
    for mode in ("end", "used", "freed"):
        words = [*run.launcher(2), *run.command(["{programs}/late{mpi}", mode])]
        archive = os.path.join(run.scratch, mode)
        done = run.execute([run.spur, "-o", archive, "--start", "off", *words], mode + ".traced")
        run.equal((done.status, done.stdout), (0, ""), f"{mode}: status and output")
        run.spur_check(archive, False)
        trace = run.judge(archive)
        kinds = trace.kinds()
        lives = kinds.get("CommCreate", 0), kinds.get("CommDestroy", 0)
        run.equal(lives, (0, 0), f"{mode}: beginnings and ends of communicators")
        run.expect(kinds["MpiCollectiveEnd"] > 0, f"{mode}: MPI_Finalize")
