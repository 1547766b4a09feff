# SPDX-License-Identifier: BSD-3-Clause
"""
A child in the memory of its parent's thread is recorded as that thread, though the kernel counts for the two
apart: what is accumulated does not decrease.
"""

command = ["{programs}/serial_clone_vm"]
env = {"SPUR_METRICS": "rusage:minflt,rusage:utime,rusage:nvcsw"}


def check(trace, run):
    run.equal(trace.regions()["pthread_mutex_lock"], 30, "locks of both")
