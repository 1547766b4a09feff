# SPDX-License-Identifier: BSD-3-Clause
"""stress-ng: two processes that create threads eight at a time, one whose threads use a semaphore."""

import re

# The process with the semaphore sleeps until the time is over.
command = ["stress-ng", "--pthread", "2", "--pthread-max", "8", "--pthread-ops", "40",
           "--sem", "1", "--sem-ops", "2000", "-t", "2"]

env = {"SPUR_WRAP": "pthread"}  # not the process that only starts the others


def stderr(text):
    """The messages; how long it took and the process ids differ."""
    return re.sub(r"\d+\.\d+ ?s\w*|\[\d+\]", "#", text)


def check(trace, run):
    run.expect("successful run completed" in run.plain.stderr, "success")
    run.equal(len(trace.processes()), 3, "processes that use threads")
    threads, users = trace.streams_of("stress-ng-pthread"), trace.streams_of("stress-ng-sem")
    kinds, regions = trace.kinds(threads), trace.regions(threads)
    run.expect(kinds["ThreadCreate"] >= 16, "eight threads of each")
    run.equal(kinds["ThreadCreate"], regions["pthread_create"], "threads created")
    run.equal(kinds["ThreadCreate"], len(threads) - 2, "locations of theirs")
    run.equal(kinds["ThreadEnd"], kinds["ThreadBegin"], "ends")
    run.equal(kinds["ThreadAcquireLock"], kinds["ThreadReleaseLock"], "releases")
    run.equal(len(users), 3, "a main thread and two that wait and post")
    # A third waits with and a third without a limit, and every wait has its post.
    counts = trace.regions(users)
    run.expect(counts["sem_post"] >= 100, "100 posts")
    run.expect(abs(counts["sem_timedwait"] + counts["sem_trywait"] - counts["sem_post"]) < 8,
               f"as many waits as posts, not {counts}")
