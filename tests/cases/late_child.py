# SPDX-License-Identifier: BSD-3-Clause
"""
A child begins to record while the end of its parent makes the archive, without a launcher: its events
are in the archive, too. Both are delayed where they make folders, so that it happens each time.
"""

import os
import time

from patience import HANG_S

DELAY_US = 200000


def main(run):
    archive = os.path.join(run.scratch, "archive")
    words = ["strace", "-f", "-qq", "-o", os.path.join(run.scratch, "strace"), "-e", "trace=mkdirat",
             "-e", f"inject=mkdirat:delay_enter={DELAY_US}"]
    words += run.preloading() + run.command(["{programs}/thread_stderr", "forked", "200"])
    run.execute(words, "run", {"SPUR_DIR": archive})
    end = time.monotonic() + HANG_S
    while time.monotonic() < end and (os.path.exists(os.path.join(archive, ".spur")) or
                                      not os.path.exists(os.path.join(archive, "traces.otf2"))):
        time.sleep(0.05)
    run.expect(not os.path.exists(os.path.join(archive, ".spur")), "nothing is left of the session")
    run.equal(len(run.judge(archive, True).streams), 2, "locations: the parent's and the child's")
