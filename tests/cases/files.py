# SPDX-License-Identifier: BSD-3-Clause
"""
MPI-IO by every Fortran binding of both libraries, and by the ROMIO that Open MPI brings along: the
same records, with the bytes exact, and nothing of what the libraries do for it.
"""

of = "wrappers/mpi"
ranks = 2
mpi = None
env = {"SPUR_WRAP": "mpi"}  # what the Fortran runtime does with threads is not part of the program

LIBRARIES = (("mpich", {}), ("openmpi", {}), ("openmpi", {"OMPI_MCA_io": "romio321"}))
BINDINGS = ("files_mpif", "files_use_mpi", "files_use_f08")
READ, WRITE, FLUSH = 0, 1, 2
BACKGROUND, TOGETHER = 1, 2
# What the libraries call themselves in the course of MPI-IO, and the program once.
OTHERS = {"MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Wait": 1}
UNDEFINED = 0xffffffffffffffff
BLOCK = 40


def records(rank):
    """Of a rank, in order; operations are numbered from 0."""
    def operation(number, mode, flags, asked=BLOCK, done=BLOCK):
        issued = [("IoOperationIssued", 0, number)] if flags & BACKGROUND else []
        return [("IoOperationBegin", 0, mode, flags, asked, number), *issued,
                ("IoOperationComplete", 0, done, number)]

    return ([("IoCreateHandle", 0, 2, 1, 0), *operation(0, WRITE, TOGETHER),
             ("IoSeek", 0, rank * BLOCK, 0, rank * BLOCK), *operation(1, READ, 0),
             *operation(2, READ, BACKGROUND), *operation(3, READ, BACKGROUND | TOGETHER),
             *operation(4, READ, TOGETHER), *operation(5, FLUSH, TOGETHER, UNDEFINED, UNDEFINED),
             ("IoDestroyHandle", 0)] + ([("IoDeleteFile", 0, 0)] if rank == 0 else []))


def main(run):
    for number, (run.mpi, more) in enumerate(LIBRARIES):
        for binding in BINDINGS if not more else BINDINGS[-1:]:
            label = f"{binding}.{run.mpi}.{number}"
            words = run.launcher() + run.command(["{programs}/" + binding + "{mpi}"])
            traced, trace = run.standard(label, words, more)
            run.equal(traced.status, 0, "exit status of " + label)
            run.equal({name: trace.regions()[name] for name in OTHERS},
                      {name: count * ranks for name, count in OTHERS.items()}, "other calls")
            for rank in range(ranks):
                got = [(name, *values) for name, _, values, _ in trace.events(rank << 32)
                       if name.startswith("Io")]
                run.equal(got, records(rank), f"records of rank {rank} of {label}")
