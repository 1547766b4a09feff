# SPDX-License-Identifier: BSD-3-Clause
"""
A program loads a plug-in that uses OpenMP, MPI, HDF5 or Python, uses the plug-in and unloads it, 200 times;
two files take turns at one address, and a thread uses a third meanwhile. The program expects that a closed
plug-in is gone, and that the code in use is the file's. Each file has calls of its own, recorded under their
own names.
"""

import os
import subprocess

of = "wrappers/kit wrappers/mpi wrappers/openmp wrappers/formats wrappers/python"
mpi = ["mpich", "openmpi"]
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "plugins")
ROUNDS = 200
SHARED = ["-g", "-O1", "-shared", "-fPIC"]
KEPT, FIRST, SECOND = range(3)


def build(run, out, source, compiler, *flags):
    path = os.path.join(run.scratch, out)
    words = [compiler, os.path.join(SOURCES, source), "-o", path, *flags]
    done = subprocess.run(words, stderr=subprocess.PIPE, check=False)
    run.equal(done.returncode, 0, f"{words}: {done.stderr.decode()}")
    return path


def line_of(text):
    with open(os.path.join(SOURCES, "unloaded.c"), encoding="utf-8") as source:
        return next(number for number, line in enumerate(source, 1) if line.startswith(text))


def plugin(run, kind, answer, compiler, *flags):
    name, answer = f"{kind}{answer}", f"-DANSWER={answer}"
    if kind != "fortran":
        return build(run, name + ".so", "unloaded.c", compiler, *SHARED, answer, *flags)
    part = build(run, name + ".o", "unloaded.c", "gcc", "-c", "-fPIC", answer, *flags)
    return build(run, name + ".so", "unloaded.F90", compiler, *SHARED, answer, part)


def unload(run, kind, compiler, *flags, regions, own=([], [], []), same=ROUNDS // 2):
    """
    `regions`: how often the main thread enters them; `own`: the flags of each file; `same`: the number of
    rounds that is surpassed by those with the address of the round before.
    """
    host = os.path.join(run.scratch, "unloads")
    files = [plugin(run, kind, answer, compiler, *flags, *own[answer]) for answer in (KEPT, FIRST, SECOND)]
    command = [host, str(ROUNDS), *files]
    env = {"SPUR_IO": "all", "SPUR_PYTHON": "on"}
    plain = run.execute(command, f"{kind}.plain", env)
    run.equal((plain.status, plain.stderr), (0, ""), f"{kind}, untraced")
    traced, archive = run.record(kind, command, env)
    for times in (plain.stdout, traced.stdout):
        run.expect(int(times) > same, f"{kind}: one address in {times} rounds")
    trace = run.judge(archive)
    found = trace.regions([stream for stream in trace.streams if stream.is_main])
    for region, calls in regions.items():
        run.equal(found[region], calls, f"{kind}: {region}")


def options_of(library):
    return subprocess.run(["pkg-config", "--cflags", "--libs", library], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()


def main(run):
    build(run, "unloads", "unloads.c", "gcc", "-I" + os.path.dirname(SOURCES), "-O1", "-pthread", "-ldl")
    for kind, compiler, flags in (("c", f"mpicc.{run.mpi}", ["-DWITH_MPI"]),
                                  ("fortran", f"mpif90.{run.mpi}", ["-DWITH_FORTRAN"])):
        unload(run, kind, compiler, *flags, regions={"MPI_Allreduce": ROUNDS // 2, "MPI_Reduce": ROUNDS // 2})
    if run.mpi != mpi[0]:
        return
    first = line_of("#pragma omp parallel num_threads")
    second = line_of("#pragma omp parallel for")
    for compiler in ("gcc", "clang"):
        unload(run, "openmp." + compiler, compiler, "-fopenmp",
               regions={f"!$omp parallel @unloaded.c:{line}": ROUNDS // 2 for line in (first, second)})
    serial, parallel = options_of("hdf5-serial"), options_of("hdf5-openmpi")
    unload(run, "hdf5", "gcc", "-DWITH_HDF5", regions={"H5Fcreate": ROUNDS}, own=(serial, serial, parallel))
    # The interpreter maps memory of its own between the rounds.
    unload(run, "python", "gcc", "-DWITH_PYTHON", *options_of("python3-embed"),
           regions={"first": ROUNDS // 2, "second": ROUNDS // 2}, same=0)
