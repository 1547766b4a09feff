# SPDX-License-Identifier: BSD-3-Clause
"""
The call stacks of an archive as commands show them, against the archive itself: `compare_stacks(run, archive,
label)` returns a list of differences. Names, their order, file and line, times and counts.
"""

import collections
import os

from call_stacks import SAMPLING, Paths
from exported import Judge, Perfetto, chrome_events, output, read_sqlite
from viewed import Page

USER = 1


class Stacks:
    """Calls and samples: (location, time in ns, names from the outermost to the innermost)."""

    def __init__(self, archive):
        self.archive, self.paths = archive, Paths(archive)
        clock = next(values for name, values in archive.definitions if name == "ClockProperties")
        self.per_second, self.start = clock["timerResolution"], clock["globalOffset"]
        self.names = {}
        self.calls, self.samples, self.counted, self.own = [], [], [], collections.Counter()
        for location in archive.locations:
            self.read(location)

    def length(self, ticks):
        return ticks * 1000000000 // self.per_second

    def ns(self, ticks):
        return self.length(ticks - self.start)

    def of(self, context):
        if context not in self.names:
            self.names[context] = tuple(name for _, name, _, _ in self.paths.nodes(context))[::-1]
        return self.names[context]

    def up_to_call(self, context):
        """Without what runs inside of a recorded call."""
        names = []
        for region, name, _, _ in list(self.paths.nodes(context))[::-1]:
            names.append(name)
            if region["paradigm"] not in (SAMPLING, USER):
                break
        return tuple(names)

    def frames(self, context):
        """From the innermost outwards: name, file and line of the function, file and line of the place."""
        return tuple((name, self.archive.string(region["sourceFile"]), region["beginLineNumber"], file, line)
                     for region, name, file, line in self.paths.nodes(context))

    def functions(self):
        """Name, file and line of those that stacks are made of."""
        regions = {id(region): region for context in self.names
                   for region, _, _, _ in self.paths.nodes(context) if region["paradigm"] == SAMPLING}
        return [(self.archive.string(region["name"]), self.archive.string(region["sourceFile"]),
                 region["beginLineNumber"]) for region in regions.values()]

    def read(self, location):
        is_open = []
        for kind, time, values, _ in self.archive.events(location):
            if kind == "CallingContextEnter":
                is_open.append([time, self.of(values[0]), 0])
            elif kind == "CallingContextLeave":
                begin, stack, inner = is_open.pop()
                self.calls.append((location, self.ns(begin), stack))
                self.own[stack] += time - begin - inner
                if is_open:
                    is_open[-1][2] += time - begin
            elif kind == "CallingContextSample":
                self.samples.append((location, self.ns(time), self.of(values[0])))
                self.counted.append(self.up_to_call(values[0]))


def compare_folded(judge, stacks, spur, archive):
    """A line has the process and the thread before the stack."""
    def lines(weight):
        text = output(spur, "export", "--to", "folded", "--weight", weight, archive).decode()
        for line in text.splitlines():
            stack, n = line.rsplit(" ", 1)
            yield tuple(stack.split(";")[2:]), int(n)

    sums = collections.Counter()
    for stack, n in lines("samples"):
        sums[stack] += n
    judge.same("folded: samples by stack", sums,
               collections.Counter(stack for _, _, stack in stacks.samples))
    sums.clear()
    for stack, n in lines("time"):
        sums[stack] += n
    wanted = {stack: own for stack, own in stacks.own.items() if stacks.length(own) >= 1}
    judge.same("folded: stacks with a time", [stack for stack in sums if stack], list(wanted))
    apart = [(stack, sums[stack], stacks.length(own)) for stack, own in wanted.items()
             if abs(sums[stack] - stacks.length(own)) > len(stacks.calls)]
    judge.same("folded: times by stack", apart, [])


