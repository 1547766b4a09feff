# SPDX-License-Identifier: BSD-3-Clause
"""C11 threads, whose functions do not come by the POSIX ones."""

of = "wrappers/pthread"
command = ["{programs}/thread_c11"]


def check(trace, run):
    kinds, regions = trace.kinds(), trace.regions()
    run.equal(len(trace.streams), 5, "locations")
    for kind in ("ThreadCreate", "ThreadBegin", "ThreadWait", "ThreadEnd"):
        run.equal(kinds[kind], 4, kind)
    for region, count in {"thrd_create": 4, "thrd_join": 4, "thrd_exit": 2, "mtx_lock": 4}.items():
        run.equal(regions[region], count, region)
    run.equal(kinds["ThreadAcquireLock"], 4 + regions["cnd_wait"], "ThreadAcquireLock")
    run.equal(kinds["ThreadReleaseLock"], 4 + regions["cnd_wait"], "ThreadReleaseLock")
