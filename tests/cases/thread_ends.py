# SPDX-License-Identifier: BSD-3-Clause
"""Every way a thread can end leaves balanced regions and one ThreadEnd."""

of = "wrappers/pthread"
command = ["{programs}/thread_ends"]
UNDEFINED = 2 ** 64 - 1


def check(trace, run):
    kinds, regions = trace.kinds(), trace.regions()
    run.equal(len(trace.streams), 10, "locations")
    for kind in ("ThreadCreate", "ThreadBegin", "ThreadEnd"):
        run.equal(kinds[kind], 9, kind)
    run.equal(kinds["ThreadWait"], 5, "ThreadWait")
    run.equal(regions["pthread_join"], 6, "pthread_join")
    run.equal(regions["pthread_cancel"], 3, "pthread_cancel")
    run.equal(regions["pthread_exit"], 2, "pthread_exit")
    run.equal(regions["pthread_cond_wait"], 1, "pthread_cond_wait")
    run.equal(regions["sem_wait"], 3, "sem_wait")
    # The handlers of the cancelled threads and the destructors of the detached ones count.
    run.equal(kinds["ThreadAcquireLock"], 6, "ThreadAcquireLock")
    run.equal(kinds["ThreadReleaseLock"], 6, "ThreadReleaseLock")
    ends = [values[1] for stream in trace.streams
            for name, _, values, _ in trace.events(stream.location) if name == "ThreadEnd"]
    run.expect(ends.count(UNDEFINED) in (2, 3), f"ends of detached threads, found {ends}")
