# SPDX-License-Identifier: BSD-3-Clause
"""A program without OpenMP that loads a plug-in with it, out of sight: both runtimes."""

of = "wrappers/openmp"
ROUNDS, THREADS = 3, 2


def main(run):
    for compiler in ("gcc", "clang"):
        words = [f"{run.programs}/plugins_host", f"{run.programs}/omp_plugin.{compiler}.so"]
        traced, trace = run.standard(compiler, words)
        run.equal(traced.status, 0, f"exit status of the host of {compiler}")
        counts = {}
        for name, n in trace.regions().items():
            kind = name.split(" @")[0]
            counts[kind] = counts.get(kind, 0) + n
        run.equal(trace.kinds()["ThreadFork"], ROUNDS, f"forks of {compiler}")
        for kind in ("!$omp parallel", "!$omp for", "!$omp critical"):
            run.equal(counts[kind], ROUNDS * THREADS, f"{kind} of {compiler}")
