# SPDX-License-Identifier: BSD-3-Clause
"""
Where stacks are taken, the process has no descriptor more than alone, and nobody writes to a number
that the program has closed and has a file of its own under: thread_descriptors says what is there.
"""

import os

command = ["{programs}/thread_descriptors", "3000"]
env = {"SPUR_UNWIND": "8", "SPUR_SAMPLE": "page-faults:10"}


def output(folder):
    return {name: open(os.path.join(folder, name)).read() for name in sorted(os.listdir(folder))
            if name.startswith("data.")}


def check(trace, run):
    run.expect(trace.kinds()["CallingContextEnter"] > 0, "calls with stacks")
