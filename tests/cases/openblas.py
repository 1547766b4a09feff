# SPDX-License-Identifier: BSD-3-Clause
"""OpenBLAS with OpenMP, brought by Python's ctypes: a runtime that nothing is linked with."""

of = "wrappers/openmp"
ROUNDS = 3

command = ["/usr/bin/python3", "-B", "multiply.py"]
env = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
files = {"multiply.py": f"""
import ctypes
from ctypes import byref, c_char, c_double, c_int

blas = ctypes.CDLL("/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0")
SIZE = 256
matrix = c_double * (SIZE * SIZE)
a = matrix(*(i % 7 - 3 for i in range(SIZE * SIZE)))
b = matrix(*(i % 5 - 2 for i in range(SIZE * SIZE)))
c = matrix()
n, one, no = c_int(SIZE), c_double(1), c_char(b"N")
for _ in range({ROUNDS}):
    blas.dgemm_(byref(no), byref(no), byref(n), byref(n), byref(n), byref(one), a, byref(n), b,
                byref(n), byref(one), c, byref(n))
print(blas.openblas_get_num_threads(), sum(x * (i % 3) for i, x in enumerate(c)), c[1234])
# The same by hand: columns first.
row, column = 1234 % SIZE, 1234 // SIZE
print({ROUNDS} * sum(a[row + SIZE * k] * b[k + SIZE * column] for k in range(SIZE)))
"""}


def check(trace, run):
    first, second = run.plain.stdout.splitlines()
    run.equal(first.split()[0], "2", "threads of OpenBLAS")
    run.equal(first.split()[2], second, "a number of the product")
    kinds, regions = trace.kinds(), trace.regions()
    run.equal(len(trace.streams), 2, "threads")
    run.equal(kinds["ThreadFork"], ROUNDS, "ThreadFork")
    run.equal(kinds["ThreadJoin"], ROUNDS, "ThreadJoin")
    run.equal(kinds["ThreadTeamBegin"], 2 * ROUNDS, "ThreadTeamBegin")
    run.equal(regions["!$omp parallel @exec_blas"], 2 * ROUNDS, "parallel regions")
    run.equal(regions["!$omp implicit barrier @exec_blas"], ROUNDS, "implicit barriers")
