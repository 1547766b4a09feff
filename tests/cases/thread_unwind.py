# SPDX-License-Identifier: BSD-3-Clause
"""Calls that are left by exceptions, jumps and cancellation leave their regions, and only theirs."""

from collections import Counter

of = "wrappers/pthread"
command = ["{programs}/thread_unwind"]
forms = ["outer", "preload"]


def paths(trace, stream):
    """How often each region was entered, by the names of all that were open."""
    found, open_regions = Counter(), []
    for name, _, values, _ in trace.events(stream.location):
        if name == "Enter":
            open_regions.append(trace.archive.name_of("Region", values[0]))
            found["/".join(open_regions)] += 1
        elif name == "Leave":
            open_regions.pop()
    return found


def check(trace, run):
    first, waits, once = (paths(trace, stream) for stream in trace.streams)
    locks = 7 + 1  # is_outside(), and to know that a thread waits
    run.equal(first["pthread_mutex_lock"], locks, "locks outside")
    run.equal(first["pthread_once/pthread_once/pthread_mutex_lock"], 1, "locks in two routines")
    run.equal(first["pthread_once/pthread_mutex_lock"], 1, "locks in a routine")
    run.equal(first["call_once/pthread_mutex_lock"], 1, "locks in C11's routine")
    run.equal(first["call_once"], 1, "calls of C11's that had something to do")
    # The C++ library has once functions of its own.
    run.expect(first["pthread_once"] >= 5, f"pthread_once {first['pthread_once']} times")
    run.equal(first["sem_wait"], 5, "sem_wait")
    run.expect(not [path for path in first if path.startswith("sem_wait/")], "nothing in sem_wait")
    run.equal(waits["pthread_cond_wait"], 1, "pthread_cond_wait")
    run.equal(waits["pthread_mutex_lock"], 2, "locks of the thread that waits")
    run.equal(once["pthread_once/sem_wait"], 1, "sem_wait in a routine")
    run.equal(once["pthread_mutex_lock"], 1, "locks of the thread that is cancelled in a routine")
    kinds = trace.kinds()
    run.equal(kinds["ThreadAcquireLock"], kinds["ThreadReleaseLock"], "releases")
    run.equal(kinds["ThreadEnd"], 2, "ThreadEnd")
