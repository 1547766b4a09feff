# SPDX-License-Identifier: BSD-3-Clause
"""
Samples that come while a thread is being created are told after its creation, which is not later than
its begin: at 30,000 a second (perf) several come there in each run.
"""

of = "agent/sampling"
command = ["{programs}/thread_creations"]
env = {"SPUR_SAMPLE": "task-clock:30000"}


def check(trace, run):
    run.equal(trace.kinds()["ThreadCreate"], 400, "ThreadCreate")
