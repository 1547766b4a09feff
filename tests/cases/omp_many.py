# SPDX-License-Identifier: BSD-3-Clause
"""
10,000 tasks, 2,000 parallel regions and three levels of nesting, by 1, 2 and 16 threads, on both
runtimes: every task is created, completed and switched to; the same teams serve all regions.
"""

of = "wrappers/openmp"
TASKS, REGIONS, NESTED = 10000, 2000, 10 * (1 + 2 + 4)
THREADS = (1, 2, 16)


def main(run):
    for compiler in ("gcc", "clang"):
        for threads in THREADS:
            one_run(run, f"omp_many.{compiler}", threads)


def one_run(run, program, threads):
    label = f"{program}.{threads}"
    _, trace = run.standard(label, run.command(["{programs}/" + program]), {"OMP_NUM_THREADS": str(threads)})
    kinds = trace.kinds()
    forks = 2 + REGIONS + NESTED
    run.equal((kinds["ThreadFork"], kinds["ThreadJoin"]), (forks, forks), f"forks of {label}")
    run.equal((kinds["ThreadTaskCreate"], kinds["ThreadTaskComplete"]), (TASKS, TASKS),
              f"tasks of {label}")
    run.expect(kinds["ThreadTaskSwitch"] >= TASKS, f"a switch to each task of {label}")
    teams = [values for name, values in trace.archive.definitions if name == "Comm"]
    # One serves all of 2 + REGIONS; libgomp has new threads for nested regions, which form new ones.
    run.expect(len(teams) <= NESTED + 3, f"few teams of {label}, not {len(teams)}")
