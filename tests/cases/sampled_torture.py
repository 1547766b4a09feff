# SPDX-License-Identifier: BSD-3-Clause
"""
Samples of threads that load and unload objects, allocate, throw, handle signals, jump, block
signals, fork and end: nothing hangs, crashes or ends otherwise, and the archive is true.
SPUR_TORTURE_SECONDS makes it longer.
"""

import os

of = "agent/sampling"
SECONDS = os.environ.get("SPUR_TORTURE_SECONDS", "3")
RATES = ["100", "1000"]  # by a timer, and by perf where there is one


def main(run):
    words = run.command(["{programs}/thread_sampled_torture", SECONDS])
    plain = run.execute(words, "plain")
    run.equal((plain.status, plain.stdout), (0, "0 wrong, all at work\n"), "without samples")
    for rate in RATES:
        _, archive = run.record(rate, ["--sample", rate, *words], plain=plain)
        kinds = run.judge(archive).kinds()
        run.expect(kinds.get("CallingContextSample", 0) > 0, "samples")
