# SPDX-License-Identifier: BSD-3-Clause
"""kill -9: every complete record is in the archive."""

of = "agent/segment finish/events"
env = {"SPUR_PTHREAD": "all"}  # the subject is what becomes of many records

command = ["{programs}/serial_killed"]
unfinished = True


def check(trace, run):
    run.equal(trace.kinds()["ThreadAcquireLock"], 1001, "ThreadAcquireLock")
    run.equal(trace.kinds()["ThreadReleaseLock"], 1000, "ThreadReleaseLock")
