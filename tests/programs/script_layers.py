# SPDX-License-Identifier: BSD-3-Clause
"""
Functions of Python that C of numpy and h5py calls, which call creat() and MPI_Barrier(), and say before in
which functions they are, as script_stacks.py does.
"""

import json

import h5py
import numpy
from mpi4py import MPI
from script_stacks import close, free, held, said, truth

comm = MPI.COMM_WORLD
sums = numpy.zeros(1, dtype="i4")


def combine(a, b, _datatype):
    numpy.frombuffer(b, dtype="i4")[:] += numpy.frombuffer(a, dtype="i4")


def call(n=0):
    said() or close(free(b"made", 0o600))
    said() or comm.Barrier()
    said() or close(held(b"made", 0o600))
    return n


def along(row):
    numpy.frompyfunc(call, 1, 1)(row[:1])
    return row.sum()


def visit(name, item):
    call()
    numpy.vectorize(call, otypes=[int])([1])


def read(name):
    with h5py.File(f"data.{comm.rank}.h5", "w") as file:
        file.create_group("group")["numbers"] = numpy.arange(10)
        file.visititems(visit)


class Rows:
    def __array__(self, *_, **__):
        call()
        return numpy.zeros(2)


def reduces():
    operation = MPI.Op.Create(combine, commute=True)
    said() or comm.Barrier()
    comm.Allreduce(numpy.ones(1, dtype="i4"), sums, operation)
    operation.Free()
    assert sums[0] == comm.size


numpy.apply_along_axis(along, 1, numpy.ones((2, 2)))
numpy.asarray(Rows())
sorted([2], key=lambda n: read(n))
reduces()
with open(f"truth.{comm.rank}", "w") as file:
    json.dump(truth, file)
truth.clear()
