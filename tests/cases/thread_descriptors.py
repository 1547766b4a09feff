# SPDX-License-Identifier: BSD-3-Clause
"""
A thread closes all descriptors and opens files of its own, while others record more than their
buffers hold: the files stay the program's, their numbers those of the untraced run, and nothing
of the recording is lost.
"""

import os

of = "agent/segment"
LOCKS = 20000
RECORDERS, SHORT_THREADS = 2, 60

command = ["{programs}/thread_descriptors", str(LOCKS)]
env = {"SPUR_BUFFER": "512K", "SPUR_PTHREAD": "all"}


def output(folder):
    return {name: open(os.path.join(folder, name)).read() for name in sorted(os.listdir(folder))
            if name.startswith("data.")}


def check(trace, run):
    run.equal(trace.kinds()["ThreadAcquireLock"], RECORDERS * LOCKS + SHORT_THREADS, "locks")
