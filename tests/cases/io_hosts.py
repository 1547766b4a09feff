# SPDX-License-Identifier: BSD-3-Clause
"""
What programs do to descriptors is as it is without the agent: closed standard streams, threads that
are cancelled while they read, interrupts, many descriptors and those with the highest numbers, descriptors
that come over a socket, jumps, handlers at fork(), a fork by a system call, an open() that waits, one that
never comes back, a program that starts with its table of descriptors full.
The same programs run with the family there and nothing of it recorded.
"""

import errno

import io_events
import matrix

of = "wrappers/io"
MODES = ("closed", "cancel", "interrupts", "many", "passed", "threads", "jump", "million", "forks", "clones",
         "waits", "slow", "full")
# Bytes of each file: (read, written); None where that is left to chance.
BYTES = {"closed": {"first": (0, 5), "third": (0, 11)}, "many": {"file": (0, 450)},
         "passed": {"passed": (0, 15)},
         "threads": {f"t{i}": (0, 2000) for i in range(4)}, "million": {"file": (0, 21)},
         "forks": {"file": (0, 2 * (7 + 6 + 6 + 6))},
         "clones": {"one": (0, 1 + 2 * 5), "two": (0, 2 + 2 * 9)}, "waits": {"t0": (0, 2000)},
         "slow": {f"t{i}": (0, 2000) for i in range(3)}, "full": {"file": (0, 4 + 5)}}
WRAP = {"slow": "io,pthread,process", "full": "io,pthread,process"}
# Where the handler jumps out of the agent in the middle of a record, recording of the thread ends there.
AFTER_JUMP = ((0, 5), (0, 0))


def by_call(trace, location):
    """{region: bytes that are written in calls from within it, None: from the program}."""
    inside, found = [], {}
    for name, _, values, _ in trace.events(location):
        if name == "Enter":
            inside.append(trace.archive.name_of("Region", values[0]))
        elif name == "Leave":
            inside.pop()
        elif name == "IoOperationComplete":
            caller = inside[-2] if len(inside) > 1 else None
            found[caller] = found.get(caller, 0) + values[1]
    return found


def within_fork(run):
    """Handlers run inside of fork(), whose region is in the parent only."""
    for cell in matrix.cells(run, "forks.process", ["{programs}/serial_io_hosts", "forks"], ways=["launcher"],
                             settings={"SPUR_IO": "posix", "SPUR_WRAP": "io,process"}, unfinished=False):
        trace = cell.trace(run, False)
        run.equal(io_events.sums(trace), BYTES["forks"], "forks, recorded: bytes")
        written = [by_call(trace, stream.location) for stream in trace.streams]
        run.equal(written, [{"fork": 2 * (7 + 6)}, {None: 6 + 6}, {None: 6 + 6}], "forks: bytes by processes")


def interrupted(run):
    """On a pipe: interrupted, would block, all that was asked for, and a part of it."""
    settings = {"SPUR_IO": "net", "SPUR_WRAP": "io,pthread"}
    for cell in matrix.cells(run, "interrupts.net", ["{programs}/serial_io_hosts", "interrupts"],
                             ways=["launcher"], settings=settings, unfinished=False):
        trace, found, asked = cell.trace(run, False), [], {}
        for stream in trace.streams:
            for name, _, values, attributes in trace.events(stream.location):
                if name == "IoOperationBegin":
                    asked[values[4]] = values[1], values[3]
                elif name == "IoOperationComplete":
                    error = attributes[0][2] if attributes else 0
                    found.append((*asked[values[2]], values[1], error))
        run.equal(found, [(io_events.READ, 1000, 0, errno.EINTR), (io_events.READ, 1000, 0, errno.EAGAIN),
                          (io_events.WRITE, 3, 3, 0), (io_events.READ, 1000, 3, 0)], "operations on the pipe")


def main(run):
    within_fork(run)
    interrupted(run)
    for mode in MODES:
        words = ["{programs}/serial_io_hosts", mode]
        is_cut = mode == "jump"  # it may leave what spur itself is at
        for cell in matrix.cells(run, mode, words, ways=["launcher"], unfinished=is_cut,
                                 settings={"SPUR_IO": "posix", "SPUR_WRAP": WRAP.get(mode, "io,pthread")},
                                 archive=None if mode == "interrupts" else True):
            if mode not in BYTES and not is_cut:
                continue
            trace = cell.trace(run, is_cut)
            sums = io_events.sums(trace)
            if mode == "forks":
                run.equal(len(trace.streams), 1 + 2, "forks: the processes that there were")
            if is_cut:
                run.expect(sums.get("file") in AFTER_JUMP, f"{mode}: bytes: {sums}")
                continue
            run.equal({name: sums.get(name) for name in BYTES[mode]}, BYTES[mode], f"{mode}: bytes")
        for _ in matrix.cells(run, f"{mode}.off", words, ways=["agent"], archive=None,
                              settings={"SPUR_WRAP": "pthread"}):
            pass
