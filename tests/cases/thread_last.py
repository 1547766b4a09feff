# SPDX-License-Identifier: BSD-3-Clause
"""
Processes end at any moment, in any way, while their threads begin, end, are cancelled, fail to be created,
create others and fork. Each location has events, each thread that ran has its beginning, and its end. The
seed is printed: SEED=N draws as that run did.
"""

import os
import random

of = "wrappers/pthread"
PROCESSES = 30
WAYS = {"ends": ("exit", "_exit", "quick_exit"), "execs": ("exec",), "dies": ("kill", "abort")}
SETTINGS = ({}, {"SPUR_SITES": "on"}, {"SPUR_MIN_DURATION": "1us"},
            {"SPUR_CLOCK": "monotonic"}, {"SPUR_METRICS_ASYNC": "rusage:maxrss"})


def trace(run, what, seed, settings):
    words = run.command(["{programs}/thread_last", str(seed), str(PROCESSES), *WAYS[what]])
    result, archive = run.record(what, words, settings)
    kinds = run.judge(archive, unfinished=True).kinds()
    run.spur_check(archive, False, ("thread-left",))  # the end may come before a thread begins
    least, begins = int(result.stdout), kinds["ThreadBegin"]
    run.expect(begins >= least, f"{what}: {least} threads that begin, not {begins}")
    run.equal(kinds["ThreadEnd"], begins, f"{what}: threads that end")


def main(run):
    seed = int(os.environ.get("SEED", random.randrange(10 ** 6)))
    draw = random.Random(seed)
    for what in WAYS:
        settings = draw.choice(SETTINGS)
        print(f"SEED={seed}: {what} {settings}")
        trace(run, what, draw.randrange(10 ** 6), settings)
