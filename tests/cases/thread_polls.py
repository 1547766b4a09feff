# SPDX-License-Identifier: BSD-3-Clause
"""
A thread that polls locks, semaphores and descriptors until another thread gives what it asks for, and
counts its calls. From the 64th unsuccessful call in a row they are one region with the number of
calls, and the time is waiting; all commands tell the program's own numbers. SPUR_POLLS=all records
each. Then rows of polls of random length, with locks, signals, forks and pauses of recording between.
RUNS=100 in the environment makes that many, SEED=N repeats a run.
"""

import os
import random
import re

from polls import ALONE, exported, judged, told, windows

of = "agent/record wrappers/pthread"
ROUNDS, LATE_US = 2, 20000
RUNS, SEED = int(os.environ.get("RUNS", "6")), int(os.environ.get("SEED", "0"))
LOCKS = ("mutex", "mtx", "spin", "rwlock")
GIVEN_UP, FILTERED = "pthread_spin_trylock", "sem_trywait"
FORMS = ({}, {"SPUR_FILTER": "{filter}"}, {"SPUR_UNWIND": "5"}, {"SPUR_SAMPLE": "500"}, {"SPUR_POLLS": "all"},
         {"SPUR_SITES": "on", "SPUR_BUFFER": "64K"})


def executed(run, name, env, words):
    program = run.command(["{programs}/thread_polls", *words])
    result, archive = run.record(name, ["--io", "wait", *program], env)
    rows = re.findall(r"^(\w+) (\d+)(?: (\d+))?$", result.stdout, re.M)
    truth = {}
    for function, calls, _ in rows:
        truth[function] = truth.get(function, 0) + int(calls)
    truth = {function: calls for function, calls in truth.items() if calls}
    return archive, truth, [(function, int(ns or 0) / 1e9) for function, _, ns in rows]


def near(got, want):
    return 0.9 * want - 0.002 <= got <= want


def waiting(run, archive, took):
    """The time of stretches is waiting: for locks by name, and in the functions that have no lock."""
    report = run.report(archive, "--top", "0")["sections"]
    regions = {row["region"]: row["waiting"] for row in report["regions"]}
    for name in dict(took):
        want = sum(seconds for function, seconds in took if function == name)
        run.expect(near(regions[name], want), f"{name}: waiting {want}, got {regions[name]}")
    locks = {row["name"]: row["waiting"] for row in report["locks"]}
    for lock in LOCKS:  # but for the row of polls that is given up, the last one
        want = sum(seconds for name, seconds in took[:-1] if lock in name)
        run.expect(near(locks[lock], want), f"{lock}: waiting {want}, got {locks[lock]}")


def main(run):
    few = [str(ROUNDS), str(LATE_US)]
    archive, truth, took = executed(run, "auto", {}, few)
    regions = judged(run, archive, truth, "auto")
    run.expect(min(truth.values()) > 10 * ROUNDS * ALONE, f"many polls of each: {truth}")
    for name, n in regions.items():
        rows = ROUNDS + (name == GIVEN_UP)
        run.expect(rows * ALONE < n <= rows * (ALONE + 2), f"{name}: {n} regions")
    waiting(run, archive, took)
    windows(run, archive, truth)
    exported(run, archive)
    archive, truth, took = executed(run, "all", {"SPUR_POLLS": "all"}, [str(ROUNDS), "1000"])
    judged(run, archive, truth, "all", False)
    path = os.path.join(run.scratch, "filter")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE {FILTERED}\nSCOREP_REGION_NAMES_END\n")
    chance = random.Random(SEED)
    seeds = [SEED] if SEED else [chance.randrange(1 << 30) for _ in range(RUNS)]
    for n, seed in enumerate(seeds):
        env = {name: value.format(filter=path) for name, value in FORMS[n % len(FORMS)].items()}
        print(f"SEED={seed} {env}")
        archive, truth, _ = executed(run, f"random.{n}", env, [str(seed)])
        if "SPUR_FILTER" in env:
            run.expect(truth.pop(FILTERED, 0), f"{FILTERED} is called")
        judged(run, archive, truth, f"SEED={seed}")
        if "SPUR_FILTER" in env:
            run.equal(told(run, archive, [FILTERED]), [{}, {}], "a function that is filtered out")
