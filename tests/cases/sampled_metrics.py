# SPDX-License-Identifier: BSD-3-Clause
"""
Samples of a program that makes no call that is recorded: all of them are there, with metrics, and where
signals are handled on an alternate stack.
"""

import os

of = "agent/sampling"
RATE = 100  # without perf events, what a kernel of 250 Hz can do
NS = 1_000_000_000
PART, MORE = 0.1, 3


def sampled(run, label, *words):
    """A Trace, which has as many samples as the program has used time."""
    traced, place = run.record(label, ["--sample", str(RATE), *words])
    run.expect(traced.stdout, f"{label}: that the program says something")
    wanted = RATE * int(traced.stdout.split()[1]) / NS
    run.expect(os.path.exists(place), f"{label}: {wanted} samples: {traced.spur}")
    trace = run.judge(place)
    run.expect(abs(trace.kinds()["CallingContextSample"] - wanted) <= PART * wanted + MORE,
               f"{label}: {wanted} samples, got {trace.kinds()}")
    return trace


def main(run):
    program = run.command(["{programs}/serial_burn"])
    kinds = sampled(run, "metrics", "--metrics", "rusage:minflt", *program).kinds()
    run.expect(kinds["Metric"] >= kinds["CallingContextSample"] - 1, f"values at samples: {kinds}")
    sampled(run, "alternate", *program, "alternate")
    traced, place = run.record("plain", program)
    run.expect(not os.path.exists(place), f"no archive without samples: {traced.spur}")
