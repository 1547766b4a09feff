# SPDX-License-Identifier: BSD-3-Clause
"""OpenMP inside MPI ranks: messages by all threads, both runtimes, both MPI libraries."""

of = "wrappers/openmp"
ranks = 2
THREADS, STEPS = 2, 10
env = {"OMP_NUM_THREADS": str(THREADS)}


def main(run):
    for compiler in ("gcc", "clang"):
        words = run.launcher() + run.command(["{programs}/omp_ranks." + compiler + "{mpi}"])
        check(run, compiler, run.standard(compiler, words)[1])


def check(run, compiler, trace):
    kinds, regions = trace.kinds(), trace.regions()
    messages = ranks * (STEPS + THREADS)
    run.equal((kinds["MpiSend"], kinds["MpiRecv"]), (messages, messages), f"messages ({compiler})")
    run.equal(kinds["ThreadFork"], ranks * (STEPS + 2), f"forks ({compiler})")
    run.expect(kinds["ThreadTeamBegin"] >= kinds["ThreadFork"] * THREADS, f"members ({compiler})")
    critical = sum(n for name, n in regions.items() if name.startswith("!$omp critical"))
    run.equal(critical, ranks * THREADS, f"critical regions ({compiler})")
    run.equal(trace.processes(), [0, 1], "processes")
    senders = {stream.location for stream in trace.streams if stream.kinds.get("MpiSend")}
    run.equal(len(senders), ranks * THREADS, f"threads that send ({compiler})")
