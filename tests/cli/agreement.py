#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
One archive, one truth: `agreement.py BUILD` draws archives (report_random.py), and compares what spur
report, spur query (of the database of spur export), spur export (folded) and spur view tell of them with what
the laws of docs/numbers.md make of the events, which a reader of its own reads. Whole archives, and windows
of time. Then a number of each of them is falsified, and has to be found.

`agreement.py BUILD ARCHIVE...` does the same with archives of programs, and with python3-otf2, which reads
no drawn ones. Their clocks are finer than what the commands say, so times may differ by a microsecond.

SPUR_TEST_SEED is the seed; SPUR_TEST_COUNT the number of archives.
"""

import collections
import os
import random
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

from agreement_told import Folded, Query, Reference, Report, View  # noqa: E402
from agreement_truth import FOREVER, OFF, Truth  # noqa: E402
from judge.otf2_read import Archive  # noqa: E402
from report_random import Run, write_archive  # noqa: E402

DRAWN_TICKS, PROGRAM_TICKS = 1000, 10**9  # in a second; report_archives.head() has the first
NEAR_S, NS = 1e-6, 1e-9
STOPS = 0.1  # how many processes stop recording
DEEP = 300  # calls within each other
TIMES = ("self", "shorts", "total", "spans", "waits", "barriers")
BOTH = ("waits", "files", "sites", "locks", "functions")  # what report and query tell in one form
OF_TEAMS = ("barriers",)


class Balanced(Run):
    """Half of the archives have no stacks: then all time is that of calls."""

    def __init__(self, rng, has_stacks):
        super().__init__(rng)
        self.is_odd, self.has_gaps, self.has_stands = False, False, False
        self.has_stacks = has_stacks

    def enter(self, at):
        super().enter(at)
        for _ in range(DEEP if self.rng.random() < 0.004 else 0):
            at.stack.append(at.stack[-1])
            self.put(at, "Enter", at.stack[-1])

    def stop(self, last):
        """While recording is off, or has stopped, only the ends of calls that were open are recorded."""
        self.stops = {process: self.rng.randrange(last) for process in range(self.n)
                      if self.rng.random() < STOPS}
        for at in self.locations:
            kept, depth, late, is_off = [], 0, None, False
            for event in at.events:
                has_stopped = event[0] > self.stops.get(at.process, last)
                is_switch = event[1] == "MeasurementOnOff" and not has_stopped
                is_off = event[2] == OFF if is_switch else is_off
                is_over = has_stopped or is_off
                late = depth if is_over and late is None else late
                depth += event[1].endswith("Enter") - event[1].endswith("Leave")
                if is_switch or not is_over or (depth < late and event[1].endswith("Leave")):
                    kept.append(event)
                    late = min(depth, late) if is_over else None
            at.events = kept

    def sample(self, at):
        if self.has_stacks:
            super().sample(at)

    def context(self, at):
        if self.has_stacks:
            super().context(at)


def differ(name, key, one, other, near):
    is_time = name in TIMES or (isinstance(key, tuple) and key[-1] in ("time", "max"))
    return abs((one or 0) - (other or 0)) > near if is_time and near else one != other


def differences(told, truth, near=0, near_shorts=0):
    return [(name, key, told[name].get(key), truth[name].get(key)) for name in truth if name in told
            for key in sorted(set(told[name]) | set(truth[name]), key=repr)
            if differ(name, key, told[name].get(key), truth[name].get(key),
                      near_shorts if name == "shorts" else near)]


def falsify(rng, tables, names):
    """One number of one table is another."""
    tables = {name: dict(table) for name, table in tables.items()}
    kinds = [name for name in names if tables.get(name)]
    if not kinds:
        return None
    table = tables[rng.choice(kinds)]
    table[rng.choice(sorted(table, key=repr))] += rng.choice((-1, 1))
    return tables


class Test:
    def __init__(self, build, seed, ticks):
        self.seed, self.ticks, self.faults, self.near = seed, ticks, [], 0
        self.consumers = {"report": Report(build, ticks), "query": Query(build, ticks),
                          "folded": Folded(build, ticks), "view": View(build, ticks)}
        if ticks == PROGRAM_TICKS:  # what is drawn is no legal program
            self.consumers["python3-otf2"] = Reference(build, ticks)
        self.falsified, self.found = collections.Counter(), collections.Counter()

    def one(self, number, folder):
        rng = random.Random(f"{self.seed} {number}")
        has_stacks = rng.random() < 0.5
        drawn = Balanced(rng, has_stacks)
        drawn.make(60 * len(drawn.locations))
        last = max(at.time for at in drawn.locations)
        drawn.stop(last)
        write_archive(folder, drawn.definitions(), {at.number: at.events for at in drawn.locations})
        archive = Archive(os.path.join(folder, "traces.otf2"))
        # A window may begin with the last events of a process, which has no time then.
        ends = [at.events[-1][0] for at in drawn.locations if at.events and at.events[-1][0] < last]
        begin = rng.choice(ends) if ends and number % 2 else rng.randrange(last)
        # Above 0: a window that ends where the trace begins has nothing.
        end = begin + 1 + rng.randrange(last - begin)
        for borders in ((0, FOREVER), (begin, end)):
            self.window(rng, number, folder, archive, borders, drawn.has_ranks, has_stacks)

    def program(self, number, folder):
        """An archive of a program, and a window of it."""
        rng = random.Random(f"{self.seed} {number}")
        archive = Archive(os.path.join(folder, "traces.otf2"))
        clock = next(values for name, values in archive.definitions if name == "ClockProperties")
        last = clock["traceLength"] * self.ticks // clock["timerResolution"]
        begin = rng.randrange(last)
        self.near = NEAR_S * self.ticks
        has_ranks = any(archive.name_of("LocationGroup", group).startswith("MPI Rank ")
                        for group in archive.spaces["LocationGroup"])
        has_stacks = bool(archive.spaces.get("CallingContext"))
        for borders in ((0, FOREVER), (begin, begin + 1 + rng.randrange(last - begin))):
            self.window(rng, number, folder, archive, borders, has_ranks, has_stacks)

    def window(self, rng, number, folder, archive, borders, has_ranks, has_stacks):
        seconds = [f"{border // self.ticks}.{border % self.ticks * 10**9 // self.ticks:09}" for border in borders]  # noqa: E501
        words = ["--time", "..".join(seconds)] if borders[1] < FOREVER else []
        truth = Truth(archive, self.ticks, *borders)
        truth.has_ranks = has_ranks
        nears = self.near, self.near + truth.n_shorts * NS * self.ticks  # the row of each has its rounding
        told, wanted = {}, {}
        for name, consumer in self.consumers.items():
            consumer.window = [min(border, 10**6 * self.ticks) * 10**9 // self.ticks for border in borders]
            told[name] = consumer.tables(folder, words, has_stacks)
            wanted[name] = consumer.truth(truth, has_stacks)
        # A row of the report has the barriers of teams within its own.
        both = BOTH + OF_TEAMS if self.ticks == PROGRAM_TICKS and not truth.has_nested_teams else BOTH
        for name, other in (("report", "query"), ("query", "report")):
            wanted[name].update((table, told[other][table]) for table in both)
        for name, tables in told.items():
            self.faults += [f"archive {number} {words}: {name}: {what[0]} of {what[1]}: {what[2]} instead of {what[3]}"  # noqa: E501
                            for what in differences(tables, wanted[name], *nears)]
            false = falsify(rng, tables, wanted[name])
            if false:
                self.falsified[name] += 1
                self.found[name] += bool(differences(false, wanted[name], *nears))

    def all_found(self):
        """A time of a program's archive may be false by little, so this is asked of drawn archives only."""
        for name in self.consumers:
            if not self.falsified[name] or self.found[name] < self.falsified[name]:
                self.faults.append(f"{name}: {self.found[name]} of {self.falsified[name]} false numbers were found")  # noqa: E501


def main():
    count = int(os.environ.get("SPUR_TEST_COUNT", "20"))
    seed = os.environ.get("SPUR_TEST_SEED", str(random.SystemRandom().randrange(10**6)))
    print("seed", seed)
    test = Test(sys.argv[1], seed, PROGRAM_TICKS if sys.argv[2:] else DRAWN_TICKS)
    if sys.argv[2:]:
        count = len(sys.argv) - 2
        for folder in sys.argv[2:]:
            test.program(folder, folder)
    else:
        with tempfile.TemporaryDirectory() as folder:
            for number in range(count):
                test.one(number, os.path.join(folder, str(number)))
        test.all_found()
    for fault in test.faults[:40]:
        print("FAULT:", fault)
    print(f"{count} archives, {len(test.faults)} faults")
    return bool(test.faults)


sys.exit(main())
