# SPDX-License-Identifier: BSD-3-Clause
"""
Ranks unify their definitions by messages in MPI_Finalize, and finishing uses what they have left: it is
where finishing looks for it, from every rank. A rank that settles needs no file for that.
"""

import os
import re

of = "wrappers/mpi finish/unify"
ranks = 3
mpi = ["mpich"]
command = ["{programs}/ring{mpi}"]


def files_read(run, name, settings):
    """Of the session: `unified`, and PROCESS/map."""
    log = os.path.join(run.scratch, f"{name}.strace")
    words = ["strace", "-f", "-qq", "-o", log, "-e", "trace=openat,openat2"]
    run.judge(run.record(name, run.launcher() + run.command(), settings, before=words)[1])
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    made = set(re.findall(r"/\.spur/([^/\"]*/map)\", .*O_CREAT", text))
    read = set(re.findall(r"/\.spur/(unified|[^/\"]*/map)\", .*O_RDONLY.*(?: = \d|unfinished)", text))
    return made, read


def main(run):
    made, read = files_read(run, "settled", {})
    run.equal((made, read), (set(), {"unified"}), "ranks that settle: maps made, files read")
    # What a ring has dropped is told of in the whole archive: no rank settles.
    made, read = files_read(run, "unsettled", {"SPUR_FLUSH": "ring"})
    run.equal(len(made), ranks, "maps of ranks that do not settle")
    run.equal(read, made | {"unified"}, "files that are read then")
