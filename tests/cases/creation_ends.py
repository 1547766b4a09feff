# SPDX-License-Identifier: BSD-3-Clause
"""
A signal handler ends the process, or jumps, in the middle of the creation of a thread that has begun
already; with samples that have waited for that, and without: no thread begins before it is created.
"""

import matrix

of = "wrappers/pthread agent/process"
SAMPLE = {"SPUR_SAMPLE": "page-faults:1"}


def main(run):
    for how in ("exit", "jump"):
        for name, settings in (("plain", {}), ("sampled", SAMPLE),
                               ("lifetime", {"SPUR_PTHREAD": "lifetime", **SAMPLE})):
            for cell in matrix.cells(run, f"{how}_{name}", ["{programs}/creation_ends", how],
                                     ["agent", "recovered"], settings=settings):
                kinds = cell.trace(run).kinds()
                run.equal((kinds["ThreadCreate"], kinds["ThreadBegin"]), (1, 1), cell.what)
                run.expect(not settings or kinds["CallingContextSample"] > 0, cell.what + "samples")
