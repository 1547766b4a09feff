# SPDX-License-Identifier: BSD-3-Clause
"""
Children that clone() makes in the memory of a thread, the thread's own included, and that run beside it: the
thread is recorded whole, the children are not, and what they do works as ever. Settings take
turns (lib/turns.py).
"""

import matrix
import turns

of = "wrappers/process agent/process"
LEAF = 3
SPAWNS = 5
# The locks that processes take that the children have made.
MODES = {"ends": 0, "_exit": 0, "execs": LEAF, "killed": 0, "many": 0, "lives": 0, "sealed": 0, "thread": 0,
         "within": LEAF, "forks": LEAF, "vforks": 2 * SPAWNS * LEAF, "forked": 0, "raw": 0, "clone3": 0,
         "masks": 0, "files": 0}
SETTINGS = ({}, {"SPUR_METRICS": "rusage:minflt,rusage:utime"}, {"SPUR_SAMPLE": "1000"},
            {"SPUR_WRAP": "default,io", "SPUR_IO": "posix"}, {"SPUR_SITES": "on"})
WAYS = ("launcher", "recovered")
EACH = 2


def check(run, cell, mode, settings):
    regions = cell.trace(run).regions()
    own = int(cell.plain.stdout)
    what = f"{cell.what}{settings}: "
    for name in ("pthread_mutex_lock", "pthread_mutex_unlock"):
        run.equal(regions[name], own + MODES[mode], what + name)
    if "SPUR_IO" in settings and mode in ("files", "sealed", "within"):
        run.equal(regions["write"], own, what + "write")


def main(run):
    for mode in MODES:
        for i, settings in turns.some(enumerate(SETTINGS), EACH):
            for cell in matrix.cells(run, f"{mode}{i}", ["{programs}/thread_sharers", mode],
                                     ways=(WAYS[i % len(WAYS)],), settings=settings):
                check(run, cell, mode, settings)
