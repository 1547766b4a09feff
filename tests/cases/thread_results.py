# SPDX-License-Identifier: BSD-3-Clause
"""Failing and unusual calls return what they return without the agent, and record no success."""

of = "wrappers/pthread"
command = ["{programs}/thread_results"]


def check(trace, run):
    kinds, regions = trace.kinds(), trace.regions()
    run.equal(len(trace.streams), 3, "locations")
    run.equal(regions["pthread_create"], 3, "pthread_create")
    run.equal(kinds["ThreadCreate"], 2, "ThreadCreate")
    run.equal(kinds["ThreadWait"], 2, "ThreadWait")
    run.equal(regions["pthread_timedjoin_np"], 2, "pthread_timedjoin_np")
    run.equal(regions["pthread_join"], 2, "pthread_join")
    # One lock, the return from the wait, one reader.
    run.equal(kinds["ThreadAcquireLock"], 3, "ThreadAcquireLock")
    run.equal(kinds["ThreadReleaseLock"], 3, "ThreadReleaseLock")
