# SPDX-License-Identifier: BSD-3-Clause
"""Threads end with locks held: what lies at the address afterwards is another lock."""

of = "wrappers/pthread"
command = ["{programs}/thread_left_locks"]


def check(trace, run):
    kinds = trace.kinds()
    run.equal(kinds["ThreadAcquireLock"], 4 * 4, "ThreadAcquireLock")
    run.expect("ThreadReleaseLock" not in kinds, "no ThreadReleaseLock")
