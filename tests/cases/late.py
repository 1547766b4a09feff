# SPDX-License-Identifier: BSD-3-Clause
"""
Recording that is switched on late, up to shortly before MPI_Finalize: what was created before has no
life in the archive, and no end either.
"""

of = "wrappers/mpi agent/record"
mpi = ["mpich", "openmpi"]


def main(run):
    for mode in ("end", "used", "freed"):
        words = [*run.launcher(2), *run.command(["{programs}/late{mpi}", mode])]
        done, archive = run.record(mode, ["--start", "off", *words])
        run.equal(done.stdout, "", f"{mode}: output")
        kinds = run.judge(archive).kinds()
        lives = kinds.get("CommCreate", 0), kinds.get("CommDestroy", 0)
        run.equal(lives, (0, 0), f"{mode}: beginnings and ends of communicators")
        run.expect(kinds["MpiCollectiveEnd"] > 0, f"{mode}: MPI_Finalize")
