# SPDX-License-Identifier: BSD-3-Clause
"""
While stacks are taken, the process has no more descriptors than alone. The program closes numbers and opens
files of its own under them; the agent writes to none of these. thread_descriptors says what is there.
"""

import os

of = "agent/stacks"
command = ["{programs}/thread_descriptors", "3000"]
env = {"SPUR_UNWIND": "8", "SPUR_SAMPLE": "page-faults:10"}


def output(folder):
    return {name: open(os.path.join(folder, name)).read() for name in sorted(os.listdir(folder))
            if name.startswith("data.")}


def check(trace, run):
    run.expect(trace.kinds()["CallingContextEnter"] > 0, "calls with stacks")
