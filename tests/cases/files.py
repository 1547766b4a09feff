# SPDX-License-Identifier: BSD-3-Clause
"""MPI-IO by every Fortran binding of both libraries: the same records, with the bytes exact."""

ranks = 2
mpi = None
env = {"SPUR_WRAP": "mpi"}  # what the Fortran runtime does with threads is not part of the program

BINDINGS = ("files_mpif", "files_use_mpi", "files_use_f08")
READ, WRITE, FLUSH = 0, 1, 2
BACKGROUND, TOGETHER = 1, 2
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
    for run.mpi in ("mpich", "openmpi"):
        for binding in BINDINGS:
            label = f"{binding}.{run.mpi}"
            program = run.command(["{programs}/" + binding + "{mpi}"])
            plain = run.execute(run.launcher() + program, "plain." + label)
            archive = f"{run.scratch}/{label}.archive"
            run.same(run.execute([run.spur, "-o", archive] + run.launcher() + program, label),
                     plain)
            run.equal(plain.status, 0, "exit status of " + label)
            trace = run.judge(archive)
            for rank in range(ranks):
                got = [(name, *values) for name, _, values, _ in trace.events(rank << 32)
                       if name.startswith("Io")]
                run.equal(got, records(rank), f"records of rank {rank} of {label}")
