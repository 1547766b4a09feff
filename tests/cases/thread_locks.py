# SPDX-License-Identifier: BSD-3-Clause
"""Acquisitions and releases are counted, numbered and balanced for every kind of lock."""

of = "wrappers/pthread"
command = ["{programs}/thread_locks"]
env = {"SPUR_PTHREAD": "all"}  # each lock is judged


def check(trace, run):
    kinds, regions = trace.kinds(), trace.regions()
    run.equal(regions["pthread_mutex_trylock"], 10, "pthread_mutex_trylock")
    run.equal(regions["pthread_barrier_wait"], 4, "pthread_barrier_wait")
    run.equal(regions["sem_wait"], 4, "sem_wait")
    run.equal(regions["sem_post"], 4, "sem_post")
    recursive, busy, readers, spin = 8 + 2, 1, 4 * 201, 4 * 200
    table = 2 * 200 + regions["pthread_cond_wait"]
    locks = recursive + busy + table + readers + spin
    run.equal(kinds["ThreadAcquireLock"], locks, "ThreadAcquireLock")
    run.equal(kinds["ThreadReleaseLock"], locks, "ThreadReleaseLock")
    ids = {values[1] for stream in trace.streams
           for name, _, values, _ in trace.events(stream.location) if name == "ThreadAcquireLock"}
    run.equal(ids, set(range(5)), "lock ids")
