# SPDX-License-Identifier: BSD-3-Clause
"""SPUR_FILTER leaves out calls and constructs by name, on threads, ranks and in OpenMP."""

import os

of = "settings agent/definitions"
mpi = ["mpich", "openmpi"]
REGIONS = "SCOREP_REGION_NAMES_BEGIN\n{}\nSCOREP_REGION_NAMES_END\n"


def stdout(text):
    return sorted(text.splitlines())


def traced(run, label, program, rules, ranks=0):
    """The trace of `program` under these rules; it prints what it always does."""
    path = os.path.join(run.scratch, label + ".filter")
    with open(path, "w", encoding="utf-8") as file:
        file.write(rules)
    words = run.launcher(ranks) + run.command([program])
    if run.plain is None or run.plain[0] != program:
        run.plain = program, run.execute(words, "plain")
    how = ["--locks", "all", "--filter", path]
    return run.judge(run.record(label, how + words, plain=run.plain[1])[1])


def told(trace):
    """What the processes say they left out."""
    return set(trace.archive.said("FILTERED_REGIONS"))


def without(regions, prefix):
    return {name: n for name, n in regions.items() if not name.startswith(prefix)}


def fixed(trace):
    """The regions, but for how often a condition is waited for, which differs from run to run."""
    return without(trace.regions(), "pthread_cond_wait")


def threads(run):
    program = "{programs}/thread_locks"
    everything = fixed(traced(run, "all", program, ""))
    # Nothing but wildcards means the program's own regions, of which there are none.
    for label, rules in (("stars", "EXCLUDE *"), ("last", "EXCLUDE pthread_* INCLUDE pthread_*")):
        trace = traced(run, label, program, REGIONS.format(rules))
        run.equal(fixed(trace), everything, f"regions with {rules}")
        run.equal(told(trace), set(), f"what is left out with {rules}")
    rules = REGIONS.format("EXCLUDE pthread_mutex_* # all of them\n  sem_[pw]*")
    trace = traced(run, "some", program, rules)
    left = without(without(everything, "pthread_mutex_"), "sem_")
    run.equal(without(fixed(trace), "sem_init"), left, "regions that are left")
    names = set(", ".join(told(trace)).split(", "))
    run.expect({"pthread_mutex_lock", "sem_post"} <= names, f"names of what was left out: {names}")


def ranks(run):
    program = "{programs}/groups{mpi}"
    trace = traced(run, "completion", program, REGIONS.format("EXCLUDE MPI_Wait*"), 2)
    kinds, regions = trace.kinds(), trace.regions()
    run.expect(not any(name.startswith("MPI_Wait") for name in regions), "no MPI_Wait*")
    run.equal((kinds["MpiIsend"], kinds["MpiIsendComplete"], kinds["MpiIrecv"]), (4, 4, 4),
              "messages whose completion is outside of any region")
    rules = REGIONS.format("EXCLUDE MPI_*\nINCLUDE MPI_B* MPI_Init MPI_Finalize")
    trace = traced(run, "barrier", program, rules, 2)
    run.equal(trace.regions(), {"MPI_Barrier": 2, "MPI_Init": 2, "MPI_Finalize": 2}, "regions")
    run.equal(trace.kinds().get("MpiIsend", 0), 0, "messages")


def constructs(run):
    program = "{programs}/gomp_tasks"
    everything = traced(run, "omp", program, "")
    rules = REGIONS.format("EXCLUDE !$omp\\ taskw* !$omp\\ task\\ *")
    trace = traced(run, "no_waits", program, rules)
    left = without(without(everything.regions(), "!$omp taskwait"), "!$omp task ")
    run.expect(len(left) < len(everything.regions()), "something that is left out")
    run.equal(set(trace.regions()), set(left), "regions")
    # Forks and tasks' creations hang on the regions that they stand in.
    trace = traced(run, "no_omp", program, REGIONS.format("EXCLUDE !$omp*"))
    for kind in ("ThreadFork", "ThreadTaskCreate"):
        run.equal(trace.kinds().get(kind), everything.kinds().get(kind), kind)
    kept = ("!$omp parallel", "!$omp create task", "!$omp critical", "!$omp atomic", "!$omp ordered")
    run.equal([name for name in trace.regions() if not name.startswith(kept) and name[0] == "!"],
              [], "other constructs")


def mistakes(run):
    words = run.command(["{programs}/thread_locks"])
    bad, missing = (os.path.join(run.scratch, name) for name in ("bad.filter", "missing"))
    with open(bad, "w", encoding="utf-8") as file:
        file.write("# one\n\nEXCLUDE foo\n")
    result, archive = run.record("bad", words, {"SPUR_FILTER": bad})
    naming = [line for line in result.spur if "bad.filter:3:" in line]
    run.equal(len(naming), 1, f"lines that name the place ({result.spur})")
    run.expect("pthread_mutex_lock" in run.judge(archive).regions(), "everything is recorded")
    result, _ = run.record("none", words, {"SPUR_FILTER": missing})
    naming = [line for line in result.spur if missing + ": No such file" in line]
    run.equal(len(naming), 1, f"lines that name the file ({result.spur})")


def main(run):
    ranks(run)
    if run.mpi == "mpich":
        threads(run)
        constructs(run)
        mistakes(run)
