# SPDX-License-Identifier: BSD-3-Clause
"""
Persistent collective operations belong together by the order in which they were made, whatever the
order of their starts; messages in partitions never meet plain ones.
"""

of = "wrappers/mpi"
command = ["{programs}/mpi_starts{mpi}"]
ranks = 3
mpi = ["mpich"]  # Open MPI 4.1 has neither
ROUNDS, OPERATIONS = 3, 4


def check(trace, run):
    for rank in range(ranks):
        series, partitions, previous = {}, [], None
        for name, _, values, _ in trace.events(rank << 32):
            if name == "NonBlockingCollectiveRequest" and previous:
                series[previous[1]] = series.get(previous[1], 0) + 1
            elif name in ("MpiIsend", "MpiIrecvRequest") and previous:
                partitions.append(previous[1])
            previous = values if name == "ParameterUnsignedInt" else None
        run.equal(series, {number: 2 * ROUNDS for number in range(OPERATIONS)}, "starts by series")
        run.equal(partitions, [4] * ROUNDS if rank < 2 else [], f"partitions of rank {rank}")
