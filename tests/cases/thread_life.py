# SPDX-License-Identifier: BSD-3-Clause
"""Eight threads are created, lock one mutex, and are joined."""

of = "wrappers/pthread"
command = ["{programs}/thread_life"]
env = {"SPUR_PTHREAD": "all"}  # each lock is judged
forms = ["outer", "preload"]


def check(trace, run):
    kinds, regions = trace.kinds(), trace.regions()
    run.equal(len(trace.streams), 9, "locations")
    for kind in ("ThreadCreate", "ThreadBegin", "ThreadWait", "ThreadEnd"):
        run.equal(kinds[kind], 8, kind)
    run.equal((regions["pthread_create"], regions["pthread_join"]), (8, 8), "create and join")
    for stream in trace.streams:
        locks = 0 if stream.is_main else 100
        run.equal(stream.kinds.get("ThreadAcquireLock", 0), locks, f"locks of {stream.label}")
        run.equal(stream.kinds.get("ThreadReleaseLock", 0), locks, f"unlocks of {stream.label}")
