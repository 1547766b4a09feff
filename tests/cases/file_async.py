# SPDX-License-Identifier: BSD-3-Clause
"""Asynchronous I/O of POSIX: each operation begins, is issued and ends once, with its bytes and place."""

import collections

import io_events

of = "wrappers/io"
command = ["{programs}/serial_async"]
env = {"SPUR_IO": "aio,net", "SPUR_WRAP": "io,process"}

READ, WRITE, FLUSH = 0, 1, 2
BACKGROUND, BYTES, N = 1, 1000, 8
UNKNOWN = 0xffffffffffffffff


def operations(trace):
    """(file, mode, flags, asked, offset, what came between, how it ended) of each, by all locations."""
    paths, log = io_events.files(trace.archive), collections.defaultdict(list)
    for stream in trace.streams:
        for name, _, values, attributes in trace.events(stream.location):
            if name.startswith("IoOperation"):
                what = name[len("IoOperation"):]
                log[stream.location, values[0], values[-1]].append((what, values, attributes))
    for (_, handle, _), records in log.items():
        (begin, values, place), *between, (end, last, why) = records
        assert begin == "Begin" and end in ("Complete", "Cancelled"), records
        tests = collections.Counter(name for name, _, _ in between)
        tests.pop("Test", None)
        moved = last[1] if end == "Complete" else end
        yield (paths[handle].rpartition("/")[2], values[1], values[2], values[3],
               place[0][-1] if place else None, tuple(sorted(tests.items())), moved,
               why[0][-1] if why else 0)


def check(trace, run):
    issued = (("Issued", 1),)
    expected = [("lists", WRITE, BACKGROUND, BYTES, i * BYTES, issued, BYTES, 0) for i in range(N)]
    expected += [("lists", READ, BACKGROUND, BYTES, i * BYTES + BYTES // 2, issued,
                  BYTES if i < N - 1 else BYTES // 2, 0) for i in range(N)]
    expected += [("lists", FLUSH, BACKGROUND, UNKNOWN, None, issued, UNKNOWN, 0),
                 ("lists", READ, BACKGROUND, BYTES, 0, issued, BYTES, 0),
                 ("lists", READ, 0, BYTES, BYTES, (), BYTES, 0),
                 ("unusual", WRITE, BACKGROUND, BYTES, 0, issued, UNKNOWN, 0),
                 ("unusual", WRITE, BACKGROUND, BYTES, 0, issued, BYTES, 0),
                 ("", READ, BACKGROUND, BYTES, 0, issued, 1, 0),
                 ("", READ, BACKGROUND, BYTES, BYTES, issued, "Cancelled", 0),
                 ("", WRITE, 0, 1, None, (), 1, 0)]
    run.equal(sorted(map(str, operations(trace))), sorted(map(str, expected)), "operations")
