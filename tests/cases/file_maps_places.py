# SPDX-License-Identifier: BSD-3-Clause
"""Files that are mapped where others were: each mapping begins once and ends once, and each call is seen."""

import collections

of = "wrappers/io"
command = ["{programs}/thread_maps"]
env = {"SPUR_IO": "posix", "SPUR_WRAP": "io,pthread"}

MAP = 5  # the row of io_paradigms.def
THREADS, ROUNDS = 4, 400
MOVES = THREADS * ROUNDS // 2
CALLS = {"mmap": THREADS * ROUNDS + 4, "munmap": THREADS * ROUNDS + 4, "mremap": MOVES,
         "msync": THREADS * ROUNDS + 1}


def check(trace, run):
    maps = {values["self"] for name, values in trace.archive.definitions
            if name == "IoHandle" and values["ioParadigm"] == MAP}
    run.equal({name: trace.regions().get(name, 0) for name in CALLS}, CALLS, "calls")
    created, destroyed, flushed = (collections.Counter() for _ in range(3))
    for stream in trace.streams:
        for name, _, values, _ in trace.events(stream.location):
            counter = {"IoCreateHandle": created, "IoDestroyHandle": destroyed,
                       "IoOperationBegin": flushed}.get(name)
            if counter is not None and values[0] in maps:
                counter[values[0]] += 1
    run.equal(destroyed, created, "ends of each mapping")
    run.equal(sum(created.values()), CALLS["mmap"] + MOVES, "begins")
    run.equal(sum(flushed.values()), CALLS["msync"], "flushes")
