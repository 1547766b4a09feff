# SPDX-License-Identifier: BSD-3-Clause
"""
A signal that a new thread handles before its routine begins: the thread has one location all the
same, that begins with its ThreadBegin, and the mask that it has without spur.
"""

of = "wrappers/pthread"
THREADS = {"timer": 1500, "pending": 50}


def main(run):
    for mode, threads in THREADS.items():
        traced, trace = run.standard(mode, run.command(["{programs}/thread_early", mode]))
        run.expect("wrong masks: 0\n" in traced.stdout, f"true masks: {traced.stdout}")
        kinds = trace.kinds()
        for kind in ("ThreadCreate", "ThreadBegin", "ThreadEnd", "ThreadWait"):
            run.equal(kinds.get(kind, 0), threads, f"{mode}: {kind}")
        run.equal(len(trace.streams), threads + 1, f"{mode}: locations")
