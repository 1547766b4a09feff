# SPDX-License-Identifier: BSD-3-Clause
"""Samples with metrics of a program that makes no call that is recorded: all of them are there."""

import os

RATE = 200
NS = 1_000_000_000
PART, MORE = 0.1, 3


def main(run):
    program = run.command(["{programs}/serial_burn"])
    place = os.path.join(run.scratch, "archive")
    words = [run.spur, "-o", place, "--sample", str(RATE), "--metrics", "rusage:minflt", *program]
    traced = run.execute(words, "run")
    run.equal(traced.status, 0, f"exit status: {traced.stderr}")
    wanted = RATE * int(traced.stdout.split()[1]) / NS
    kinds = run.judge(place).kinds()
    run.expect(abs(kinds["CallingContextSample"] - wanted) <= PART * wanted + MORE,
               f"{wanted} samples, got {kinds}")
    run.expect(kinds["Metric"] >= kinds["CallingContextSample"] - 1, f"values at samples: {kinds}")
    words[3:5] = []
    traced = run.execute(words[:1] + ["-o", place + ".plain"] + words[3:], "plain")
    run.expect(not os.path.exists(place + ".plain"), f"no archive without samples: {traced.spur}")
