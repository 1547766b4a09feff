# SPDX-License-Identifier: BSD-3-Clause
"""1000 threads one after the other, 64 at the same time: a location each."""

command = ["{programs}/thread_many"]


def check(trace, run):
    kinds = trace.kinds()
    run.equal(len(trace.streams), 1065, "locations")
    for kind in ("ThreadCreate", "ThreadBegin", "ThreadWait", "ThreadEnd"):
        run.equal(kinds[kind], 1064, kind)
    run.equal(trace.regions()["pthread_barrier_wait"], 64, "pthread_barrier_wait")