def compare_viewers(judge, stacks, spur, archive, folder, tables):
    """In `chrome` the innermost function comes first, in `perfetto` it is the last one."""
    path = {form: os.path.join(folder, form) for form in ("chrome", "perfetto")}
    for form, file in path.items():
        output(spur, "export", "--to", form, "-o", file, archive)
    with open(path["chrome"], encoding="utf-8") as file:
        lanes, events = chrome_events(file.read(), tables)
    judge.same("chrome: stacks of samples",
               [(lanes[lane], time, tuple(more["stack"][::-1])) for lane, _, time, _, more in events
                if more["cat"] == "sample"], stacks.samples)
    trace = Perfetto(path["perfetto"])
    lanes = dict(zip(trace.threads, (row["location"] for row in tables["location"])))
    judge.same("perfetto: stacks of samples",
               [(lanes[lane], time, tuple(more["stack"].split(";")))
                for lane, phase, time, _, more in trace.events if phase == "sample"], stacks.samples)


def compare_tables(judge, stacks, tables):
    regions = {row["region"]: (row["name"], row["file"], row["line"] or 0) for row in tables["region"]}
    contexts = {row["context"]: row for row in tables["context"]}

    def frames(context):
        while context is not None:
            row = contexts[context]
            yield (*regions[row["region"]], row["file"] or "", row["line"] or 0)
            context = row["caller"]
    judge.same("tables: contexts", collections.Counter(tuple(frames(context)) for context in contexts),
               collections.Counter(map(stacks.frames, stacks.archive.spaces["CallingContext"])))
    for kind, found, time in (("call", stacks.calls, "enter"), ("sample", stacks.samples, "time")):
        judge.same(f"tables: stacks at each {kind}",
                   [(row["location"], row[time], tuple(frame[0] for frame in frames(row["context"]))[::-1])
                    for row in tables[kind]], found)


def compare_page(judge, stacks, spur, archive, folder):
    file = os.path.join(folder, "page.html")
    output(spur, "view", "-o", file, archive)
    page = Page(file)
    ids = [int(row["id"]) for row in page.meta["rows"]]
    judge.same("view: stacks of calls",
               [(ids[row], int(begin), tuple(page.stack(path)[1:]))
                for begin, _, _, row, path, _, _ in page.records("calls")], stacks.calls)
    judge.same("view: stacks of samples",
               [(ids[row], int(time), tuple(page.stack(path)))
                for time, row, path in page.records("samples")], stacks.samples)
    judge.same("view: where functions are",
               [(region["name"], region["file"], region["line"]) for region in page.meta["regions"]
                if region["group"] == "sampled"], stacks.functions())


def compare_report(judge, stacks, report):
    """A row of call paths has the samples of those within it. A function has one for each of its sites."""
    found = {"samples": collections.Counter(), "calls": collections.Counter()}
    wanted = {"samples": collections.Counter(), "calls": collections.Counter()}
    for row in report["sections"]["callpaths"]:
        path = tuple(row["callpath"].split(" > ")[1:])
        for what, sums in found.items():
            sums[path] += (row[what] or 0) if path else 0
    for stack in stacks.counted:
        wanted["samples"].update(stack[:depth] for depth in range(1, len(stack) + 1))
    wanted["calls"].update(stack for _, _, stack in stacks.calls)
    for what, sums in found.items():
        judge.same(f"report: {what} by call path", +sums, wanted[what])


def compare_stacks(run, place, archive, label):
    """`archive` is what Python reads of the one in the folder `place`."""
    stacks, judge = Stacks(archive), Judge()
    folder = os.path.join(run.scratch, f"{label}.exports")
    os.mkdir(folder)
    base = os.path.join(folder, "sqlite")
    output(run.spur, "export", "--to", "sqlite", "-o", base, place)
    tables = read_sqlite(base)
    compare_folded(judge, stacks, run.spur, place)
    compare_viewers(judge, stacks, run.spur, place, folder, tables)
    compare_tables(judge, stacks, tables)
    compare_page(judge, stacks, run.spur, place, folder)
    compare_report(judge, stacks, run.report(place, "--by", "callpath", "--top", "1000000"))
    return [f"{label}: {fault}" for fault in judge.faults]
