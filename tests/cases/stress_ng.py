# SPDX-License-Identifier: BSD-3-Clause
"""
stress-ng: two processes whose threads use a semaphore. Not its threads by the dozen: it does not join
the last one, which crashes where the process takes its time to end.
"""

import re

of = "wrappers/process"
# The processes sleep until the time is over.
command = ["stress-ng", "--sem", "2", "--sem-ops", "2000", "-t", "2"]

env = {"SPUR_WRAP": "pthread"}  # not the process that only starts the others


def stderr(text):
    """The messages; how long it took and the process ids differ."""
    return re.sub(r"\d+\.\d+ ?s\w*|\[\d+\]", "#", text)


def check(trace, run):
    run.expect("successful run completed" in run.plain.stderr, "success")
    run.equal(len(trace.processes()), 2, "processes that use threads")
    users = trace.streams_of("stress-ng-sem")
    kinds, counts = trace.kinds(users), trace.regions(users)
    run.equal(kinds["ThreadCreate"], 4, "two threads of each")
    run.equal(kinds["ThreadCreate"], counts["pthread_create"], "threads created")
    run.equal(kinds["ThreadEnd"], kinds["ThreadBegin"], "ends")
    run.equal(len(users), 6, "main threads, and those that wait and post")
    # A third waits with and a third without a limit; a wait that has failed has no post.
    run.expect(counts["sem_post"] >= 100, "100 posts")
    run.expect(counts["sem_post"] < counts["sem_timedwait"] + counts["sem_trywait"] + 8,
               f"no more posts than waits, not {counts}")
