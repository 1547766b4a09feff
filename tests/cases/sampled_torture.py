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
    run.equal(plain.stdout, "0 wrong, all at work\n", "stdout without samples")
    for rate in RATES:
        archive = os.path.join(run.scratch, f"{rate}.archive")
        traced = run.execute([run.spur, "--sample", rate, "-o", archive] + words, rate)
        run.equal(traced.status, 0, f"exit status at {rate}: {traced.stderr}")
        run.equal(traced.stdout, plain.stdout, f"stdout at {rate}")
        trace = run.judge(archive)
        kinds = trace.kinds()
        run.expect(kinds.get("CallingContextSample", 0) > 0, "samples")
