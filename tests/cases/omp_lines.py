# SPDX-License-Identifier: BSD-3-Clause
"""
Lines of OpenMP constructs are those that the program prints: built by gcc at each level of optimisation, on
libgomp and on libomp, and by clang. A function that is inlined twice has one region, with lines and without.
"""

of = "wrappers/openmp"
GOMP, OMP = "", ":libomp.so.5"
RUNS = ([(f"omp_lines.gcc.{level}", preload) for level in ("O0", "O1", "O2", "O3", "Os")
         for preload in (GOMP, OMP)] +
        [(f"omp_lines.clang.{level}", GOMP) for level in ("O0", "O2")])
# Kinds of regions by what the program prints; clang calls the functions of target regions itself.
KINDS = {"parallel": "parallel", "task": "task", "create task": "task", "taskwait": "taskwait",
         "taskloop": "taskloop", "target": "target", "teams": "teams", "critical": "critical"}


def regions(archive):
    """[(kind, place)] of the OpenMP regions, by their definitions."""
    names = (archive.name_of("Region", number) for number in archive.spaces["Region"])
    return sorted(tuple(name[len("!$omp "):].split(" @")) for name in names
                  if name.startswith("!$omp "))


def trace(run, program, preload):
    """The regions, and what the program printed."""
    label = program + preload.replace(":", ".")
    words = ["env", f"LD_PRELOAD={run.library}{preload}", *run.command([f"{{programs}}/{program}"])]
    traced, archive = run.record(label, words)
    return regions(run.judge(archive).archive), traced.stdout


def main(run):
    faults = []
    for program, preload in RUNS:
        found, stdout = trace(run, program, preload)
        truth = sorted(set(tuple(line.split()) for line in stdout.splitlines()))
        for kind, said in KINDS.items():
            want = [f"omp_lines.c:{line}" for name, line in truth if name == said]
            if kind == "target" and ".clang." in program:
                want = []
            have = [place for name, place in found if name == kind]
            # Tasks of a taskloop have its line.
            want += [f"omp_lines.c:{line}" for name, line in truth
                     if name == "taskloop" and said == "task"]
            if sorted(have) != sorted(want):
                faults.append(f"{program}{preload}: {kind}: {have}, the program says {want}")
    run.expect(not faults, "the lines that the program prints:\n  " + "\n  ".join(faults))
    for preload in (GOMP, OMP):
        found, _ = trace(run, "omp_lines.bare", preload)
        bare = [place for kind, place in found if kind == "parallel"]
        run.equal(bare.count("twice"), 1, f"regions of twice() without lines{preload}: {bare}")
        run.equal(bare.count("main"), 0, f"regions of main() without lines{preload}: {bare}")
