# SPDX-License-Identifier: BSD-3-Clause
"""io_uring by liburing: each operation begins, is issued and ends once, with its bytes and place."""

import collections

import io_events

of = "wrappers/io"
command = ["{programs}/serial_uring"]
env = {"SPUR_IO": "aio,net", "SPUR_WRAP": "io,process"}

READ, WRITE, FLUSH = 0, 1, 2
BACKGROUND, BYTES, N, ROUNDS = 1, 1000, 8, 5
UNKNOWN = 0xffffffffffffffff
EBADF, EFAULT = 9, 14


def operations(trace):
    """(file, mode, flags, asked, offset, how it ended, errno) of each, by all locations."""
    paths, log = io_events.files(trace.archive), collections.defaultdict(list)
    for stream in trace.streams:
        for name, time, values, attributes in trace.events(stream.location):
            if name.startswith("IoOperation"):
                log[values[0], values[-1]].append((time, name[len("IoOperation"):], values, attributes))
    for (handle, _), records in log.items():
        records.sort(key=lambda record: record[0])
        names = [name for _, name, _, _ in records]
        (_, _, values, place), (_, end, last, why) = records[0], records[-1]
        issued = ["Issued"] if values[2] & BACKGROUND else []
        assert names == ["Begin"] + issued + [end] and end in ("Complete", "Cancelled"), records
        yield (paths[handle].rpartition("/")[2], values[1], values[2], values[3],
               place[0][-1] if place else None, last[1] if end == "Complete" else end,
               why[0][-1] if why else 0)


def expected():
    total = ROUNDS * N * BYTES
    found = [("many", WRITE, BACKGROUND, BYTES, i * BYTES, BYTES, 0) for i in range(ROUNDS * N)]
    found += [("many", FLUSH, BACKGROUND, UNKNOWN, None, UNKNOWN, 0),
              ("many", READ, BACKGROUND, BYTES, total - BYTES // 2, BYTES // 2, 0),
              ("many", WRITE, BACKGROUND, 500, 0, 500, 0),
              ("many", READ, BACKGROUND, 500, 100, 500, 0),
              ("opened", WRITE, 0, 100, None, 100, 0)]
    found += [("opened", WRITE, BACKGROUND, BYTES, i * BYTES, BYTES, 0) for i in (1, 2)]
    found += [("refused", WRITE, BACKGROUND, 50, 0, 0, EFAULT),
              ("opened", READ, BACKGROUND, UNKNOWN, 0, 0, EFAULT),
              ("opened", READ, BACKGROUND, BYTES, 10 * BYTES, 0, 0),
              ("opened", WRITE, BACKGROUND, 30, 0, "Cancelled", 0),
              ("registered", WRITE, BACKGROUND, BYTES, 0, BYTES, 0),
              ("registered", WRITE, BACKGROUND, BYTES, BYTES, UNKNOWN, 0)]
    found += [("many", READ, BACKGROUND, 10, i * BYTES, 10, 0) for i in range(N)]
    found += [("many", READ, BACKGROUND, 40, 0, 40, 0),
              ("many", READ, BACKGROUND, 300, 200, 300, 0), ("", WRITE, BACKGROUND, 300, None, 300, 0),
              ("", READ, BACKGROUND, BYTES, 0, 300, 0), ("", READ, BACKGROUND, 77, 0, "Cancelled", 0),
              ("", READ, BACKGROUND, 66, 0, UNKNOWN, 0)]
    return found


def handles(trace):
    """{file: [created, duplicated to, destroyed]} of all handles with one."""
    paths, found = io_events.files(trace.archive), {}
    columns = {"IoCreateHandle": (0, 0), "IoDuplicateHandle": (1, 1), "IoDestroyHandle": (2, 0)}
    for stream in trace.streams:
        for name, _, values, _ in trace.events(stream.location):
            column, which = columns.get(name, (None, None))
            if column is not None and paths[values[which]]:
                row = found.setdefault(paths[values[which]].rpartition("/")[2], [0, 0, 0])
                row[column] += 1
    return found


def check(trace, run):
    if "not permitted" in run.plain.stdout:
        # The kernel makes no rings here: what can be judged is that the program hears of it.
        print("io_uring is not permitted here: only calls that fail were judged")
        run.equal(trace.regions().get("io_uring_queue_init"), 2, "io_uring_queue_init")
        run.equal(list(operations(trace)), [], "operations")
        return
    run.equal(sorted(map(str, operations(trace))), sorted(map(str, expected())), "operations")
    run.equal(handles(trace), {"many": [1, 0, 1], "opened": [2, 0, 2], "refused": [1, 0, 1],
                               "registered": [1, 1, 2]}, "handles")
