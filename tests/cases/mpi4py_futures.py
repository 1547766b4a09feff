# SPDX-License-Identifier: BSD-3-Clause
"""The pool of mpi4py: a manager thread, an intercommunicator to the workers, pickled tasks."""

of = "wrappers/mpi"
SCRIPT = """
from mpi4py.futures import MPIPoolExecutor


def square(x):
    return x * x


def fail(x):
    raise ValueError(x)


if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        print(sum(pool.map(square, range(200), chunksize=7)))
        print([f.result() for f in [pool.submit(pow, 2, n) for n in range(20)]])
        print(type(pool.submit(fail, 3).exception()).__name__)
        print(list(pool.starmap(divmod, [(7, 2), (9, 4)])))
"""

command = ["/usr/bin/python3", "-B", "-m", "mpi4py.futures", "script.py"]
ranks = 4
mpi = ["openmpi"]
files = {"script.py": SCRIPT}


def check(trace, run):
    run.expect(str(sum(x * x for x in range(200))) in run.plain.stdout, "the sum of the squares")
    run.equal(trace.processes(), list(range(ranks)), "processes")
    run.expect(trace.regions().get("MPI_Intercomm_create", 0) == ranks, "MPI_Intercomm_create")
    run.expect(trace.kinds().get("MpiIsend", 0) + trace.kinds().get("MpiSend", 0) > 50,
               "more than 50 messages")
