# SPDX-License-Identifier: BSD-3-Clause
"""
A child of fork() whose page faults are sampled, all of them, while it is about to record the end of that
call writes nothing to its parent's location, which is still the one it knows.
"""

of = "agent/sampling"


def main(run):
    words = ["--sample", "page-faults:1", *run.command(["{programs}/thread_sampled_forks"])]
    traced, place = run.record("forks", words)
    run.equal([line for line in traced.spur if "stopped" in line or "damaged" in line], [], "what is said")
    trace = run.judge(place)
    run.equal(trace.regions()["fork"], 30, "fork")
