# SPDX-License-Identifier: BSD-3-Clause
"""
A child in the memory of its parent's thread is not recorded. The kernel counts for the two apart: what is
accumulated would decrease in the child.
"""

of = "agent/metrics"
command = ["{programs}/serial_clone_vm"]
env = {"SPUR_METRICS": "rusage:minflt,rusage:utime,rusage:nvcsw"}


def check(trace, run):
    run.equal(trace.regions()["pthread_mutex_lock"], 20, "locks of the parent")
