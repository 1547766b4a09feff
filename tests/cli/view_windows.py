#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Windows of spur view --serve: `view_windows.py BUILD`, in a folder with the archives of
report_archives.py. They hold what spur print says of them, and what the page holds that has everything.
"""

import os
import random
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

from exported import Judge, Truth  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402
from report_archives import MPI, USER, Texts, head, region  # noqa: E402
from served import Server  # noqa: E402
from viewed import COLUMNS, NONE, Page  # noqa: E402

SPUR = os.path.join(sys.argv[1], "bin", "spur")
GOES_ON = 4
LONG = 150  # rounds from one message that is under way for long to the next
LATE = 900 * 10 ** 9  # ns: far behind the first places of the long archive
judge = Judge()
chance = random.Random(7)


def long_archive(folder, ranks, rounds):
    """
    Some ten thousand events on each rank, which is more than lies between two places: calls that are open for
    long, samples, a counter, pauses. Many messages are under way at any time, a few for a third of the trace
    or for ever.
    """
    text, events = Texts(), {}
    for rank in range(ranks):
        stream, time = [(10 + rank, "Enter", 0), (20 + rank, "Enter", 1)], 100 * rank
        late = 0
        for i in range(rounds):
            time += chance.randrange(20, 400)
            depth = chance.randrange(1, 5)
            stream += [(time + k, "Enter", 2 + (i + k) % 7) for k in range(depth)]
            stream.append((time + 5, "MpiSend", (rank + 1) % ranks, 0, i % 3, i))
            if i >= 4:  # what was sent four rounds ago
                stream.append((time + 6, "MpiRecv", (rank - 1) % ranks, 0, (i - 4) % 3, i - 4))
            if i % LONG == 0 and i < 4 * rounds // 5:  # the last ones are never received
                stream.append((time + 6, "MpiSend", (rank + 1) % ranks, 0, 9, i))
            if i % LONG == LONG // 2 and rounds // 3 <= i < 4 * rounds // 5:
                stream.append((time + 6, "MpiRecv", (rank - 1) % ranks, 0, 9, LONG * late))
                late += 1
            if i % 11 == 0 and i % 2000 < 200:  # then for long none
                stream.append((time + 7, "Metric", 0, [(4, i * rank)]))
            if i % 13 == 0:
                stream.append((time + 8, "CallingContextSample", i % 2, NONE, 0))
            if i % 17 == 0:
                stream.append((time + 9, "MpiCollectiveBegin"))
            if i % 17 == 16:
                stream.append((time + 9, "MpiCollectiveEnd", 0, 0, NONE, i, 0))
            stream += [(time + 12 + depth - k, "Leave", 2 + (i + k) % 7) for k in reversed(range(depth))]
            if i == rounds // 2:
                stream += [(time + 18, "Leave", 1), (time + 19, "Enter", 9)]
        events[rank] = stream + [(time + 500, "Leave", 9), (time + 600, "Leave", 0)]
    made = head(text, max(stream[-1][0] for stream in events.values()) + 10,
                [f"rank {rank}" for rank in range(ranks)],
                [(rank, f"rank {rank}", rank) for rank in range(ranks)], events)
    made += [region(text, i, f"function {i}", USER) for i in range(10)]
    made += [("Group", 0, text(""), 6, [(i,) for i in range(ranks)], 4, MPI, 0),
             ("Group", 1, text(""), 4, [(i,) for i in range(ranks)], 5, MPI, 0),
             ("Comm", 0, text("world"), 1, NONE, 0), ("CallingContext", 0, 2, NONE, NONE),
             ("CallingContext", 1, 3, NONE, 0),
             ("InterruptGenerator", 0, text("timer"), 0, 1, -3, 10),
             ("MetricMember", 0, text("steps"), NONE, 1, 0, 4, 1, 0, text("#")),
             ("MetricClass", 0, [(0,)], 0, 1)]
    write_archive(folder, text.records() + made, events)


# ---- what a window has ----

class Whole:
    """All that an archive has, by its page."""

    def __init__(self, server):
        with tempfile.NamedTemporaryFile() as file:
            file.write(server.ask().body)
            file.flush()
            self.page = Page(file.name)
        assert self.page.meta["served"] and self.page.meta["exact"] == [
            {"row": -1, "from": 0, "to": self.page.meta["duration"]}], "not all is in the page"
        self.rows = range(len(self.page.meta["rows"]))
        self.end = int(self.page.meta["duration"])
        keys = ("time", "value")
        self.values = {i: [dict(zip(keys, pair)) for pair in self.page.records("counters")
                           [metric["first"]:metric["first"] + metric["count"]]]
                       for i, metric in enumerate(self.page.meta["metrics"])}


def records(page, name, got):
    """As tuples, in the order of the columns."""
    names = {"messages": ("sent", "received", "bytes", "sender", "receiver", "tag", "comm")}
    if got is None:
        return page.records(name)
    order = names.get(name) or [key for key, _ in COLUMNS[name]]
    return [tuple(record[key] for key in order) for record in got]


def touching(things, begin, end, rows, row):
    return [thing for thing in things if thing[row] in rows and thing[0] <= end and
            (thing[1] if row != 1 else thing[0]) >= begin]


def same_calls(what, whole, got, begin, end, rows):
    """Those that go on behind the window end there, or later."""
    inside = touching(whole.page.records("calls"), begin, end, rows, 3)
    wanted = {(call[0], *call[2:6]): call for call in inside}
    found = {(call[0], *call[2:6]): call for call in records(whole.page, "calls", got)}
    judge.check(len(found) == len(got), f"{what}: calls twice")
    judge.same(f"{what}: calls", list(found), list(wanted))
    for key in found.keys() & wanted.keys():
        _, last, *_, flags = found[key]
        goes_on = flags & GOES_ON
        is_right = end <= last <= wanted[key][1] if goes_on else (last, flags) == wanted[key][1::5]
        judge.check(is_right, f"{what}: {found[key]} instead of {wanted[key]}")


def same_messages(what, whole, got, begin, end, rows):
    """Those that were under way in the window, from or to its rows; and both of their ends."""
    def ends(message):
        times = [time for time, row in zip(message[:2], message[3:5]) if row != NONE]
        return min(times), max(times)

    wanted = []
    for message in whole.page.records("messages"):
        first, last = ends(message)
        if first <= end and last >= begin and set(message[3:5]) & rows:
            wanted.append(message)
    judge.same(f"{what}: messages", sorted(map(repr, records(whole.page, "messages", got))),
               sorted(map(repr, wanted)))


def same_values(what, whole, got, begin, end, rows):
    values, at = {}, 0
    for entry in got["metrics"]:
        judge.check(entry["first"] == at, f"{what}: values of {entry} begin elsewhere")
        values[entry["metric"]] = got["counters"][at:at + entry["count"]]
        at += entry["count"]
    judge.check(at == len(got["counters"]), f"{what}: {len(got['counters'])} values, {at} are told")
    for metric, wanted in whole.values.items():
        if whole.page.meta["metrics"][metric]["row"] not in rows:
            judge.check(metric not in values, f"{what}: metric {metric} was not asked for")
            continue
        holds = [value for value in wanted if value["time"] < begin][-1:]
        inside = holds + [value for value in wanted if begin <= value["time"] <= end]
        found = values.get(metric, [])
        judge.same(f"{what}: values of {metric}", [v for v in found if v["time"] <= end], inside)
        judge.check(all(value in wanted for value in found), f"{what}: values of {metric}: {found}")


def compare(what, whole, server, begin, end, rows):
    flags, got = server.window(begin, end, "&rows=" + ",".join(map(str, rows)) if rows is not None else "")
    chosen = set(whole.rows if rows is None else rows)
    judge.same(f"{what}: flags", flags, 0)
    judge.same(f"{what}: paths", got["paths"], [])
    same_calls(what, whole, got["calls"], begin, end, chosen)
    same_messages(what, whole, got["messages"], begin, end, chosen)
    same_values(what, whole, got, begin, end, chosen)
    judge.same(f"{what}: idle",
               *([(first, min(last, end), row) for first, last, row in stretches] for stretches in
                 (records(whole.page, "idle", got["idle"]),
                  touching(whole.page.records("idle"), begin, end, chosen, 2))))
    for name, row in (("collectives", 4), ("samples", 1)):
        judge.same(f"{what}: {name}", records(whole.page, name, got[name]),
                   touching(whole.page.records(name), begin, end, chosen, row))
    return got


def print_says(what, archive, server, whole, begin, end):
    """Region, begin and end of calls, by spur print; no end where it is behind the window."""
    truth = Truth(SPUR, archive)
    got = server.window(begin, end)[1]["calls"]
    judge.same(f"{what}: calls that spur print has",
               [(whole.page.region(call["path"]), call["begin"],
                 None if call["flags"] & GOES_ON or call["end"] > end else call["end"]) for call in got],
               [(truth.names[region], enter, leave if leave <= end else None)
                for _, region, enter, leave in truth.calls if enter <= end and leave >= begin])


def compare_archive(archive, n_windows):
    for run in ("first", "from the cache"):
        with Server([SPUR, "view", "--serve", "--no-findings", archive]) as server:
            # The first one is read from a place, if there is any.
            late = LATE if archive == "long" else 0
            server.window(late, late)
            whole = Whole(server)
            what = f"{archive}, {run}"
            compare(f"{what}, all", whole, server, 0, whole.end, None)
            print_says(what, archive, server, whole, 0, whole.end + 1)
            print_says(what, archive, server, whole, whole.end // 3, whole.end // 2)
            for i in range(n_windows):
                begin = chance.randrange(whole.end + 1)
                end = min(whole.end, begin + int(chance.expovariate(1 / (whole.end / 50))))
                rows = sorted(chance.sample(whole.rows, chance.randint(1, len(whole.rows))))
                compare(f"{what}, {begin} to {end} of {rows}", whole, server, begin, end,
                        rows if i % 2 else None)
            for begin, end in ((0, 0), (whole.end, whole.end), (whole.end + 1, whole.end + 10 ** 9),
                               (0, 2 ** 53 - 1)):
                compare(f"{what}, {begin} to {end}", whole, server, begin, end, None)
            code, said = server.end()
            judge.check(code == 0, f"{what}: status {code}: {said}")


long_archive("long", 3, 6000)
compare_archive("long", 40)
for name in ("ranks", "windows", "threads", "teams", "many", "names", "counters", "contexts", "sampled",
             "stacked"):
    compare_archive(name, 6)
for fault in judge.faults[:50]:
    print("FAULT:", fault[:2000])
sys.exit(bool(judge.faults))
