# SPDX-License-Identifier: BSD-3-Clause
"""C++ threads: destructors of thread_local objects are inside, exceptions leave nothing open."""

of = "wrappers/pthread"
command = ["{programs}/thread_std"]


def check(trace, run):
    kinds = trace.kinds()
    run.equal(len(trace.streams), 6, "locations")
    for kind in ("ThreadCreate", "ThreadBegin", "ThreadWait", "ThreadEnd"):
        run.equal(kinds[kind], 5, kind)
    run.equal(trace.regions()["pthread_rwlock_rdlock"], 5, "pthread_rwlock_rdlock")
    run.equal(kinds["ThreadAcquireLock"], kinds["ThreadReleaseLock"], "releases")
    for stream in trace.streams:
        if not stream.is_main:
            run.equal(stream.kinds["ThreadAcquireLock"] >= 3, True, f"locks of {stream.label}")
