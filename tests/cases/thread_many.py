# SPDX-License-Identifier: BSD-3-Clause
"""1000 threads one after the other, 64 at the same time: a location each."""

import os

of = "wrappers/pthread"
command = ["{programs}/thread_many"]


def check(trace, run):
    kinds = trace.kinds()
    run.equal(len(trace.streams), 1065, "locations")
    for kind in ("ThreadCreate", "ThreadBegin", "ThreadWait", "ThreadEnd"):
        run.equal(kinds[kind], 1064, kind)
    run.equal(trace.regions()["pthread_barrier_wait"], 64, "pthread_barrier_wait")
    # Their names are none of the strings that every location would have to translate.
    folder = os.path.splitext(trace.archive.path)[0]
    sizes = [os.path.getsize(os.path.join(folder, f"{stream.location}.def"))
             for stream in trace.streams if not stream.is_main]
    run.expect(max(sizes) < 100, f"local definitions of {max(sizes)} bytes")
    names = [trace.archive.name_of("Location", stream.location) for stream in trace.streams]
    run.equal(names[-1], "Pthread thread 1064", "the last name")
