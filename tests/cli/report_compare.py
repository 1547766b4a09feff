#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
spur report of several archives, and its --diff: `report_compare.py BUILD [N]`. Efficiencies of runs
with planted times are exact; those of N sets that are drawn (6) are as a brute-force model has them.
The seed is printed; SPUR_TEST_SEED sets it.
"""

import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]
from compare_archives import Run, draw  # noqa: E402
from compare_model import Model  # noqa: E402
from report_schema import report_faults  # noqa: E402

SHARES = ("parallel_efficiency", "mpi_efficiency", "load_balance", "communication_efficiency",
          "serialisation", "transfer", "thread_efficiency", "thread_serial", "thread_load_balance",
          "thread_scheduling")


class Tests:
    def __init__(self, build, folder):
        self.report = os.path.join(build, "libexec", "spur", "spur-report")
        self.folder = folder
        self.n = 0
        self.faults = 0

    def fault(self, *words):
        print("FAULT:", *words)
        self.faults += 1

    def same(self, what, got, wanted):
        is_same = got == wanted
        if isinstance(got, (int, float)) and isinstance(wanted, (int, float)):
            is_same = math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-9)
        if not is_same:
            self.fault(f"{what}: {got} instead of {wanted}")

    def write(self, run):
        self.n += 1
        return run.write(os.path.join(self.folder, f"run {self.n}"))

    def run(self, *words):
        return subprocess.run([self.report, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, encoding="utf-8")

    def json(self, *words):
        done = self.run("--json", *words)
        self.same(f"status and errors of {words}", (done.returncode, done.stderr), (0, ""))
        value = json.loads(done.stdout)
        for fault in report_faults(value):
            self.fault("schema:", fault)
        return value

    def compare(self, *words):
        """(the report, {(ranks, threads): {figure: row}})."""
        value = self.json(*words)
        found = {}
        for row in value["sections"]["scaling"]:
            found.setdefault((row["ranks"], row["threads"]), {})[row["figure"]] = row
        for place, figures in found.items():
            is_alone = next(iter(found.values()))["runtime"]["runs"] == 1
            self.bounds(place, {key: row["value"] for key, row in figures.items()}, figures, is_alone)
        return value, found

    def bounds(self, place, value, figures, is_alone):
        """No share above 100 %, and factors make their product where they are no medians."""
        for key in SHARES:
            if value[key] is not None and not 0 <= value[key] <= 100.0001:
                self.fault(f"{place}: {key} is {value[key]}")
        for row in figures.values():
            if row["value"] is not None and not row["min"] <= row["value"] <= row["max"]:
                self.fault(f"{place}: not in its range: {row}")
        products = (("mpi_efficiency", "load_balance", "communication_efficiency"),
                    ("communication_efficiency", "serialisation", "transfer"),
                    ("thread_efficiency", "thread_serial", "thread_load_balance", "thread_scheduling"),
                    ("parallel_efficiency", "mpi_efficiency", "thread_efficiency"),
                    ("global_efficiency", "parallel_efficiency", "computation_scaling"),
                    ("computation_scaling", "instruction_scaling", "ipc_scaling", "frequency_scaling"))
        for whole, *parts in products:
            if not is_alone or figures[whole]["runs"] > 1 or any(value[part] is None for part in parts):
                continue
            product = 100.0 * math.prod(value[part] / 100.0 for part in parts)
            self.same(f"{place}: product of {parts}", value[whole], product)

    def values(self, found, place, **wanted):
        for key, value in wanted.items():
            self.same(f"{key} of {place}", found[place][key]["value"], value)


# ---- planted times ----

def alone(tests, work=4000, rates=None):
    run = Run(1, rates=rates)
    run.work(0, work, "solve")
    return tests.write(run)


def of_works(tests, works, took=0, rates=None):
    """Ranks that work so long, and then a barrier."""
    run = Run(len(works), rates=rates)
    for rank, ticks in enumerate(works):
        run.work(rank, ticks, "solve")
    run.meet("MPI_Barrier", took)
    return tests.write(run)


def imbalance(tests):
    """Load balance 0.5 on four ranks, 0.8 on two: nothing else is lost."""
    archives = of_works(tests, (2000, 1000, 500, 500)), alone(tests), of_works(tests, (2500, 1500))
    value, found = tests.compare(*archives)
    tests.values(found, (1, 1), load_balance=100, global_efficiency=100, speedup=1, runtime=4)
    tests.values(found, (2, 1), load_balance=80, serialisation=100, transfer=100, speedup=1.6,
                 computation_scaling=100, global_efficiency=80)
    tests.values(found, (4, 1), load_balance=50, serialisation=100, transfer=100, speedup=2,
                 parallel_efficiency=50, global_efficiency=50, work=4, runtime=2, thread_efficiency=None)
    tests.same("order", [(run["archive"], run["cpus"]) for run in value["compared"]],
               [(os.path.join(archives[i], "traces.otf2"), n) for i, n in ((1, 1), (2, 2), (0, 4))])
    tests.same("what stops", value["stops"],
               "From 1 to 4 CPUs the global efficiency goes from 100.0 % to 50.0 %: what falls most is load "
               "balance, from 100.0 % to 50.0 %. In seconds of all threads, what grows most is MPI_Barrier, "
               "from 0 s to 4.000 s. With 4 CPUs the ranks wait 4.000 s for each other (50 % of all time). "
               "The main cause (100 %) is rank 0: `solve` after MPI_Init (2.000 s, 3.0 times the mean of the "
               "other ranks); a remedy gains up to 1.333 s (--by causes).")
    rows = {row["region"]: row for row in value["sections"]["growth"]}
    tests.same("growth", (rows["MPI_Barrier"]["change"], rows["MPI_Barrier"]["paradigm"],
                          rows["solve"]["change"]), (4.0, "MPI", 0.0))
    text = tests.run(*archives)
    for line in ("3 runs of solver, strong scaling",
                 "  ranks x threads                       1 x 1    2 x 1    4 x 1",
                 "        load balance %                  100.0     80.0     50.0",
                 "          serialisation %               100.0    100.0    100.0"):
        if line not in text.stdout.splitlines():
            tests.fault(f"no line '{line}' in\n{text.stdout}")
    csv = tests.run("--csv", *archives).stdout.splitlines()
    tests.same("CSV", (csv[0], "4,1,4,1,load_balance,50,50,50" in csv),
               ("ranks,threads,cpus,runs,figure,value,min,max", True))


def frame(tests):
    """MPI_Init grows most, which no efficiency covers: a part of the barrier is what grows."""
    small, large = Run(1), Run(2, [9000, 9010])
    small.work(0, 1000, "solve")
    large.work(0, 500, "solve")
    large.work(1, 500, "solve")
    for run in (small, large):
        run.meet("MPI_Barrier", 2)
    value = tests.json(tests.write(small), tests.write(large))
    tests.same("the frame", [(row["region"], round(row["change"], 6)) for row in value["sections"]["growth"]],
               [("MPI_Barrier", 0.012), ("solve", 0.0)])
    if "what grows most is MPI_Barrier, from 2.000 ms to 14.00 ms." not in value["stops"]:
        tests.fault("the frame:", value["stops"])


def chain(tests):
    """Each rank works when the one before has sent: all is serialisation; then all is transfer."""
    run, sent = Run(4), 0
    for rank in range(4):
        if rank:
            run.receive(rank - 1, rank, sent, 0)
        run.work(rank, 1000)
        sent = run.ranks[rank].time
        if rank < 3:
            run.send(rank, rank + 1, 0)
    value, found = tests.compare(alone(tests), tests.write(run), of_works(tests, (1000, 1000), took=1000))
    tests.values(found, (4, 1), load_balance=100, communication_efficiency=25, serialisation=25, transfer=100)
    tests.values(found, (2, 1), load_balance=100, communication_efficiency=50, serialisation=100, transfer=50,
                 computation_scaling=200)
    if "what falls most is serialisation, from 100.0 % to 25.0 %" not in value["stops"]:
        tests.fault("a chain:", value["stops"])


def instructions(tests):
    """Two ranks do twice the instructions, at half of the cycles by instruction, and as often."""
    value, found = tests.compare(of_works(tests, (1000, 1000), rates=(4000000, 2000000)),
                                 alone(tests, 1000, rates=(2000000, 2000000)))
    tests.values(found, (1, 1), ipc=1, frequency=2, instruction_scaling=100)
    tests.values(found, (2, 1), ipc=2, frequency=2, instruction_scaling=25, ipc_scaling=200,
                 frequency_scaling=100, computation_scaling=50, global_efficiency=50)
    tests.same("instructions stop", "instruction scaling, from 100.0 % to 25.0 %" in value["stops"], True)
    _, weak = tests.compare("--weak", of_works(tests, (1000, 1000)), alone(tests, 1000))
    tests.values(weak, (2, 1), computation_scaling=100, global_efficiency=100, speedup=2)


def hybrid(tests):
    """A team of two: 200 alone, 400 together, of which the threads are busy for 300 and 200."""
    run = Run(1)
    run.work(0, 200)
    run.team(0, (300, 200), 400, 2)
    value, found = tests.compare(tests.write(run), alone(tests, 700))
    tests.values(found, (1, 2), parallel_efficiency=100 * 700 / 1200, mpi_efficiency=100,
                 thread_efficiency=100 * 700 / 1200, thread_serial=100 * 1000 / 1200,
                 thread_load_balance=87.5, thread_scheduling=80, computation_scaling=100, speedup=700 / 600)
    tests.same("threads stop", "thread scheduling, from 100.0 % to 80.0 %" in value["stops"], True)


def unlike_teams(tests):
    """A rank with the team of `hybrid`, and one that works alone for 300: means of ranks are by threads."""
    run = Run(2)
    run.work(0, 200)
    run.team(0, (300, 200), 400, 2)
    run.work(1, 300)
    run.meet("MPI_Barrier", 0)
    _, found = tests.compare(tests.write(run), alone(tests, 1000))
    tests.values(found, (2, None), parallel_efficiency=100 * 1000 / 1800, mpi_efficiency=100 * 1500 / 1800,
                 load_balance=100 * 500 / 600, communication_efficiency=100,
                 thread_efficiency=100 * 1000 / 1500, thread_serial=None)


def no_split(tests):
    """A message that was not sent, and unknown neighbours: no ideal time, but a reason."""
    run = of_works(tests, (100, 100))
    odd = Run(2)
    odd.work(0, 100)
    odd.receive(1, 0, 50, 0)
    odd.work(1, 300)
    value, found = tests.compare(run, tests.write(odd), alone(tests, 100))
    tests.same("a reason", value["compared"][2]["no_split"],
               "messages or collective operations are incomplete")
    halo = Run(2)
    halo.work(0, 100)
    halo.meet("MPI_Neighbor_alltoall", 1)
    value_of_halo, _ = tests.compare(tests.write(halo), alone(tests, 100))
    tests.same("another", value_of_halo["compared"][1]["no_split"], "collective operations of neighbours")
    tests.same("values", (found[2, 1]["serialisation"]["min"], found[2, 1]["runtime"]["runs"]), (100.0, 2))


# ---- drawn runs ----

def drawn(tests, seed):
    rng = random.Random(seed)
    counts = sorted(rng.sample((1, 2, 3, 4, 7), 3))
    runs = {n: [tests.write(draw(rng, n)) for _ in range(rng.choice((1, 1, 2, 3)))] for n in counts}
    models = {n: [Model(os.path.join(place, "traces.otf2")).figures() for place in places]
              for n, places in runs.items()}
    first = {key: statistics.median(figures[key] for figures in models[counts[0]])
             for key in models[counts[0]][0] if all(key in figures for figures in models[counts[0]])}
    for figures in (figures for some in models.values() for figures in some):
        figures["speedup"] = first["runtime"] / figures["runtime"]
        figures["computation_scaling"] = 100 * first["work"] / figures["work"]
        figures["global_efficiency"] = figures["parallel_efficiency"] * figures["computation_scaling"] / 100
        if "ipc" in figures and "ipc" in first:
            figures["ipc_scaling"] = 100 * figures["ipc"] / first["ipc"]
            figures["instruction_scaling"] = 100 * first["instructions"] / figures["instructions"]
            figures["frequency_scaling"] = 100 * figures["frequency"] / first["frequency"]
    places = [place for some in runs.values() for place in some]
    rng.shuffle(places)
    value, found = tests.compare(*places)
    tests.same(f"seed {seed}: all have ideal times", {run["no_split"] for run in value["compared"]}, {None})
    for n, some in models.items():
        for key in some[0].keys() - {"instructions"}:
            values = [figures[key] for figures in some if key in figures]
            row = found[n, 1][key]
            tests.same(f"seed {seed}: {key} of {n} ranks", row["value"], statistics.median(values))
            tests.same(f"seed {seed}: least {key} of {n} ranks", row["min"], min(values))
            tests.same(f"seed {seed}: runs of {n} ranks", row["runs"], len(some))


# ---- what changed ----

def repeated(tests, solve, extra, begin=10):
    run = Run(2, [begin, begin])
    for rank in range(2):
        run.work(rank, solve, "solve")
        run.work(rank, extra, "extra")
    run.meet("MPI_Barrier", 3)
    return tests.write(run)


def changes(tests):
    """Repeats: `solve` is a little slower inside of the noise, `extra` outside of it."""
    before = [repeated(tests, ticks, 100) for ticks in (100, 110, 120)]
    after = [repeated(tests, ticks, 140 + ticks % 3) for ticks in (105, 115, 125)]
    value = tests.json(*before, "--diff", ",".join(after))
    rows = {row["region"]: row for row in value["sections"]["diff"]}
    tests.same("runs", (len(value["runs_before"]), len(value["runs_after"])), (3, 3))
    tests.same("solve", [rows["solve"][key] for key in
                         ("before", "before_min", "before_max", "after", "noise", "calls_after")],
               [0.22, 0.2, 0.24, 0.23, "inside", 2])
    tests.same("extra", [rows["extra"][key] for key in ("before", "after", "noise")], [0.2, 0.282, "outside"])
    one = tests.json(before[0], "--diff", after[0])
    tests.same("no noise", {row["noise"] for row in one["sections"]["diff"]}, {None})
    text = tests.run(*before, *[word for place in after for word in ("--diff", place)]).stdout
    for part in ("of 3 and 3 runs that are equal are apart by chance in 1 of 10 rows",
                 "1 of 5 rows are outside of the noise"):
        if part not in text:
            tests.fault(f"no '{part}' in\n{text}")


def by_what(tests):
    """By process, call path and waits."""
    before, after = of_works(tests, (300, 100), 2), of_works(tests, (300, 50), 2)
    value = tests.json(before, "--diff", after, "--by", "process,callpath,waits,sites")["sections"]
    tests.same("tables", sorted(value), ["diff_callpaths", "diff_processes", "diff_sites", "diff_waits"])
    rows = {(row["process"], row["part"]): row for row in value["diff_processes"]}
    tests.same("work of rank 1", [rows["rank 1", "work"][key] for key in ("before", "after", "change")],
               [0.1, 0.05, -0.05])
    tests.same("waiting of rank 1", rows["rank 1", "waiting"]["change"], 0.05)
    tests.same("work of rank 0", rows["rank 0", "work"]["change"], 0.0)
    paths = {row["callpath"]: row for row in value["diff_callpaths"]}
    tests.same("path", [paths["(program) > solve"][key] for key in ("change", "calls_after")], [-0.05, 2])
    waits = {(row["region"], row["why"]): row for row in value["diff_waits"]}
    tests.same("waits", (waits["MPI_Barrier", "collective"]["before"],
                         waits["MPI_Barrier", "collective"]["after"]), (0.2, 0.25))
    csv = tests.run("--csv", before, "--diff", after, "--by", "waits").stdout.splitlines()
    tests.same("CSV", csv[0].split(",")[:3], ["region", "why", "change"])


def wrong(tests):
    """Each is one line on stderr."""
    solver, other = alone(tests), Run(2, command="./other")
    other.work(0, 100)
    other.work(1, 100)
    place = tests.write(other)
    for status, words in ((1, (solver, place)), (2, (solver, "--weak")),
                          (2, (solver, place, "--by", "region")),
                          (2, (solver, "--diff", place, "--weak")), (2, (solver, place, "--process", "0")),
                          (2, (solver, "--diff", place, "--by", "messages")), (2, (solver, "--by", "waits")),
                          (2, (solver, place, "--suggest-filter", "f")),
                          (1, (solver, place, solver + "/none")),
                          (2, (solver, "--diff", place, "--csv", "--by", "region,waits"))):
        done = tests.run(*words)
        tests.same(f"status, output and lines of {words}",
                   (done.returncode, done.stdout, done.stderr.count("\n")), (status, "", 1))
    if "--any-program" not in tests.run(solver, place).stderr:
        tests.fault("the remedy is not named")
    tests.compare("--any-program", solver, place)


def main():
    build, n = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 6
    seed = os.environ.get("SPUR_TEST_SEED", str(random.SystemRandom().randrange(10**6)))
    print("seed", seed)
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(build, folder)
        for test in (imbalance, frame, chain, instructions, hybrid, unlike_teams, no_split, changes, by_what,
                     wrong):
            test(tests)
        for i in range(n):
            drawn(tests, f"{seed} {i}")
    return 1 if tests.faults else 0


if __name__ == "__main__":
    sys.exit(main())
