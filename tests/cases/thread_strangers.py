# SPDX-License-Identifier: BSD-3-Clause
"""Threads that were not seen to begin are seen to end: their memory is used again."""

of = "wrappers/pthread"
command = ["{programs}/thread_strangers"]


def check(trace, run):
    kinds = trace.kinds()
    run.equal(len(trace.streams), 401, "locations")
    run.equal(kinds["ThreadAcquireLock"], 400, "ThreadAcquireLock")
    run.equal(kinds.get("ThreadBegin", 0), 0, "ThreadBegin")
