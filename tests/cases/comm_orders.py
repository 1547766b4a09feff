# SPDX-License-Identifier: BSD-3-Clause
"""
Communicators of the same members that ranks make in different orders: each has its name, messages
and collective operations in the archive, of all its members.
"""

of = "wrappers/mpi finish/define"
command = ["{programs}/comm_orders{mpi}"]
ranks = 3
# By name: the bytes of its message and of each rank's part in its broadcast.
LENGTHS = {"copy": 11, "made": 12, **{f"thread {thread}, {number}": 20 + 5 * thread + number
                                      for thread in range(4) for number in range(5)}}


def check(trace, run):
    moved = {}
    for stream in trace.streams:
        for name, _, values, _ in trace.events(stream.location):
            if name in ("MpiSend", "MpiRecv"):
                moved.setdefault(trace.archive.name_of("Comm", values[1]), []).append(values[3])
            elif name == "MpiCollectiveEnd" and values[0] == 1:
                moved.setdefault(trace.archive.name_of("Comm", values[1]), []).append(values[4])
    run.equal(moved, {name: [length] * 5 for name, length in LENGTHS.items()},
              "bytes by communicator")
