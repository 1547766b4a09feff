# SPDX-License-Identifier: BSD-3-Clause
"""One program in four languages on two MPI libraries: eight times the same sequence of records."""

of = "wrappers/mpi"
command = ["{programs}/eight{mpi}"]
ranks = 4
mpi = None
# What the Fortran runtime does with threads is not part of the program.
env = {"SPUR_WRAP": "mpi"}

LANGUAGES = ("eight", "eight_mpif", "eight_use_mpi", "eight_use_f08")


def first_difference(one, other):
    for left, right in zip(one, other):
        if left != right:
            return f"{left!r} and {right!r}"
    return f"{len(one)} and {len(other)} records"


def main(run):
    first = None
    for run.mpi in ("mpich", "openmpi"):
        for language in LANGUAGES:
            label = f"{language}.{run.mpi}"
            words = run.launcher() + run.command(["{programs}/" + language + "{mpi}"])
            traced, trace = run.standard(label, words)
            run.equal(traced.status, 0, "exit status of " + label)
            lines = list(trace.sequence())
            first = first or lines
            run.expect(lines == first, f"{label} to record what {LANGUAGES[0]}.mpich does:"
                                       f" {first_difference(lines, first)}")
