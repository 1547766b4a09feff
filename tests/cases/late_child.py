# SPDX-License-Identifier: BSD-3-Clause
"""
A process ends while its child records, without a launcher: the events of both are in the archive, which
one of them makes. No moment is left to chance: see tests/programs/thread_late_child.c.
"""

import os
import time

from patience import HANG_S

of = "agent/process finish"


def archived(run, how, words=()):
    """What the program leaves; the child may outlive it."""
    archive = os.path.join(run.scratch, how)
    words = [*words, *run.preloading(),
             *run.command(["{programs}/thread_late_child", how, os.path.join(archive, "traces")])]
    run.equal(run.execute(words, f"{how}.run", {"SPUR_DIR": archive}).status, 0, f"{how}: status")
    end = time.monotonic() + HANG_S
    while how != "outlives" and time.monotonic() < end and (
            os.path.exists(os.path.join(archive, ".spur")) or
            not os.path.exists(os.path.join(archive, "traces.otf2"))):
        time.sleep(0.05)
    run.expect(not os.path.exists(os.path.join(archive, ".spur")), f"{how}: nothing is left of the session")
    run.equal(len(run.judge(archive, True).streams), 2, f"{how}: locations, the parent's and the child's")


def joins(run, how):
    """
    The child begins after its parent has seen that it is the last, and before the archive is whole. It ends
    after its parent, or (`meets`) when its parent has made no archive and still runs.
    """
    log = os.path.join(run.scratch, how + ".strace")
    archived(run, how, ["strace", "-qq", "-o", log, "-P", "traces", "-e", "trace=mkdirat",
                        "-e", "inject=mkdirat:signal=SIGSTOP:when=1"])
    with open(log, encoding="utf-8") as lines:
        said = lines.read()
    # SIGCONT may be sent before the stop has begun, and is then the only one that is seen.
    run.expect('"traces"' in said.splitlines()[0] and "SIGCONT" in said, f"a stop at the folder: {said}")


def main(run):
    joins(run, "joins")
    joins(run, "meets")
    archived(run, "outlives")
