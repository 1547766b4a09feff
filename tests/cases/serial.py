# SPDX-License-Identifier: BSD-3-Clause
"""A program that knows nothing of MPI."""

of = "agent agent/segment"
command = ["{programs}/serial"]
forms = ["outer", "preload"]


def check(trace, run):
    kinds = trace.kinds()
    run.equal(len(trace.streams), 2, "locations")
    run.equal(kinds["ThreadAcquireLock"], 10, "ThreadAcquireLock")
    run.equal(kinds["ThreadReleaseLock"], 10, "ThreadReleaseLock")
    run.equal(trace.regions()["pthread_mutex_lock"], 10, "pthread_mutex_lock")
    run.equal(trace.regions()["pthread_join"], 1, "pthread_join")
    run.equal(list(last_values(trace)), [(3,)], "exit status in ProgramEnd")


def last_values(trace):
    for name, _, values, _ in trace.events(0):
        if name == "ProgramEnd":
            yield values
