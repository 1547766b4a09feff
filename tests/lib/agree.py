# SPDX-License-Identifier: BSD-3-Clause
"""Do all commands tell the same of an archive, and what a reader of its own makes of the events?"""

import os
import subprocess
import sys

from patience import HANG_S

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "agreement.py")
MOST_BYTES = 1 << 20  # of events: the reader is slow


def events_bytes(archive):
    folder = os.path.join(archive, "traces")
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))


def agree(run, archive):
    if events_bytes(archive) > MOST_BYTES:
        return
    done = subprocess.run([sys.executable, PROGRAM, run.build, archive], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=HANG_S, check=False)
    run.expect(done.returncode == 0, f"one truth: {done.stdout.decode()}")
