# SPDX-License-Identifier: BSD-3-Clause
"""
A signal that a new thread handles before its routine begins: the thread has one location all the
same, that begins with its ThreadBegin, and the mask that it has without spur.
"""

import os

of = "wrappers/pthread"
THREADS = {"timer": 1500, "pending": 50}


def main(run):
    for mode, threads in THREADS.items():
        words = run.command(["{programs}/thread_early", mode])
        plain = run.execute(words, f"{mode}.plain")
        run.expect("wrong masks: 0\n" in plain.stdout, f"true masks: {plain.stdout}")
        archive = os.path.join(run.scratch, f"{mode}.archive")
        traced = run.execute([run.spur, "-o", archive] + words, mode)
        run.same(traced, plain)
        trace = run.judge(archive)
        kinds = trace.kinds()
        for kind in ("ThreadCreate", "ThreadBegin", "ThreadEnd", "ThreadWait"):
            run.equal(kinds.get(kind, 0), threads, f"{mode}: {kind}")
        run.equal(len(trace.streams), threads + 1, f"{mode}: locations")
