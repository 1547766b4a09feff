# SPDX-License-Identifier: BSD-3-Clause
"""All collectives, out of place and in place: the bytes that each member is said to move."""

of = "wrappers/mpi"
command = ["{programs}/collectives{mpi}"]
ranks = 4

ROOT = 1
INT = 4
CREATES = (17, 18)


def bytes_out_of_place(me, size):
    """(region, sent, received) in the order of the program's calls."""
    mine, total, is_root = (me + 1) * INT, size * (size + 1) // 2 * INT, me == ROOT
    return [
        ("Barrier", 0, 0),
        ("Bcast", size * 10 * INT * is_root, 10 * INT),
        ("Scatter", size * INT * is_root, INT),
        ("Scatterv", total * is_root, mine),
        ("Gather", INT, size * INT * is_root),
        ("Gatherv", mine, total * is_root),
        ("Reduce", 3 * INT, size * 3 * INT * is_root),
        ("Allgather", size * INT, size * INT),
        ("Allgatherv", size * mine, total),
        ("Alltoall", size * INT, size * INT),
        ("Alltoallv", size * INT, size * INT),
        ("Alltoallw", size * INT, size * INT),
        ("Allreduce", size * 5 * INT, size * 5 * INT),
        ("Reduce_scatter_block", size * 2 * INT, size * 2 * INT),
        ("Reduce_scatter", total, size * mine),
        ("Scan", (size - me) * 2 * INT, (me + 1) * 2 * INT),
        ("Exscan", (size - me - 1) * 2 * INT, me * 2 * INT)]


def bytes_in_place(me, size):
    mine, total, is_root = (me + 1) * INT, size * (size + 1) // 2 * INT, me == ROOT
    others = size - 1
    return [
        ("Scatter", others * INT * is_root, INT * (not is_root)),
        ("Scatterv", (total - mine) * is_root, mine * (not is_root)),
        ("Gather", INT * (not is_root), others * INT * is_root),
        ("Gatherv", mine * (not is_root), (total - mine) * is_root),
        ("Reduce", 3 * INT * (not is_root), others * 3 * INT * is_root),
        ("Allgather", others * INT, others * INT),
        ("Allgatherv", others * mine, total - mine),
        ("Alltoall", others * INT, others * INT),
        ("Alltoallv", others * INT, others * INT),
        ("Alltoallw", others * INT, others * INT),
        ("Allreduce", others * 5 * INT, others * 5 * INT),
        ("Reduce_scatter_block", others * 2 * INT, others * 2 * INT),
        ("Reduce_scatter", total - mine, others * mine),
        ("Scan", (size - me - 1) * 2 * INT, me * 2 * INT),
        ("Exscan", (size - me - 1) * 2 * INT, me * 2 * INT)]


def neighbour_bytes(_me, _size):
    return [("Neighbor_" + name, 2 * INT, 2 * INT)
            for name in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")]


def expected(me, size):
    pass_ = bytes_out_of_place(me, size) + bytes_in_place(me, size) + neighbour_bytes(me, size)
    return [("MPI_" + name, sent, received) for name, sent, received in pass_] + \
        [("MPI_I" + name.lower(), sent, received) for name, sent, received in pass_]


def recorded(trace, location):
    """The same of the archive; a non-blocking operation stands under the region that started it."""
    names, started, region = {}, {}, None
    for name, _, values, _ in trace.events(location):
        if name == "Enter":
            region = names.setdefault(values[0], trace.archive.name_of("Region", values[0]))
        elif name == "NonBlockingCollectiveRequest":
            started[values[0]] = region
        elif name == "MpiCollectiveEnd" and values[0] not in CREATES:
            yield region, values[3], values[4]
        elif name == "NonBlockingCollectiveComplete":
            yield started[values[5]], values[3], values[4]


def check(trace, run):
    for me in range(ranks):
        got, want = list(recorded(trace, me << 32)), expected(me, ranks)
        for number, (one, other) in enumerate(zip(got, want)):
            run.equal(one, other, f"rank {me}, collective {number} (region, sent, received)")
        run.equal(len(got), len(want), f"collectives of rank {me}")
