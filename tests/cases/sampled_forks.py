# SPDX-License-Identifier: BSD-3-Clause
"""
A child of fork() whose page faults are sampled, all of them, while it is about to record the end of that
call writes nothing to its parent's location, which is still the one it knows.
"""

import os

of = "agent/sampling"


def main(run):
    place = os.path.join(run.scratch, "archive")
    words = [run.spur, "--sample", "page-faults:1", "-o", place]
    traced = run.execute(words + run.command(["{programs}/thread_sampled_forks"]), "run")
    run.equal(traced.status, 0, f"exit status: {traced.stderr}")
    run.equal([line for line in traced.spur if "stopped" in line or "damaged" in line], [], "what is said")
    trace = run.judge(place)
    run.equal(trace.regions()["fork"], 30, "fork")
