#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Iterations against a model: `report_iterations.py BUILD [N]` draws N runs (120), writes them as
archives, and compares spur report with what follows word by word from docs/report.md. Some are loops,
whose number of iterations and growth are known, or steps that exchange with neighbours; some are calls in
any order, which have none. The seed is printed; SPUR_TEST_SEED sets it.
"""

import collections
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from report_archives import (MPI, NONE, USER, Texts, head, region, write_archive)  # noqa: E402

TICKS = 1000  # a second
LEAST, LOOPS = 8, 3
CALLS = [f"MPI_Call{i}" for i in range(12)]
NAMES = ["main", *CALLS, "step", "solve", "output", "MPI_Init"]
Call = collections.namedtuple("Call", "path begin end")


class Rank:
    """What a process calls, as it goes on."""

    def __init__(self, rng):
        self.rng, self.now, self.events, self.path = rng, 0, [], ()
        self.calls, self.longer = [], 0

    def work(self, ticks):
        self.now += ticks

    def enter(self, name):
        self.path += (name,)
        self.events.append((self.now, "Enter", NAMES.index(name)))
        self.calls.append((self.path, self.now, len(self.calls)))

    def leave(self):
        self.events.append((self.now, "Leave", NAMES.index(self.path[-1])))
        index = max(i for i, call in enumerate(self.calls) if call[0] == self.path)
        self.calls[index] = Call(self.path, self.calls[index][1], self.now)
        self.path = self.path[:-1]

    def call(self, name, ticks):
        self.enter(name)
        self.now += ticks
        self.leave()


class Loops:
    """A loop of all ranks: setup, then a body of some calls, an inner loop, rare calls; one rank grows."""

    def __init__(self, rng):
        self.rng, self.is_mpi = rng, True
        self.ranks = [Rank(rng) for _ in range(rng.choice((1, 2, 3, 5)))]
        names = rng.sample(CALLS, 8)
        self.n = rng.randrange(LEAST + 1, 60)
        self.growing = rng.randrange(len(self.ranks)) if rng.random() < 0.6 else None
        self.grows_after = names[3]
        body, rare = names[2:2 + rng.randrange(2, 4)], names[6]
        inner = rng.random() < 0.5
        every = rng.choice((0, 0, 5, self.n + 1))
        self.everywhere(names[0], 1)
        for step in range(self.n):
            self.step(step, body, names[7] if inner else None)
            if every and step % every == every - 1:
                self.everywhere(rare, 2)
        self.everywhere(names[1], 3)
        self.expected = self.n if not (every and self.n // every >= LEAST) else self.n // every

    def step(self, step, body, inner):
        repeats = self.rng.randrange(4, 7)
        for number, rank in enumerate(self.ranks):
            for name in body:
                rank.call(name, self.rng.randrange(3))
                if name == self.grows_after:
                    rank.work(20 + (6 * step if number == self.growing else 0))
            for _ in range(repeats if inner else 0):
                rank.work(12)
                rank.call(inner, 1)
        self.everywhere(body[0], 1)

    def everywhere(self, name, ticks):
        """All leave at the same time."""
        last = max(rank.now for rank in self.ranks) + ticks
        for rank in self.ranks:
            rank.call(name, last - rank.now)


class Chaos:
    """The same calls on all ranks, in any order."""

    def __init__(self, rng):
        self.is_mpi, self.growing = True, None
        self.ranks = [Rank(rng) for _ in range(rng.choice((1, 2, 4)))]
        names = rng.sample(CALLS, rng.randrange(5, 12))
        self.expected = 0
        for _ in range(rng.randrange(100, 400)):
            name = rng.choice(names)
            for rank in self.ranks:
                rank.work(rng.randrange(4))
                rank.call(name, rng.randrange(3))


class Steps:
    """A process without MPI, whose regions are the program's own, one within another."""

    def __init__(self, rng):
        self.is_mpi, self.n = False, rng.randrange(LEAST + 1, 40)
        self.growing, self.grows_after = (0 if rng.random() < 0.6 else None), None
        rank = Rank(rng)
        self.ranks, self.expected = [rank], self.n
        rank.work(rng.randrange(9))
        solves = rng.choice((2, 5))
        rank.enter("main")
        rank.work(rng.randrange(9))
        for step in range(self.n):
            rank.enter("step")
            rank.work(rng.randrange(2))
            for _ in range(solves):
                rank.call("solve", 30 + (2 * step if self.growing is not None else 0))
            rank.leave()
            rank.work(rng.randrange(2))
        rank.leave()


