# SPDX-License-Identifier: BSD-3-Clause
"""Entries of libgomp that older compilers use: parallel regions in two parts, combined loops."""

of = "wrappers/openmp"
command = ["{programs}/gomp_entries"]


def check(trace, run):
    kinds, regions = trace.kinds(), trace.regions()
    of = {}
    for name, n in regions.items():
        construct = name.removeprefix("!$omp ").split(" @")[0]
        of[construct] = of.get(construct, 0) + n
    run.equal(kinds["ThreadFork"], 1 + 3 + 3, "forks")
    run.equal(kinds["ThreadJoin"], 7, "joins")
    run.equal(of["parallel"], 3 + 3 * 2 + 3 + 3 + 2, "members")
    run.equal(of["for"], 6, "loops")
    run.equal(of["sections"], 2, "sections")
    run.equal(kinds["ThreadTaskComplete"], 6, "tasks")
    run.equal(kinds["ThreadAcquireLock"], 6 + 6 + 200 + 5, "atomic constructs")
