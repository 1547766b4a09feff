# SPDX-License-Identifier: BSD-3-Clause
"""Each Enter and Leave has values at a time of its own, also where a call is left at once."""

of = "agent/metrics"
command = ["{programs}/thread_ends"]
env = {"SPUR_METRICS": "rusage:minflt"}


def check(trace, run):
    run.expect(trace.kinds()["Metric"] > 0, "values")
