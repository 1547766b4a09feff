# SPDX-License-Identifier: BSD-3-Clause
"""A thread's name is its location's."""

of = "wrappers/pthread"
command = ["{programs}/thread_names"]


def check(trace, run):
    names = [trace.archive.name_of("Location", stream.location) for stream in trace.streams]
    run.equal(names[:4], ["the first one", "by itself", "by prctl", "by another"], "names")
    run.equal(len(names), 5, "locations")
    run.equal("setname" in " ".join(trace.regions()), False, "regions of naming")