class Swaps:
    """
    Steps as those of molecular dynamics: all ranks send to their neighbours, twice in each step. The two
    exchanges have callers of their own, or only the work between the swaps tells one step from the next.
    """

    def __init__(self, rng):
        self.rng, self.is_mpi, self.growing = rng, True, None
        self.ranks = [Rank(rng) for _ in range(rng.choice((1, 2, 3)))]
        self.expected, self.swaps = rng.randrange(LEAST + 4, 50), rng.randrange(2, 7)
        self.names = rng.sample(CALLS, 5)
        callers = rng.choice((("solve", "output"), (None, None)))
        rare = rng.random() < 0.5
        for rank in self.ranks:
            rank.call("MPI_Init", 40000)  # which takes longer than all else
        self.everywhere(self.names[3])
        for step in range(self.expected):
            self.exchange(callers[0])
            self.work(300)
            self.exchange(callers[1])
            self.work(90)
            if rare and step == self.expected // 2:
                self.everywhere(self.names[4])
        self.everywhere(self.names[3])
        for rank in self.ranks:  # of ranks only calls of MPI count, behind MPI_Init
            rank.calls = [call for call in rank.calls if call.path[-1] in CALLS]

    def work(self, ticks):
        for rank in self.ranks:
            rank.work(ticks + self.rng.randrange(9))

    def exchange(self, caller):
        for rank in self.ranks:
            if caller:
                rank.enter(caller)
            for _ in range(self.swaps):
                rank.work(2 + self.rng.randrange(2))
                for name in self.names[:3]:
                    rank.call(name, self.rng.randrange(1, 3))
            if caller:
                rank.leave()

    def everywhere(self, name):
        for rank in self.ranks:
            rank.call(name, 5)


def archive(run):
    text, events = Texts(), {}
    numbers = range(len(run.ranks))
    for number, rank in enumerate(run.ranks):
        mark = ("ParameterInt", 0, 1)
        events[number << 32] = [(0, *mark), *rank.events, (rank.now, *mark)]
    names = [f"MPI Rank {i}" if run.is_mpi else f"process {i}" for i in numbers]
    made = head(text, max(rank.now for rank in run.ranks), names,
                [(i << 32, "Master thread", i) for i in numbers], events)
    made += [region(text, i, name, MPI if name.startswith("MPI_") else USER) for i, name in enumerate(NAMES)]
    if run.is_mpi:
        made += [("Group", 0, text(""), 6, [(i << 32,) for i in numbers], 4, MPI, 0),
                 ("Group", 1, text(""), 4, [(i,) for i in numbers], 5, MPI, 0),
                 ("Comm", 0, text("MPI_COMM_WORLD"), 1, NONE, 0)]
    return text.records() + made + [("Parameter", 0, text("mark"), 0)], events


# ---- the model ----

def shape(segment):
    return tuple(dict.fromkeys(call.path for call in segment))


def usual_segments(calls, at):
    """The share of the usual segments between these calls in the time, None: they are no beat."""
    segments = [calls[a + 1:b + 1] for a, b in zip(at, at[1:])]
    mean = (at[-1] - at[0]) / len(segments)
    sized = [(s, calls[b].begin - calls[a].begin) for s, a, b in zip(segments, at, at[1:])
             if mean / 2 <= len(s) <= 2 * mean]
    tally = collections.Counter(shape(s) for s, _ in sized)
    if not tally or 4 * max(tally.values()) < 3 * len(segments):
        return None
    most = tally.most_common(1)[0][0]
    time = sum(t for s, t in sized if shape(s) == most)
    whole = calls[-1].begin - calls[0].begin
    return time / whole if time and 2 * time >= whole else None


