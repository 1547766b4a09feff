# SPDX-License-Identifier: BSD-3-Clause
"""
Ranks unify their definitions by messages in MPI_Finalize, and finishing uses what they have left: it is
where finishing looks for it, from every rank.
"""

import os
import re

ranks = 3
mpi = ["mpich"]
command = ["{programs}/ring{mpi}"]


def main(run):
    log = os.path.join(run.scratch, "unified.strace")
    archive = os.path.join(run.scratch, "archive")
    words = ["strace", "-f", "-qq", "-o", log, "-e", "trace=openat,openat2"]
    run.execute(words + [run.spur, "-o", archive] + run.launcher() + run.command(), "run")
    run.judge(archive)
    with open(log, encoding="utf-8", errors="replace") as file:
        read = re.findall(r"/\.spur/(unified|[^/\"]*/map)\", .*O_RDONLY.*(?: = \d|unfinished)", file.read())
    run.equal(sorted({name.split("/")[-1] for name in read}), ["map", "unified"], "files that are read")
    run.equal(len({name for name in read if name != "unified"}), ranks, "maps")
