# SPDX-License-Identifier: BSD-3-Clause
"""
Programs that are drawn anew in each run, under drawn settings: all commands tell the same of each as a reader
of its own, whole and in a window (tests/cli/agreement.py), and what omp_drawn tells of itself. A fault names
the seed.

    DRAWN=200                so many programs in place of 10
    DRAWN_SEED=7             the first seed; the others follow it
"""

import os
import random

from agree import agree

of = "tools/check tools/export tools/print tools/query tools/report tools/view"
COUNT = int(os.environ.get("DRAWN", "10"))
FIRST = int(os.environ.get("DRAWN_SEED", random.SystemRandom().randrange(10**6)))
OPTIONS = (("--sites",), ("--sample", "500"), ("--unwind", "8"), ("--metrics", "rusage:minflt"),
           ("--memory",), ("--memory=1K",), ("--locks", "all"), ("--locks", "contended"),
           ("--min-duration", "2us"))
SHORT = "--min-duration"  # calls that are not recorded are in no number


def omp_drawn(draw, seed):
    compiler, preload = draw.choice((("gcc", ""), ("clang", ""), ("gcc", "libomp.so.5")))
    env = {"LD_PRELOAD": preload, "KMP_BLOCKTIME": "0"}
    return [f"{{programs}}/omp_drawn.{compiler}", str(seed)], 0, None, env


def of_mpi(name, ranks):
    def command(draw, seed):
        mpi = draw.choice(("mpich", "openmpi"))
        return [f"{{programs}}/{name}.{mpi}", str(seed)], draw.choice(ranks), mpi, {}
    return command


def of_soak(_, seed):
    return ["{programs}/../soak/soak", str(seed)], 0, None, {"SOAK_ROOM": "16384"}  # see soak.py


KINDS = (omp_drawn, of_mpi("mpi_random", (2, 3, 4)), omp_drawn, of_soak, of_mpi("coll_random", (4, 5)))


def check_own(run, archive, text, options, what):
    """The program's own numbers."""
    told = [line.split() for line in text.splitlines()]
    regions = {row["name"]: row["calls"] for row in run.query(archive, "SELECT name, calls FROM regions")}
    reported = run.report(archive, "--top", "0")["sections"]
    rows = {row["region"]: row["calls"] for row in reported["regions"]}
    files = {row["kind"]: (row["n"], row["bytes"]) for row in
             run.query(archive, "SELECT lower(kind) AS kind, count(*) AS n, sum(bytes) AS bytes"
                                " FROM operations WHERE file LIKE '%drawn.dat' GROUP BY 1")}
    for kind, *words in told:
        if kind == "calls" and SHORT not in options:
            name, n = words[0], int(words[1])
            run.equal((regions.get(name, 0), rows.get(name, 0)), (n, n), f"{what}: calls of {name}")
        elif kind == "file":
            run.equal(files.get(words[0], (0, 0)), tuple(map(int, words[1:])), f"{what}: {words[0]}")
        elif kind == "forks":
            run.equal(sum(row["calls"] for row in reported["parallel"]), int(words[0]), f"{what}: forks")


def one(run, seed):
    draw = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    words, ranks, run.mpi, env = kind(draw, seed)
    options = [word for choice in draw.sample(OPTIONS, draw.randrange(3)) for word in choice]
    what = f"{seed}: {' '.join(words)} {ranks} {options}"
    words = ["--io", "posix", *options, *run.launcher(ranks), *run.command(words)]
    traced, archive = run.record(str(seed), words, env, status=None)
    if kind is not of_soak:
        run.equal(traced.status, 0, f"{what}: status\n{traced.stderr[-1000:]}")
    if kind is omp_drawn:
        check_own(run, archive, traced.stdout, options, what)
    print(what, flush=True)
    agree(run, archive)


def main(run):
    faults = []
    for seed in range(FIRST, FIRST + COUNT):
        try:
            one(run, seed)
        except run.Failed as failure:
            faults.append(f"DRAWN=1 DRAWN_SEED={seed}: {failure}")
            print("FAULT:", faults[-1], flush=True)
    run.expect(not faults, "one truth of each: " + "\n".join(faults))
