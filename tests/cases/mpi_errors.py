# SPDX-License-Identifier: BSD-3-Clause
"""
Calls that fail and return. What had not begun is an operation of the process alone; what had begun
and failed takes its place among those of the others, and the message that did not fit is received.
"""

import re

of = "wrappers/mpi"
command = ["{programs}/mpi_errors{mpi}"]
ranks = 3


def stderr(text):
    """Open MPI says what fails in the background, with the addresses; ranks say it in between."""
    text = re.sub(r"MPI Error in|NBC_Progress", r"\n\g<0>", text)
    return set(re.sub(r"0x[0-9a-f]+|\d+", "#", text).splitlines()) - {""}


# By rank: wrong arguments of two communicators. A root that there is not leaves no record.
ALONE = [2 * ["BCAST", "BCAST", "CREATE_HANDLE", "ALLREDUCE"], 2 * ["ALLREDUCE"],
         2 * ["ALLREDUCE", "GATHER"]]
OPERATIONS = {0: "BARRIER", 1: "BCAST", 2: "GATHER", 11: "ALLREDUCE", 17: "CREATE_HANDLE"}


def of_rank(trace, rank):
    """The operations that are the process's alone, the bytes of receives, the marked records."""
    alone, received, marked, is_marked = [], {}, 0, False
    for name, _, values, _ in trace.events(rank << 32):
        if name == "MpiCollectiveEnd" and trace.archive.name_of("Comm", values[1]) == "MPI_COMM_SELF":
            alone += [OPERATIONS.get(values[0], values[0])]
        if name in ("MpiRecv", "MpiIrecv") and values[0] == 0:
            received.setdefault(values[2], []).append((values[3], is_marked))
        is_marked = name == "ParameterUnsignedInt"
        marked += is_marked
    return alone, received, marked


def check(trace, run):
    for rank in range(ranks):
        alone, received, _ = of_rank(trace, rank)
        alone = [name for name in alone if name != "CREATE_HANDLE" or rank == 0]
        run.equal([name for name in alone if name != 18], ALONE[rank],
                  f"operations of rank {rank} alone")
        for tag, messages in sorted(received.items()):
            messages = [size for size, is_marked in messages if not is_marked], len(messages)
            run.equal(messages, ([12], 2), f"tag {tag}")
        run.equal(len(received), 5 if rank == 1 else 0, "tags")
    # The communicator of both MPI libraries is freed at the end, after all that has failed.
    run.equal(trace.kinds()["CommDestroy"], 3 * ranks, "CommDestroy")
