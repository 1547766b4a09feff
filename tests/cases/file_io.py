# SPDX-License-Identifier: BSD-3-Clause
"""MPI-IO: every kind of access is one operation with its exact bytes, and nothing of what fails."""
import os

of = "wrappers/mpi"
command = ["{programs}/file_io{mpi}"]
ranks = 3

READ, WRITE, FLUSH = 0, 1, 2
PLAIN, BACKGROUND, TOGETHER = 0, 1, 2  # flags of operations; the last two add up
UNDEFINED = 0xffffffffffffffff
BLOCK = 100
# Of each rank and file, as the program's text says: (mode, flags): (operations, asked, done).
DATA = {
    (WRITE, PLAIN): (3, 3 * BLOCK, 3 * BLOCK),
    (READ, PLAIN): (3, 3 * BLOCK, 2 * BLOCK + 4),  # one at the end of the file
    (WRITE, TOGETHER): (3, 3 * BLOCK, 3 * BLOCK),
    (READ, TOGETHER): (3, 3 * BLOCK, 3 * BLOCK),
    (WRITE, BACKGROUND): (2, 2 * BLOCK, 2 * BLOCK),
    (READ, BACKGROUND): (4, 3 * BLOCK, 3 * BLOCK),  # one of nothing
    (WRITE, BACKGROUND | TOGETHER): (4, 4 * BLOCK, 4 * BLOCK),
    (READ, BACKGROUND | TOGETHER): (4, 4 * BLOCK, 4 * BLOCK),
    (FLUSH, TOGETHER): (1, UNDEFINED, UNDEFINED),
}
SHARED = {
    (WRITE, PLAIN): (1, BLOCK, BLOCK), (READ, PLAIN): (1, BLOCK, BLOCK),
    (WRITE, TOGETHER): (1, BLOCK, BLOCK), (READ, TOGETHER): (1, BLOCK, BLOCK),
    (WRITE, BACKGROUND): (1, BLOCK, BLOCK), (READ, BACKGROUND): (1, BLOCK, BLOCK),
    (WRITE, BACKGROUND | TOGETHER): (1, BLOCK, BLOCK),
    (READ, BACKGROUND | TOGETHER): (1, BLOCK, BLOCK),
}
ALONE = {(WRITE, PLAIN): (2, 12, 12), (READ, PLAIN): (1, BLOCK, 12)}
# Access mode, creation flags, status flags of every opening.
OPENED = {"data.bin": [(2, 1, 0)], "shared.bin": [(2, 1, 0x100)],
          "alone": [(1, 1 | 8, 0), (1, 0, 2), (0, 0x400, 0)]}
START, CURRENT, END = 0, 1, 2
# What else each rank calls. Both libraries do MPI-IO by many more calls of their own.
OTHERS = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Comm_dup": 1,
          "MPI_Comm_free": 1, "MPI_Barrier": 4, "MPI_Wait": 7, "MPI_Waitall": 2, "MPI_Waitany": 1,
          "MPI_Finalize": 1}
UNCOUNTED = ("MPI_Test", "MPI_Get_count", "MPI_Type_vector", "MPI_Type_commit", "MPI_Type_free")


def output(folder):
    with open(os.path.join(folder, "data.bin"), "rb") as file:
        return file.read()


def operations(events):
    """{handle: {(mode, flags): (operations, asked, done)}}; each is begun and completed once."""
    begun, sums = {}, {}
    for name, values in events:
        if name == "IoOperationBegin":
            handle, mode, flags, asked, number = values
            assert number not in begun, f"operation {number} begins twice"
            begun[number] = (handle, mode, flags, asked)
        elif name == "IoOperationComplete":
            _, done, number = values
            handle, mode, flags, asked = begun[number]
            n, all_asked, all_done = sums.setdefault(handle, {}).get((mode, flags), (0, 0, 0))
            sums[handle][mode, flags] = (n + 1, all_asked + asked, all_done + done)
    return sums


def seeks(rank):
    """Of the file "data.bin": offset, whence and result. Two views put the pointer to 0."""
    def at(row):
        return (row * ranks + rank) * BLOCK

    def to(row):
        return (at(row), START, at(row))

    last = 11 * ranks * BLOCK - 4
    return [to(2), (-BLOCK, CURRENT, at(2)), to(3), to(3), to(6), to(6), to(7), to(7), to(9), to(9),
            (0, START, 0), (-25, CURRENT, 0), (0, START, 0), (-4, END, last)]


def check(trace, run):
    archive = trace.archive
    paradigms = [values for name, values in archive.definitions if name == "IoParadigm"]
    run.equal([(archive.string(p["identification"]), archive.string(p["name"]),
                p["ioParadigmClass"], p["ioParadigmFlags"]) for p in paradigms],
              [("MPI-IO", "MPI-IO", 1, 0)], "I/O paradigms")
    handles = {values["self"]: values for name, values in archive.definitions if name == "IoHandle"}
    files = {values["self"]: archive.string(values["name"])
             for name, values in archive.definitions if name == "IoRegularFile"}
    folder = os.path.join(run.scratch, "outer")
    names = ["data.bin", "shared.bin"] + [f"alone.{rank}" for rank in range(ranks)]
    run.equal(sorted(files.values()), sorted(os.path.join(folder, name) for name in names), "files")
    run.equal(len(handles), 2 + 3 * ranks, "handles: of common files one for all ranks")
    run.equal({name: count for name, count in trace.regions().items()
               if name.startswith("MPI_") and not name.startswith("MPI_File")
               and name not in UNCOUNTED},
              {name: count * ranks for name, count in OTHERS.items()}, "other calls")
    for rank in range(ranks):
        check_rank(trace, run, rank,
                   lambda handle: os.path.basename(files[handles[handle]["file"]]))


def check_rank(trace, run, rank, name_of):
    events = [(name, values) for name, _, values, _ in trace.events(rank << 32)
              if name.startswith("Io")]
    totals = {}
    for handle, sums in operations(events).items():
        into = totals.setdefault(name_of(handle), {})
        for key, sum_ in sums.items():
            into[key] = tuple(a + b for a, b in zip(into.get(key, (0, 0, 0)), sum_))
    run.equal(totals, {"data.bin": DATA, "shared.bin": SHARED, f"alone.{rank}": ALONE},
              f"operations of rank {rank}")
    opened = {}
    for name, values in events:
        if name == "IoCreateHandle":
            opened.setdefault(name_of(values[0]).replace(f"alone.{rank}", "alone"),
                              []).append(tuple(values[1:]))
    run.equal(opened, OPENED, f"how rank {rank} opens files")
    background = sum(n for sums in (DATA, SHARED) for (_, flags), (n, _, _) in sums.items()
                     if flags & BACKGROUND)
    count = [name for name, _ in events].count
    run.equal(count("IoOperationIssued"), background, "operations in the background")
    run.equal((count("IoDestroyHandle"), count("IoDeleteFile"), count("IoOperationCancelled")),
              (5, 1, 0), "closed, deleted, cancelled")
    sought = [(name_of(values[0]), tuple(values[1:])) for name, values in events
              if name == "IoSeek"]
    run.equal([s for name, s in sought if name == "data.bin"], seeks(rank), "seeks")
    run.equal([s for name, s in sought if name == "shared.bin"],
              [(ranks * BLOCK, START, ranks * BLOCK), (-ranks * BLOCK, CURRENT, UNDEFINED),
               (0, START, 0)], "seeks of the shared pointer")
