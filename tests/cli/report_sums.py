#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The numbers of a report, computed again: `report_sums.py ARCHIVE < JSON` reads the archive with the reference
library's Python module. It compares what `spur report --json` says about regions, threads, messages,
collective operations and locks. Prints what differs; status 1 if anything does.
"""

import collections
import json
import sys

import otf2
from otf2 import events as ev

faults = 0


def expect(what, reported, computed):
    global faults
    if isinstance(computed, float):
        is_same = abs(reported - computed) <= 1e-9 * max(1.0, abs(computed))
    else:
        is_same = reported == computed
    if not is_same:
        print(f"{what}: reported {reported}, computed {computed}")
        faults += 1


def calls_of(enter):
    """A record may stand for several calls: those of a function that polls."""
    return next((value for attribute, value in (enter.attributes or {}).items()
                 if attribute.name == "spur::calls"), 1)


class Location:
    def __init__(self):
        self.first = self.last = None
        self.stack = []  # [region, enter, time below, calls]


class Sums:
    """All of it in ticks, from the events in the order of the reference reader."""

    def __init__(self, archive):
        self.self_ = collections.Counter()
        self.total = collections.Counter()
        self.calls = collections.Counter()
        self.min, self.max = {}, {}
        self.pairs = collections.defaultdict(lambda: [0, 0])
        self.collectives = collections.defaultdict(lambda: [0, 0, 0])
        self.taken = collections.Counter()
        self.rma = [0, 0]
        self.sizes = collections.defaultdict(lambda: [0, 0])
        self.locations = {}
        self.n_events = 0
        with otf2.reader.open(archive) as trace:
            self.definitions = trace.definitions
            self.ticks = trace.timer_resolution
            self.rank = {}
            for group in trace.definitions.groups:
                if group.group_type == otf2.GroupType.COMM_LOCATIONS and \
                        group.paradigm == otf2.Paradigm.MPI:
                    self.rank = {m.group: i for i, m in enumerate(group.members)}
                    self.world = [m.group for m in group.members]
            for location, event in trace.events:
                self.event(location, event)

    def event(self, location, event):
        self.n_events += 1
        state = self.locations.setdefault(location, Location())
        state.first = event.time if state.first is None else state.first
        state.last = event.time
        if isinstance(event, ev.Enter):
            state.stack.append([event.region, event.time, 0, calls_of(event)])
        elif isinstance(event, ev.Leave):
            self.leave(state, event)
        elif isinstance(event, (ev.MpiSend, ev.MpiIsend)):
            self.send(location, event)
        elif isinstance(event, (ev.RmaPut, ev.RmaGet)):
            self.rma = [self.rma[0] + 1, self.rma[1] + event.bytes]
            self.size("one-sided", event.bytes)
        elif isinstance(event, ev.RmaAtomic):
            self.rma = [self.rma[0] + 1, self.rma[1] + event.bytes_sent + event.bytes_received]
            self.size("one-sided", event.bytes_sent + event.bytes_received)
        elif isinstance(event, ev.RmaCollectiveEnd):
            row = self.collectives[str(event.collective_op).rpartition(".")[2]]
            row[0] += 1
            row[1] += event.bytes_sent
            row[2] += event.bytes_received
            self.size("collective", max(event.bytes_sent, event.bytes_received))
        elif isinstance(event, (ev.MpiCollectiveEnd, ev.NonBlockingCollectiveComplete)):
            name = str(event.collective_op).rpartition(".")[2]
            row = self.collectives[name]
            row[0] += 1
            row[1] += event.size_sent
            row[2] += event.size_received
            self.size("collective", max(event.size_sent, event.size_received))
        elif isinstance(event, ev.ThreadAcquireLock):
            self.taken[event.lock_id] += 1

    def size(self, kind, count):
        row = self.sizes[kind, count.bit_length()]
        row[0] += 1
        row[1] += count

    def leave(self, state, event):
        region, begin, below, calls = state.stack.pop()
        assert region == event.region, "the archive is not balanced"
        took = event.time - begin
        self.calls[region] += calls
        self.self_[region] += took - below
        self.min[region] = min(took, self.min.get(region, took))
        self.max[region] = max(took, self.max.get(region, took))
        if all(region != frame[0] for frame in state.stack):
            self.total[region] += took
        if state.stack:
            state.stack[-1][2] += took

    def send(self, location, event):
        group = event.communicator.group
        if group.group_type == otf2.GroupType.COMM_SELF:
            receiver = location.group
        else:
            member = group.members[event.receiver]
            receiver = member.group if hasattr(member, "group") else self.world[member]
        pair = self.pairs[f"rank {self.rank[location.group]}", f"rank {self.rank[receiver]}"]
        pair[0] += 1
        pair[1] += event.msg_length
        self.size("point-to-point", event.msg_length)


def compare_regions(sums, rows):
    by_name = {row["region"]: row for row in rows}
    expect("regions", sorted(set(by_name) - {"(program)"}), sorted({r.name for r in sums.calls}))
    whole = sum(s.last - s.first for s in sums.locations.values())
    for region in sums.calls:
        row = by_name.get(region.name)
        if row is None:
            continue
        expect(f"calls of {region.name}", row["calls"], sums.calls[region])
        for key, ticks in (("self", sums.self_[region]), ("total", sums.total[region]),
                           ("min", sums.min[region]), ("max", sums.max[region])):
            expect(f"{key} of {region.name}", row[key], ticks / sums.ticks)
        expect(f"percent of {region.name}", row["self_percent"],
               100.0 * sums.self_[region] / whole)
    if "(program)" in by_name:
        expect("program", by_name["(program)"]["self"],
               (whole - sum(sums.self_.values())) / sums.ticks)


def compare(sums, report):
    sections = report["sections"]
    expect("events", report["events"], sums.n_events)
    compare_regions(sums, sections["regions"])
    times = sorted((s.last - s.first) / sums.ticks for s in sums.locations.values())
    for reported, computed in zip(sorted(row["time"] for row in sections["threads"]), times):
        expect("time of a thread", reported, computed)
    expect("threads", len(sections["threads"]), len(times))
    expect("messages", {(row["from"], row["to"]): [row["messages"], row["bytes"]]
                        for row in sections["messages"] if row["messages"]}, dict(sums.pairs))
    expect("one-sided", [sum(row["rma"] for row in sections["messages"]),
                         sum(row["rma_bytes"] for row in sections["messages"])], sums.rma)
    found = collections.defaultdict(lambda: [0, 0, 0])
    for row in sections["collectives"]:
        for i, key in enumerate(("calls", "sent_bytes", "received_bytes")):
            found[row["kind"]][i] += row[key]
    expect("collectives", dict(found), dict(sums.collectives))
    by_size = collections.defaultdict(lambda: [0, 0])
    for row in sections["sizes"]:
        if row["count"]:
            by_size[row["kind"], row["from_bytes"].bit_length()][0] += row["count"]
            by_size[row["kind"], row["from_bytes"].bit_length()][1] += row["bytes"]
    expect("sizes", dict(by_size), dict(sums.sizes))
    if len(sections["processes"]) == 1:
        expect("locks", {row["lock"]: row["acquisitions"] for row in sections["locks"]},
               dict(sums.taken))


compare(Sums(sys.argv[1]), json.load(sys.stdin))
sys.exit(1 if faults else 0)
