# SPDX-License-Identifier: BSD-3-Clause
"""
The agent looks into no environment while the program may be taking it away: not when a process is
first recorded, not when it ends, nor in its children. What is to be said of the settings is said.
"""

import glob
import os

import matrix

of = "agent/process"
# A setting to complain of; calls that are named by the program behind LD_LIBRARY_PATH when all is over.
SETTINGS = {"SPUR_BUFFFER": "1M", "SPUR_SAMPLE": "400", "LD_LIBRARY_PATH": "/tmp"}
COMPLAINT = "spur: SPUR_BUFFFER=1M "
RECORDED = {"records": True, "idles": False, "forks": True, "works": True}


def complaints(result):
    return len([line for line in result.spur if line.startswith(COMPLAINT)])


def main(run):
    for how, is_recorded in RECORDED.items():
        for follow in ("all", "none"):
            settings = dict(SETTINGS, SPUR_FOLLOW=follow)
            is_there = (is_recorded and (how != "forks" or follow == "all")) or None
            for cell in matrix.cells(run, f"{how}-{follow}", ["{programs}/host_environ", how],
                                     ["launcher", "agent", "inner"], settings=settings,
                                     archive=is_there):
                run.equal(complaints(cell.traced), len(cell.archives), cell.what + "complaints")

    # A rank that nobody has told a directory, and a process that was told nothing at all.
    for name, rank in (("rank", matrix.RANK), ("process", {})):
        settings = {**SETTINGS, **rank, "LD_PRELOAD": run.library}
        result = run.execute([f"{run.programs}/host_environ", "records"], name, settings)
        run.equal(result.status, 0, f"{name}: status")
        run.equal(complaints(result), 1, f"{name}: complaints")
        run.equal(len(glob.glob(os.path.join(run.scratch, name, "spur-host_environ-[0-9]*-[0-9]*"))), 1,
                  f"{name}: archives")

    # Another process than the first one asks at its end whether it is a rank.
    words = ["sh", "-c", f"{run.programs}/host_environ idles; exit $?"]
    result = run.execute(words, "child", {"LD_PRELOAD": run.library})
    run.equal(result.status, 0, "child: status")
