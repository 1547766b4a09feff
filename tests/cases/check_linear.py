# SPDX-License-Identifier: BSD-3-Clause
"""
`spur check` takes time in proportion to the archive: four times the events take about four times
the instructions, whatever the program did. Each archive is of a kind that once took their square.
"""

import os
import shutil

from instructions import instructions
from judge.otf2_write import write_archive

of = "tools/check"
SMALL, LARGE, MOST = 1500, 6000, 6
NONE, GLOBAL = 0xffffffff, 1
PTHREAD = 7


def definitions(events, members=(), flags=0):
    """Two processes of one thread each, and a communicator of `members`."""
    world = sorted(members) or [0, 1]
    made = [("ClockProperties", 1000000000, 0, 10 ** 7, 5)]
    made += [("String", i, text) for i, text in enumerate(("", "MPI", "thread", "PTHREAD"))]
    made += [("Paradigm", 4, 1, 0), ("Paradigm", 7, 3, 2), ("SystemTreeNode", 0, 2, 2, NONE)]
    made += [("LocationGroup", i, 2, 1, 0, NONE) for i in world]
    made += [("Location", i, 2, 1, len(events.get(i, ())), i) for i in world]
    made += [("Group", 0, 1, 6, [(i,) for i in world], 4, 4, 0),
             ("Group", 1, 1, 4, [(i,) for i in members or world], 5, 4, flags),
             ("Comm", 0, 1, 1, NONE, 0)]
    return made


def locks_of_others(n):
    """Always released by another thread, which is not recorded: held for ever."""
    events = {0: [(10 * i, "ThreadAcquireLock", PTHREAD, 1, i + 1) for i in range(n)],
              1: [(5, "BufferFlush", 6)]}
    return {"definitions": definitions(events), "events": events}


def cancelled_sends(n):
    """All sends are started, then cancelled from the last one on."""
    events = {0: [(i, "MpiIsend", 1, 0, 7, 8, i) for i in range(n)] +
                 [(n + i, "MpiRequestCancelled", n - 1 - i) for i in range(n)],
              1: [(5, "BufferFlush", 6)]}
    return {"definitions": definitions(events), "events": events}


def receives_backwards(n):
    """All receives are posted, then completed from the last one on."""
    events = {0: [(i, "MpiSend", 1, 0, 7, 8) for i in range(n)],
              1: [(n + i, "MpiIrecvRequest", i) for i in range(n)] +
                 [(2 * n + i, "MpiIrecv", 0, 0, 7, 8, n - 1 - i) for i in range(n)]}
    return {"definitions": definitions(events), "events": events}


def global_members(n):
    """A communicator whose ranks are those of the world, in falling order; all send to the first."""
    n = max(n // 4, 2)
    members = list(range(n))[::-1]
    events = {rank: [(rank + 1, "MpiSend", 0, 0, 7, 8)] for rank in range(1, n)}
    events[0] = [(n + rank, "MpiRecv", rank, 0, 7, 8) for rank in range(1, n)]
    return {"definitions": definitions(events, members, GLOBAL), "events": events}


KINDS = (locks_of_others, cancelled_sends, receives_backwards, global_members)


def main(run):
    run.expect(shutil.which("valgrind"), "valgrind is installed")
    wrong = []
    for kind in KINDS:
        archives = [write_archive(os.path.join(run.scratch, f"{kind.__name__}{n}"), **kind(n))
                    for n in (0, SMALL, LARGE)]
        counts = [instructions(run, "spur-check", "--foreign", archive) for archive in archives]
        ratio = (counts[2] - counts[0]) / (counts[1] - counts[0])
        print(f"{kind.__name__}: {counts} instructions, ratio {ratio:.2f}")
        wrong += [] if ratio < MOST else [kind.__name__]
    run.equal(wrong, [], "archives that take more than their share")