def ends_of_runs(calls, at):
    """Those of these calls before whose next one there is not once more what was before them."""
    paths = [call.path for call in calls]
    return [a for a, b in zip(at, [*at[1:], None])
            if b is None or 2 * a + 1 - b < 0 or paths[a + 1:b + 1] != paths[2 * a + 1 - b:a + 1]]


def period_of(calls, at):
    """After how many segments their lengths come again."""
    lengths = [calls[b].begin - calls[a].begin for a, b in zip(at, at[1:])]
    mean = sum(lengths) // len(lengths)
    agree = [0, 0]
    for lag in range(1, min(64, len(lengths) // LEAST) + 1):
        pairs = [(min(max(pair), mean), max(pair) <= 2 * min(pair)) for pair in zip(lengths, lengths[lag:])]
        agree.insert(lag, sum(w for w, same in pairs if same) / max(1, sum(w for w, _ in pairs)))
    return next((lag for lag in range(2, len(agree) - 1)
                 if max(agree) >= 0.25 and agree[lag] >= 0.6 * max(agree) and
                 agree[1] <= 0.75 * agree[lag] and agree[lag - 1] < agree[lag] > agree[lag + 1]), 1)


Loop = collections.namedtuple("Loop", "n path share ends first")  # numbers of calls that end an iteration


def candidates(first, agreed):
    for path in agreed:
        at = [i for i, call in enumerate(first) if call.path == path]
        runs = ends_of_runs(first, at)
        yield False, len(at), -at[-1], path, at, at
        if LEAST <= len(runs) < len(at):
            yield True, len(runs), -runs[-1], path, runs, at


def loops(run):
    """The outermost first."""
    first = run.ranks[0].calls
    counts = [collections.Counter(call.path for call in rank.calls) for rank in run.ranks]
    agreed = [path for path, n in counts[0].items() if n >= LEAST and all(c[path] == n for c in counts)]
    found, parts = [], []
    for is_of_runs, n, _, path, at, all_at in sorted(candidates(first, agreed), key=lambda c: c[:3]):
        share = usual_segments(first, at)
        if (share is None or (found and n < 2 * found[-1].n) or (not is_of_runs and n in parts) or
                (is_of_runs and usual_segments(first, all_at) is not None)):
            continue
        period = 1 if is_of_runs else period_of(first, at)
        if found and n < 2 * period * found[-1].n:
            period = 1
        ends = at[(len(at) - 1) % period::period]
        if len(ends) < LEAST:
            continue
        parts += [len(all_at)] if len(ends) < len(all_at) else []
        found.append(Loop(len(ends), path, share, {all_at.index(i) for i in ends}, at[:2]))
    return found[:LOOPS]


def begin_of(calls, at):
    body = {call.path for call in calls[at[0] + 1:at[1]]}
    begin = at[0]
    while begin and calls[begin - 1].path in body:
        begin -= 1
    return min(calls[begin - 1].end, calls[begin].begin) if begin else calls[0].begin


def ends_of(rank, loop):
    at = [c.end for c in rank.calls if c.path == loop.path]
    return [end for number, end in enumerate(at) if number in loop.ends]


def quarter(values, k):
    return sorted(values)[(len(values) - 1) * k // 4]


def row_of(run, loop, level):
    ends = [max(times) for times in zip(*(ends_of(rank, loop) for rank in run.ranks))]
    borders = [begin_of(run.ranks[0].calls, loop.first), *ends]
    first, *rest = [b - a for a, b in zip(borders, borders[1:])]
    m = len(rest)
    bins = min(32, max(7, m // 2))
    medians = [quarter(rest[m * i // bins:m * (i + 1) // bins], 2) for i in range(bins)]
    pairs = [(medians[k] > medians[i]) - (medians[k] < medians[i])
             for i in range(bins) for k in range(i + 1, bins)]
    sigma = math.sqrt(bins * (bins - 1) * (2 * bins + 5) / 18)
    is_drift = sum(pairs) >= max(0.6 * len(pairs), 3.1 * sigma) and medians[-1] >= 1.1 * medians[0]
    slopes = sorted((medians[k] - medians[i]) / (k - i) for i in range(bins) for k in range(i + 1, bins))
    slope = slopes[len(slopes) // 2] * bins / m
    median = quarter(rest, 2)
    slowest = max(range(m), key=lambda i: (rest[i], -i))
    return {"level": level, "iterations": loop.n, "region": loop.path[-1], "site": "",
            "share_percent": 100 * loop.share,
            "median": median / TICKS, "lower_quartile": quarter(rest, 1) / TICKS,
            "upper_quartile": quarter(rest, 3) / TICKS, "first": first / TICKS,
            "slowest": rest[slowest] / TICKS, "slowest_number": slowest + 2,
            "slowest_at": ends[slowest] / TICKS, "at_first": medians[0] / TICKS,
            "at_end": medians[-1] / TICKS, "is_drift": is_drift,
            "drift_percent": 100 * slope * m / median if median else None}


# ---- the judge ----

def is_same(got, want):
    if isinstance(want, float) and got is not None:
        return abs(got - want) <= 1e-6 * max(1.0, abs(want))
    return got == want


def what_grows(run, row):
    process = f"rank {run.growing}" if run.is_mpi else "process 0"
    want = process, *(("(program)", run.grows_after) if run.is_mpi else ("solve", ""))
    got = row["grows_process"], row["grows_region"], row["grows_after"]
    return [f"what grows is {got}, not {want}"] if got != want else []


def judge(label, run, rows):
    faults = []
    want = [row_of(run, loop, level) for level, loop in enumerate(loops(run), 1)]
    if len(rows) != len(want):
        faults.append(f"{len(rows)} rows, not {len(want)}: {rows} instead of {want}")
    for got, row in zip(rows, want):
        is_drift = row.pop("is_drift")
        if not is_drift and got["grows_process"]:
            faults.append(f"level {row['level']} has no drift, but {got['grows_process']} grows")
        if is_drift and row["level"] == 1 and run.growing is not None:
            faults += what_grows(run, got)
        faults += [f"{key} of level {row['level']} is {got[key]}, not {value}"
                   for key, value in row.items() if not is_same(got[key], value)]
    planted = rows[0]["iterations"] if rows else 0
    if planted != run.expected:
        faults.append(f"{planted} iterations, not {run.expected}")
    for fault in faults:
        print(f"FAULT: {label}: {fault}")
    return len(faults)


def main():
    build, n = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 120
    seed = os.environ.get("SPUR_TEST_SEED", str(random.SystemRandom().randrange(10**6)))
    print("seed", seed)
    report = os.path.join(build, "libexec", "spur", "spur-report")
    rng, faults, seen = random.Random(seed), 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(n):
            kind = (Loops, Swaps, Chaos, Steps, Loops)[number % 5]
            run = kind(random.Random(rng.randrange(10**9)))
            place = os.path.join(folder, str(number))
            write_archive(place, *archive(run))
            words = [report, "--json", "--by", "iterations", "--threads", rng.choice("123"), place]
            told = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
            rows = told["sections"]["iterations"]
            words[1] = "--csv"
            lines = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout.splitlines()
            if len(lines) != len(rows) + 1:
                print(f"FAULT: run {number}: {len(rows)} rows, but {len(lines)} lines of CSV")
                faults += 1
            faults += judge(f"run {number}, {kind.__name__}", run, rows)
            seen[f"{kind.__name__} of {len(rows)} levels"] += 1
            seen["planted"] += run.growing is not None
            seen["drifts"] += bool(rows and run.growing is not None and rows[0]["grows_process"])
    print(dict(seen))
    if n >= 60 and not (seen["Loops of 2 levels"] and 2 * seen["drifts"] > seen["planted"]):
        print("FAULT: no nested loops, or hardly a drift was found")
        faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
