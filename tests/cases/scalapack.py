# SPDX-License-Identifier: BSD-3-Clause
"""
A test of ScaLAPACK as Debian ships it: LU factorisation on all grids of two processes. Without
iterative refinement: it needs PDLACON, which compares a variable that it has not set. On some machines its
ranks then go different ways, and one run in three hangs, without spur as well.
"""

of = "wrappers/mpi"
command = ["/usr/lib/x86_64-linux-gnu/scalapack/{library}-tests/xdlu"]
ranks = 2
env = {"OMP_NUM_THREADS": "1"}
files = {"LU.dat": """'ScaLAPACK, LU factorization input file'
'MPI Machine'
'LU.out'                output file name (if any)
6                       device out
1                       number of problems sizes
31                      values of M
31                      values of N
1                       number of NB's
5                       values of NB
1                       number of NRHS's
9                       values of NRHS
1                       Number of NBRHS's
5                       values of NBRHS
2                       number of process grids (ordered pairs of P & Q)
1 2                     values of P
2 1                     values of Q
1.0                     threshold
F                       (T or F) Test Cond. Est. and Iter. Ref. Routines
"""}


def stdout(text):
    """Which tests were made and passed; the last columns but one of their lines are times."""
    lines = []
    for line in text.splitlines():
        words = line.split()
        is_result = len(words) > 4 and words[0] == "WALL"
        lines.append(words[:-5] + words[-1:] if is_result else words)
    return lines


def check(trace, run):
    run.expect("tests completed and passed residual checks" in run.plain.stdout, "passed tests")
    run.equal(trace.processes(), list(range(ranks)), "processes")
    run.expect(trace.kinds()["MpiSend"] + trace.kinds().get("MpiIsend", 0) > 200,
               "more than 200 messages")
